"""Tasks of problems with gold answers from a file or the hub: `jsonl`, `gsm8k`, `math`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hacpo.evaluation.columns import GoldRule
from hacpo.evaluation.grading import GradingOptions
from hacpo.evaluation.grading.grader import grade_response
from hacpo.evaluation.grading.verdict import Finding
from hacpo.evaluation.sources import (
    PLACE,
    BenchmarkSource,
    load_benchmark,
    subset,
    with_prompt,
)
from hacpo.task.task import Demonstrator, split_problems
from hacpo.types import Problem

QUESTION_COLUMNS = ("problem", "question", "prompt")
SOURCE_ARGUMENTS = frozenset(
    {
        *("hub_id", "configs", "split", "revision", "id_columns", "question_columns"),
        *("answer_columns", "solution_column", "gold"),
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemSetTask:
    """The task; see `hacpo.task.task.Task`."""

    name: str
    train: tuple[Problem, ...]
    test: tuple[Problem, ...]
    notes: str = field(default="", compare=False)
    """What was read, left out and corrected, for the log."""

    def texts(self) -> list[str]:
        """Return every prompt and every answer."""
        problems = (*self.train, *self.test)
        return [p.prompt for p in problems] + [p.answer for p in self.train]

    def reward(self, problem: Problem, text: str) -> float:
        """Return 1.0 if the answer is right by text, numbers or structure, else 0.0.

        What needs computer algebra counts as wrong here; `hacpo.reward.MathReward` decides it too.
        """
        verdict = grade_response(problem.answer, text, GradingOptions(), _no_algebra)
        return float(verdict.right)

    def demonstrator(self, **arguments: float) -> Demonstrator:
        """There is none: nobody wrote down how these problems are solved."""
        raise ValueError(
            f"the task {self.name} has no demonstrator; begin with a model that can write "
            "(warm_start.steps=0)"
        )


def build_problem_set(
    *,
    num_test: int,
    split_seed: int,
    name: str,
    path: str | None = None,
    test_path: str | None = None,
    prompt: str = PLACE,
    max_prompt_chars: int | None = None,
    max_problems: int | None = None,
    **source: Any,
) -> ProblemSetTask:
    """Return the problems of a `.jsonl` or `.parquet` file, or of a split on the hub.

    Args:
        num_test: problems held out, unless `test_path` names a file of them, which is then cut to
            this number.
        split_seed: decides which.
        name: of the task; problem ids begin with it.
        path: the file; None: `hub_id` is read.
        test_path: another file, of held-out problems.
        prompt: what is asked; `{problem}` is the problem's text.
        max_prompt_chars: longer prompts are left out and counted; None: none is.
        max_problems: at most that many training problems, always the same ones; None: all.
        source: hub_id, configs, split, revision, id_columns, question_columns, answer_columns,
            solution_column and gold, as in `hacpo.config.benchmark`.

    Raises:
        ValueError: with a sentence for the user.
    """
    rows = _source(name, source)

    def read(file: str | None) -> tuple[tuple[Problem, ...], str]:
        loaded = load_benchmark(replace(rows, path=None if file is None else Path(file)))
        asked = with_prompt(loaded.problems, prompt)
        short = tuple(
            p for p in asked if max_prompt_chars is None or len(p.prompt) <= max_prompt_chars
        )
        left_out = len(asked) - len(short)
        note = f"\n  left out ({left_out}): prompts of more than {max_prompt_chars} characters"
        return short, loaded.report() + (note if left_out else "")

    problems, notes = read(path)
    if test_path is None:
        train, test = split_problems(problems, num_test=num_test, split_seed=split_seed)
    else:
        held_out, more = read(test_path)
        train, notes = problems, f"{notes}\n{more}"
        test = subset(_renamed(held_out, name), num_test)
        _check_apart(train, test)
    return ProblemSetTask(name=name, train=subset(train, max_problems), test=test, notes=notes)


def _source(name: str, given: Mapping[str, Any]) -> BenchmarkSource:
    if unknown := sorted(set(given) - SOURCE_ARGUMENTS):
        raise ValueError(
            f"there is no argument {', '.join(unknown)}; a source has "
            f"{', '.join(sorted(SOURCE_ARGUMENTS))}"
        )
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for key, value in given.items()
        if key != "gold"
    }
    values = {"split": "train", "question_columns": QUESTION_COLUMNS, **values}
    rule = GoldRule(given.get("gold", "verbatim"))
    return BenchmarkSource(name=name, key="task.arguments", gold_rule=rule, **values)


def _renamed(problems: Sequence[Problem], name: str) -> tuple[Problem, ...]:
    """Return problems of another file under ids of their own."""
    return tuple(
        Problem(id=f"{name}/held_out/{p.id.partition('/')[2]}", prompt=p.prompt, answer=p.answer)
        for p in problems
    )


def _check_apart(train: Sequence[Problem], test: Sequence[Problem]) -> None:
    known = {"".join(problem.prompt.split()): problem.id for problem in train}
    both = [p.id for p in test if "".join(p.prompt.split()) in known]
    if both:
        raise ValueError(
            f"{len(both)} held-out problems stand among the training problems too, such as "
            f"{both[0]}; take them out of task.arguments.path"
        )


def _no_algebra(gold: str, answer: str, options: GradingOptions) -> Finding:
    return Finding(right=False, way="unparsed")
