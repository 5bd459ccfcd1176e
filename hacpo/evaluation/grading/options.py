"""How strictly a benchmark wants its answers compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

Units = Literal["optional", "required"]
Percent = Literal["either", "sign_optional", "value"]
Fallback = Literal["hash", "answer_is", "equals"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GradingOptions:
    """Choices of one benchmark; the defaults suit MATH.

    Raises `ValueError` for a negative tolerance, an unknown word, or no room for an answer.
    """

    fallbacks: tuple[Fallback, ...] = ()
    """Where to look in a response without a box, in this order: the last `####`, "answer is", the
    last `=`."""
    several_boxes: bool = False
    """Whether a gold of n answers may be given in the last n boxes instead of in one."""
    ordered: bool = False
    """Whether the order of several answers, as in `1,2`, counts. In tuples it always does."""
    inequalities: bool = True
    """Whether `-2<x<7` and `(-2,7)` are the same answer, whichever of them is the gold."""
    units: Units = "optional"
    """Whether a unit of the gold may be missing. A different known unit is always wrong."""
    percent: Percent = "either"
    """What `17%` equals besides itself: 17 and 0.17, only 17, or only 0.17."""
    relative_tolerance: float = 0.0
    """Accepted distance from a numeric gold, as a share of it."""
    absolute_tolerance: float = 0.0
    """Accepted distance from a numeric gold."""
    tolerance_of: Mapping[str, float] = field(default_factory=dict)
    """Absolute tolerance of single golds, by their text."""
    round_to_gold: bool = False
    """Whether an answer counts as equal when it rounds to a decimal gold at the gold's digits."""
    max_answer_chars: int = 2000
    """Longer answers are right only if they are the gold's very text. Golds have up to 400."""

    def __post_init__(self) -> None:
        if min(self.relative_tolerance, self.absolute_tolerance, *self.tolerance_of.values()) < 0:
            raise ValueError("A tolerance of grading is a distance and cannot be negative.")
        if self.max_answer_chars < 1:
            raise ValueError("max_answer_chars must leave room for an answer, so at least 1.")
        if self.units not in ("optional", "required"):
            raise ValueError(f"units is 'optional' or 'required', not {self.units!r}.")
        if self.percent not in ("either", "sign_optional", "value"):
            raise ValueError(
                f"percent is 'either', 'sign_optional' or 'value', not {self.percent!r}."
            )
        if unknown := set(self.fallbacks) - set(get_args(Fallback)):
            raise ValueError(
                f"A fallback is 'hash', 'answer_is' or 'equals', not {sorted(unknown)}."
            )

    def for_gold(self, gold: str) -> GradingOptions:
        """Return the options with which answers to one gold are compared."""
        own = self.tolerance_of.get(gold)
        return self if own is None else replace(self, absolute_tolerance=own, tolerance_of={})
