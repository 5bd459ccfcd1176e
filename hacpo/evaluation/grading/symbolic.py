"""Computer algebra as the last resort. Only worker processes call this: nothing here has limits."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import lru_cache
from math import floor, isfinite, log10
from typing import Any

from math_verify import LatexExtractionConfig, parse, verify

SIGNIFICANT_DIGITS = 6
"""Digits in which two irrational numbers, or an irrational one and a decimal, must agree."""

# Units are dealt with before: math-verify's own removal eats variables that are named like units.
_NORMALIZATION = replace(
    LatexExtractionConfig().normalization_config, units=False, boxed="last", equations=False
)
_EXTRACTION = LatexExtractionConfig(boxed_match_priority=0, normalization_config=_NORMALIZATION)


@lru_cache(maxsize=512)  # a group of completions is compared with one gold
def read_latex(latex: str) -> Any | None:
    """Return a sympy object for all of a LaTeX text; None where that fails.

    The box makes math-verify read the whole text. Without its fallbacks it can neither pick a
    number from the inside of what it cannot parse, nor compare as a string.
    """
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    found = parse(
        rf"\boxed{{{latex}}}",
        extraction_config=[_EXTRACTION],
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=None,
    )
    return found[0] if found and not isinstance(found[0], str) else None


def magnitude(value: Any) -> float | None:
    """Return the absolute value of a number; None for what is no finite number."""
    try:
        size = abs(complex(value.evalf(20)))
    except (TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return None
    return size if isfinite(size) else None


def decimal_places(gold: Any) -> int:
    """Return the places after the point that hold `SIGNIFICANT_DIGITS` digits of a small gold."""
    size = magnitude(gold)
    if not size or size >= 1:
        return SIGNIFICANT_DIGITS
    return SIGNIFICANT_DIGITS - 1 - floor(log10(size))


def far_apart(gold: Any, answer: Any) -> bool:
    """Say whether two numbers differ in their digits, however small both are.

    math-verify takes a small difference for none, and so any two tiny numbers for equal.
    """
    sizes = magnitude(gold), magnitude(answer)
    if sizes[0] is None or sizes[1] is None or max(sizes[0], sizes[1]) >= 1e-3:
        return False
    try:
        difference = abs(complex(gold.evalf(20)) - complex(answer.evalf(20)))
    except (TypeError, ValueError, AttributeError, OverflowError):
        return False
    return difference > max(sizes[0], sizes[1]) * 10.0**-SIGNIFICANT_DIGITS


def same_by_algebra(gold: str, answer: str) -> bool | None:
    """Say whether two LaTeX texts mean the same; None where one of them has no meaning."""
    wanted, given = read_latex(gold), read_latex(answer)
    if wanted is None or given is None:
        return None
    same = verify(
        wanted,
        given,
        float_rounding=decimal_places(wanted),
        allow_set_relation_comp=True,
        timeout_seconds=None,
    )
    return same and not far_apart(wanted, given)
