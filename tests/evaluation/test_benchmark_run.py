"""An evaluation that is interrupted goes on where it stopped and ends the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from hacpo.evaluation.answer_file import AnswerFile, GradedAnswer
from hacpo.evaluation.benchmark_run import BenchmarkRun
from hacpo.rollout.engine import SamplingSettings
from hacpo.rollout.hf import HFEngine
from hacpo.types import Problem
from tests.tiny_agents import PROBLEMS
from tests.tiny_models import TinyModel

SETTINGS = {"seed": 1, "n": 2}


@dataclass(frozen=True)
class EvenLength:
    """A verdict on whether a completion's length is even."""

    right: bool
    way: str = "length"
    answer: str | None = None


class InterruptedRunError(Exception):
    """The evaluation was killed."""


def _run(tiny: TinyModel, *, break_after: int | None = None) -> BenchmarkRun:
    graded = 0

    def grade(pairs: Sequence[tuple[str, str]]) -> list[EvenLength]:
        nonlocal graded
        if graded == break_after:
            raise InterruptedRunError
        graded += 1
        return [EvenLength(len(text) % 2 == 0) for _, text in pairs]

    return BenchmarkRun(
        name="sums",
        engine=HFEngine(tiny.model, tiny.codec, batch_size=64),
        codec=tiny.codec,
        grade=grade,
        sampling=SamplingSettings(completions_per_prompt=2, max_new_tokens=6),
        seed=1,
        chunk_problems=2,
    )


def _answers(run: BenchmarkRun, path: Path) -> tuple[GradedAnswer, ...]:
    return run.answer(PROBLEMS, AnswerFile(path, settings=SETTINGS), lambda done, total: None)


def test_an_interrupted_evaluation_ends_like_one_that_was_not(
    tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    expected = _answers(_run(tiny_qwen), tmp_path / "whole.jsonl")
    assert len(expected) == 12
    broken = tmp_path / "broken.jsonl"
    with pytest.raises(InterruptedRunError):
        _answers(_run(tiny_qwen, break_after=2), broken)
    # The process died in the middle of a line.
    with broken.open("a") as file:
        file.write('{"chunk": 2, "answers": [{"probl')
    # Only the last of three chunks is graded now.
    assert _answers(_run(tiny_qwen, break_after=1), broken) == expected
    assert broken.read_text() == (tmp_path / "whole.jsonl").read_text()


def test_a_finished_evaluation_does_nothing_twice(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    first = _answers(_run(tiny_qwen), path)
    assert _answers(_run(tiny_qwen, break_after=0), path) == first


def test_answers_of_other_settings_are_refused(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    _answers(_run(tiny_qwen), path)
    with pytest.raises(ValueError, match="other settings"):
        AnswerFile(path, settings={**SETTINGS, "seed": 2})


def test_an_empty_or_headless_file_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"settings": {"se')
    file = AnswerFile(path, settings=SETTINGS)
    assert file.chunk(0) is None
    file.add(0, [])
    assert path.read_text().count("\n") == 2


def test_progress_counts_problems(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    file = AnswerFile(tmp_path / "answers.jsonl", settings=SETTINGS)
    problems: tuple[Problem, ...] = PROBLEMS[:5]
    _run(tiny_qwen).answer(problems, file, lambda done, total: seen.append((done, total)))
    assert seen == [(2, 5), (4, 5), (5, 5)]
