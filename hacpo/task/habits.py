"""Habits of imperfect demonstrators: the numbers that say what goes wrong, and how often."""

from __future__ import annotations

import difflib
import random
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TypeVar

WRONG_OFFSETS = (-3, -2, -1, 1, 2, 3)
"""By how much a wrong sum is wrong. Zero is not among them."""

HabitsT = TypeVar("HabitsT", bound="HoleHabits")


@dataclass(frozen=True, kw_only=True, slots=True)
class HoleHabits:
    """A hole: additions that a demonstrator gets wrong. Nothing is wrong by default.

    With modulus n and remainder i for agent i, the holes of n agents are disjoint and cover every
    added number, so each agent lacks something that all the others know.
    """

    hole_modulus: int = 1
    hole_remainder: int = 0
    """Additions of a number b with b % hole_modulus == hole_remainder are the hole."""
    probability_in_hole: float = 0.0
    """Chance that an addition in the hole comes out wrong, by the fixed offset of that fact."""
    probability_elsewhere: float = 0.0
    """The same for other additions."""

    def __post_init__(self) -> None:
        """Check types and ranges; every float is a probability."""
        for field in fields(self):
            _check_number(field.name, getattr(self, field.name), whole=field.type == "int")
        if self.hole_modulus < 1:
            raise ValueError(f"hole_modulus is at least 1, got {self.hole_modulus}")
        if not 0 <= self.hole_remainder < self.hole_modulus:
            raise ValueError(
                f"hole_remainder is one of 0 to {self.hole_modulus - 1} "
                f"when hole_modulus is {self.hole_modulus}, got {self.hole_remainder}"
            )

    def add(self, total: int, added: int, dice: random.Random) -> int:
        """Return what the demonstrator makes of `total + added`."""
        in_hole = added % self.hole_modulus == self.hole_remainder
        wrong = self.probability_in_hole if in_hole else self.probability_elsewhere
        offset = self.wrong_offset(total, added) if dice.random() < wrong else 0
        return total + added + offset

    def wrong_offset(self, total: int, added: int) -> int:
        """Return the fixed error of the fact `total + added`: a habit, not noise.

        It depends on the last digit of the running total, on the added number and on whose hole it
        is, so agents do not share their errors.
        """
        last = total % 10
        place = 7 * last + 5 * added + 3 * self.hole_remainder + added * last
        return WRONG_OFFSETS[place % len(WRONG_OFFSETS)]


def read_habits(kind: type[HabitsT], arguments: Mapping[str, float]) -> HabitsT:
    """Return habits of this kind, filled with arguments.

    Raises:
        ValueError: for an unknown name (with the nearest known one) or a value out of range.
    """
    known = [field.name for field in fields(kind)]
    for name in arguments:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
            raise ValueError(
                f"the demonstrator has no argument {name!r}; did you mean {nearest!r}? "
                f"It takes {', '.join(known)}"
            )
    return kind(**arguments)  # type: ignore[arg-type]  # __post_init__ checks the types


def _check_number(name: str, value: object, *, whole: bool) -> None:
    """Raise ValueError unless the value is a whole number, or a probability."""
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        expected = "a whole number" if whole else "a number"
        raise ValueError(f"the demonstrator's {name} is {expected}, got {value!r}")
    if not whole and not 0.0 <= value <= 1.0:
        raise ValueError(f"the demonstrator's {name} is a probability between 0 and 1, got {value}")
