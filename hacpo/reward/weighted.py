"""The weighted sum of named parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hacpo.reward.part import RewardPart
from hacpo.types import Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class GradedTexts:
    """Rewards of some completions, and what they are made of."""

    rewards: tuple[float, ...]
    parts: Mapping[str, tuple[float, ...]]
    """By part, before its weight; 0 where a completion could not be graded."""
    rejected: tuple[bool, ...]
    """True where at least one part could not grade the completion."""


class WeightedReward:
    """Rewards completions by the sum of weight times value over its parts."""

    def __init__(self, parts: Mapping[str, tuple[float, RewardPart]]) -> None:
        """Take (weight, part) by name.

        Raises:
            ValueError: there is no part.
        """
        if not parts:
            raise ValueError("a reward needs at least one part")
        self._parts = dict(parts)

    def grade(self, problems: Sequence[Problem], texts: Sequence[str]) -> GradedTexts:
        """Return the rewards of pairs of problem and completion, in their order."""
        found = {name: part.grade(problems, texts) for name, (_, part) in self._parts.items()}
        values = {
            name: tuple(0.0 if value is None else value for value in column)
            for name, column in found.items()
        }
        return GradedTexts(
            rewards=tuple(
                sum(weight * values[name][place] for name, (weight, _) in self._parts.items())
                for place in range(len(texts))
            ),
            parts=values,
            rejected=tuple(
                any(column[place] is None for column in found.values())
                for place in range(len(texts))
            ),
        )

    def close(self) -> None:
        """End what the parts started."""
        for _, part in self._parts.values():
            part.close()
