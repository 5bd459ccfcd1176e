"""Whether two numbers are the same answer."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.quantity import Quantity, known_unit


def _rounded(value: Fraction, decimals: int) -> set[Fraction]:
    """Return a value at the digits of another one; both neighbours when it lies in the middle."""
    unit = Fraction(10) ** decimals
    steps = value / unit
    below = steps.numerator // steps.denominator
    distance = steps - below
    nearest = {below} if distance < Fraction(1, 2) else {below + 1}
    if distance == Fraction(1, 2):
        nearest = {below, below + 1}
    return {step * unit for step in nearest}


def _close(gold: Fraction, answer: Fraction, decimals: int | None, options: GradingOptions) -> bool:
    allowed = Fraction(options.relative_tolerance) * abs(gold)
    allowed = max(allowed, Fraction(options.absolute_tolerance))
    if abs(gold - answer) <= allowed:
        return True
    rounds = options.round_to_gold and decimals is not None and abs(decimals) < 1000
    return rounds and decimals is not None and gold in _rounded(answer, decimals)


def _readings(quantity: Quantity, options: GradingOptions) -> list[Fraction]:
    """Return the values that a number may stand for: with a percent sign there are two."""
    if not quantity.percent:
        return [quantity.value]
    as_value, as_sign = quantity.value / 100, quantity.value
    return {
        "either": [as_sign, as_value],
        "sign_optional": [as_sign],
        "value": [as_value],
    }[options.percent]


def _units_agree(gold: Quantity, answer: Quantity, options: GradingOptions) -> bool:
    if gold.unit == answer.unit:
        return True
    if not answer.unit:
        return options.units == "optional"
    if not gold.unit:
        return True
    return not (known_unit(gold.unit) and known_unit(answer.unit)) and options.units == "optional"


def same_quantity(gold: Quantity, answer: Quantity, options: GradingOptions) -> bool:
    """Say whether an answer is the gold.

    Bases and times of day compare with their like only: `12_5` is neither 12 nor `12_7`, and it
    is not 7 either, since who asks for base five wants to read it.
    """
    if gold.kind != answer.kind:
        return False
    if gold.kind != "number":
        return gold.value == answer.value and gold.unit == answer.unit
    if not _units_agree(gold, answer, options):
        return False
    if gold.percent and answer.percent:
        return _close(gold.value, answer.value, gold.decimals, options)
    return any(
        _close(wanted, given, *_strictness(wanted, gold, options))
        for wanted in _readings(gold, options)
        for given in _readings(answer, options)
    )


def _strictness(
    wanted: Fraction, gold: Quantity, options: GradingOptions
) -> tuple[int | None, GradingOptions]:
    """Return the digits and the tolerance of one reading: those of the gold as it is written."""
    if wanted == gold.value:
        return gold.decimals, options
    return None, replace(options, absolute_tolerance=options.absolute_tolerance / 100)
