"""Exact values, and what is no arithmetic."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from hacpo.evaluation.grading.arithmetic import exact_value, is_too_large


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,000", Fraction(1000)),
        ("-.5", Fraction(-1, 2)),
        ("2.", Fraction(2)),
        ("1/2/2", Fraction(1, 4)),
        ("2+3*4", Fraction(14)),
        ("-2^{2}", Fraction(-4)),
        ("(-2)^2", Fraction(4)),
        ("2^{3^2}", Fraction(512)),
        (r"\frac{1}{\frac{1}{3}}", Fraction(3)),
        (r"-1\frac{1}{4}", Fraction(-5, 4)),
        ("1 1/4", Fraction(5, 4)),
        ("3(4)", Fraction(12)),
        ("1.5e-3", Fraction(3, 2000)),
        (r"2 \times 10^{-2}", Fraction(1, 50)),
        ("3!!", Fraction(720)),
    ],
)
def test_values(text: str, value: Fraction) -> None:
    assert exact_value(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "1 2", "1,00", "1/0", "0^{-1}", "(1", "1)", "2^{1/2}", "1..2", "(-1)!", "+"]
)
def test_what_is_no_arithmetic(text: str) -> None:
    assert exact_value(text) is None
    assert not is_too_large(text)


@pytest.mark.parametrize(
    "text",
    ["9^{9^{9^9}}", "9^9^9^9^9", "99999999!", "9!!!", "1e999999999", "1e-99999", "9" * 1500],
)
def test_what_is_too_large_is_refused_at_once(text: str) -> None:
    begin = time.monotonic()
    assert exact_value(text) is None
    assert is_too_large(text)
    assert time.monotonic() - begin < 0.2


@pytest.mark.parametrize("text", ["(" * 5000, "-" * 5000, "1+" * 5000, "{" * 300 + "1" + "}" * 300])
def test_long_and_deep_arithmetic_is_refused(text: str) -> None:
    assert exact_value(text) is None
