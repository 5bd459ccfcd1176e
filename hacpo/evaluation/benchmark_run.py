"""Answers one benchmark: sample, grade, keep, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hacpo.evaluation.answer_file import AnswerFile, GradedAnswer
from hacpo.rollout.engine import Engine, SamplingSettings
from hacpo.rollout.seeds import derived_seed
from hacpo.rollout.tokens import TokenCodec
from hacpo.types import Completion, FinishReason, Problem


class Verdict(Protocol):
    """What a grader says of one completion."""

    @property
    def right(self) -> bool:
        """Whether the completion's answer is the gold one."""
        ...

    @property
    def way(self) -> str:
        """How the verdict was reached."""
        ...

    @property
    def answer(self) -> str | None:
        """The answer that was read from the completion."""
        ...


Grade = Callable[[Sequence[tuple[str, str]]], Sequence[Verdict]]
"""Grades (gold, completion) pairs, in their order."""
Progress = Callable[[int, int], None]
"""Called with (answered problems, all problems)."""


@dataclass(frozen=True, kw_only=True)
class BenchmarkRun:
    """How a benchmark is answered by one model."""

    name: str
    engine: Engine
    codec: TokenCodec
    grade: Grade
    sampling: SamplingSettings
    seed: int
    chunk_problems: int
    """Problems that are sampled, graded and kept together."""

    def answer(
        self, problems: Sequence[Problem], file: AnswerFile, on_progress: Progress
    ) -> tuple[GradedAnswer, ...]:
        """Return the graded answers to all problems; what `file` already holds is not done again.

        A chunk's seed depends on its place alone, so an interrupted evaluation ends like one that
        was not.
        """
        answers: list[GradedAnswer] = []
        for number, start in enumerate(range(0, len(problems), self.chunk_problems)):
            chunk = problems[start : start + self.chunk_problems]
            known = file.chunk(number)
            if known is None:
                known = self._answer_chunk(chunk, number)
                file.add(number, known)
            answers += known
            on_progress(start + len(chunk), len(problems))
        return tuple(answers)

    def _answer_chunk(self, problems: Sequence[Problem], number: int) -> tuple[GradedAnswer, ...]:
        prompts = [self.codec.encode_prompt(problem.prompt) for problem in problems]
        seed = derived_seed(self.seed, self.name, number)
        groups = self.engine.generate(prompts, self.sampling, seed=seed)
        pairs = [
            (problem.answer, completion.text)
            for problem, group in zip(problems, groups, strict=True)
            for completion in group
        ]
        verdicts = iter(self.grade(pairs))
        return tuple(
            _graded(problem, sample, completion, next(verdicts))
            for problem, group in zip(problems, groups, strict=True)
            for sample, completion in enumerate(group)
        )


def _graded(
    problem: Problem, sample: int, completion: Completion, verdict: Verdict
) -> GradedAnswer:
    return GradedAnswer(
        problem_id=problem.id,
        sample=sample,
        prompt=problem.prompt,
        gold=problem.answer,
        completion=completion.text,
        num_tokens=len(completion.token_ids),
        truncated=completion.finish_reason is FinishReason.LENGTH,
        right=verdict.right,
        way=verdict.way,
        extracted=verdict.answer,
    )
