from __future__ import annotations

from typing import Any

import pytest

from hacpo.task.arithmetic import ArithmeticHabits
from hacpo.task.habits import read_habits


def test_default_habits_are_perfect() -> None:
    assert read_habits(ArithmeticHabits, {}) == ArithmeticHabits()


def test_unknown_argument_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="did you mean 'probability_in_hole'"):
        read_habits(ArithmeticHabits, {"probability_hole": 0.9})


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"probability_in_hole": 1.5}, "between 0 and 1"),
        ({"carry_forgotten": -0.1}, "between 0 and 1"),
        ({"borrow_off_by_one": float("nan")}, "between 0 and 1"),
        ({"probability_elsewhere": "often"}, "is a number"),
        ({"probability_elsewhere": None}, "is a number"),
        ({"hole_modulus": 0}, "at least 1"),
        ({"hole_modulus": 2.0}, "a whole number"),
        ({"hole_modulus": True}, "a whole number"),
        ({"hole_modulus": 2, "hole_remainder": 2}, "one of 0 to 1"),
        ({"hole_remainder": 1}, "one of 0 to 0"),
    ],
)
def test_values_out_of_range_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_habits(ArithmeticHabits, arguments)
