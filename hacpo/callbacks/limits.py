"""What a run may spend, and when that is spent. Pure: the same figures give the same decision.

Every agent hands its expenses to the hub, gets those of all, and decides for itself. As all see the
same figures, all stop after the same step, and nobody waits for one that has left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hacpo.types import Expenses


class Scope(StrEnum):
    """Whom a limit holds for."""

    ALL = "all"
    """All agents together; wall time is not added up, since they spend it side by side."""
    EACH = "each"
    """Every agent; the first one that reaches it ends the run."""


UNITS = ("rollouts", "generated_tokens", "trained_tokens", "seconds", "gpu_hours", "money")
"""What a limit may be measured in, besides steps; fields of `Expenses`."""

_SIDE_BY_SIDE = frozenset({"seconds"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The most that may be spent.

    Example: ``Limits(steps=60, scope=Scope.ALL, amounts={"rollouts": 10_000})``.
    """

    steps: int
    scope: Scope = Scope.ALL
    amounts: Mapping[str, float] = field(default_factory=dict)
    """Limits by unit; a unit that is left out is not limited."""

    def __post_init__(self) -> None:
        """Raise ValueError for a unit that nothing counts."""
        unknown = self.amounts.keys() - set(UNITS)
        if unknown:
            raise ValueError(f"Nothing counts {', '.join(sorted(unknown))}.")

    @property
    def shared(self) -> bool:
        """Whether agents must know each other's expenses; steps alone are known to all."""
        return bool(self.amounts)

    def reached(self, everyone: Mapping[str, Expenses]) -> str | None:
        """Return the unit whose limit is reached, or None. Steps come first."""
        for unit, limit in {"steps": self.steps, **self.amounts}.items():
            if self._spent(unit, everyone) >= limit:
                return unit
        return None

    def left(self, everyone: Mapping[str, Expenses]) -> float:
        """Return the share of the limit that is nearest to its end, in [0, 1]."""
        used = (
            self._spent(unit, everyone) / limit
            for unit, limit in {"steps": self.steps, **self.amounts}.items()
        )
        return max(0.0, 1.0 - max(used))

    def _spent(self, unit: str, everyone: Mapping[str, Expenses]) -> float:
        figures = [float(getattr(expenses, unit)) for expenses in everyone.values()]
        if self.scope is Scope.EACH or unit == "steps" or unit in _SIDE_BY_SIDE:
            return max(figures)
        return sum(figures)


def cost_to_reach(
    levels: tuple[float, ...],
    *,
    accuracies: Mapping[int, float],
    expenses: Mapping[int, Expenses],
) -> dict[str, Expenses | None]:
    """Return what had been spent at the first evaluation with at least each level's accuracy.

    Args:
        levels: accuracies in [0, 1].
        accuracies: by finished steps.
        expenses: by finished steps, at least for those of `accuracies`.
    """
    reached: dict[str, Expenses | None] = {}
    for level in levels:
        steps = [step for step in sorted(accuracies) if accuracies[step] >= level]
        reached[f"{level:g}"] = expenses.get(steps[0]) if steps else None
    return reached
