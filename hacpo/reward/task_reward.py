"""The task's own scorer as a reward."""

from __future__ import annotations

from collections.abc import Sequence

from hacpo.reward.part import RewardPart
from hacpo.task.task import Task
from hacpo.types import Problem


class TaskReward(RewardPart):
    """Asks the task. Its scorers are pure and bounded, so they run where they are called."""

    def __init__(self, *, task: Task, time_limit_s: float) -> None:
        """Take the task; its scorers need no time limit."""
        self._task = task

    def grade(self, problems: Sequence[Problem], texts: Sequence[str]) -> list[float | None]:
        """Return the task's own reward for each; see `RewardPart.grade`."""
        return [
            self._task.reward(problem, text) for problem, text in zip(problems, texts, strict=True)
        ]
