"""The last box as a string: what the authors' code rewards, for comparison with the grader."""

from __future__ import annotations

from collections.abc import Sequence

from hacpo.evaluation.grading.extraction import last_box
from hacpo.reward.part import RewardPart
from hacpo.task.task import Task
from hacpo.types import Problem


class ExactBoxedReward(RewardPart):
    """1 if the text of the last box is the answer, white space around both left out; else 0."""

    def __init__(self, *, task: Task | None = None, time_limit_s: float = 1.0) -> None:
        """Nothing is needed: one pass over the text."""

    def grade(self, problems: Sequence[Problem], texts: Sequence[str]) -> list[float | None]:
        """Return 1.0 or 0.0 for each; see `RewardPart.grade`."""
        return [
            float((last_box(text) or "").strip() == problem.answer.strip())
            for problem, text in zip(problems, texts, strict=True)
        ]
