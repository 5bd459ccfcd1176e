"""The benchmarks' grader as a training reward."""

from __future__ import annotations

from collections.abc import Sequence

from hacpo.evaluation.grading import GradingOptions, GradingPool
from hacpo.reward.part import RewardPart
from hacpo.task.task import Task
from hacpo.types import Problem

BROKEN_WAYS = frozenset({"timeout", "crashed"})
"""Ways of a verdict that say nothing about the answer."""


class MathReward(RewardPart):
    """1 for a mathematically right answer, else 0; see docs/grading.md."""

    def __init__(
        self,
        *,
        task: Task | None = None,
        time_limit_s: float = 5.0,
        num_workers: int = 2,
        memory_mb: int = 2048,
        **options: object,
    ) -> None:
        """Take the limits of `GradingPool`, and fields of `GradingOptions`.

        Raises:
            ValueError: an option does not exist, or its value makes no sense.
        """
        known = GradingOptions.__dataclass_fields__
        if unknown := sorted(set(options) - set(known)):
            raise ValueError(
                f"grading has no option {', '.join(unknown)}; it has {', '.join(sorted(known))}"
            )
        values = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in options.items()
        }
        self._pool = GradingPool(
            GradingOptions(**values),  # type: ignore[arg-type]  # it checks them itself
            num_workers=num_workers,
            limit_s=time_limit_s,
            memory_mb=memory_mb,
        )

    def grade(self, problems: Sequence[Problem], texts: Sequence[str]) -> list[float | None]:
        """Return 1.0 or 0.0 for each; see `RewardPart.grade`."""
        pairs = [(p.answer, text) for p, text in zip(problems, texts, strict=True)]
        return [
            None if verdict.way in BROKEN_WAYS else float(verdict.right)
            for verdict in self._pool.grade_many(pairs)
        ]

    def close(self) -> None:
        """End the grading workers."""
        self._pool.close()
