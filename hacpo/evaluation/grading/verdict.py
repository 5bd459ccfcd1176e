"""What grading says about one answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Way = Literal[
    "string",  # the same text after normalisation
    "number",  # exact arithmetic, with units, bases and times of day
    "structure",  # tuples, sets, intervals and lists of such parts
    "math_verify",  # both sides parsed by math-verify
    "unparsed",  # a side has no meaning that can be compared, and the texts differ
    "no_answer",  # the response holds no box and none of the fallbacks
    "no_gold",  # an empty gold: nothing is right
    "timeout",  # the worker was killed at its limit
    "crashed",  # the worker died, or ran out of memory
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Whether two answers are the same, and how that was found."""

    right: bool
    way: Way


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """Whether a response is right, and how that was found."""

    right: bool
    way: Way
    answer: str | None
    """The answer that was taken from the response; None where there is none."""


Symbolic = Callable[[str, str], bool | None]
"""Compares gold and answer, both LaTeX, by computer algebra; None where a side is not parsed."""
