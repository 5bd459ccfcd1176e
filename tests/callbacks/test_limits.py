"""When a budget is spent: hand figures for every unit and scope."""

from __future__ import annotations

import pytest

from hacpo.callbacks.limits import UNITS, Limits, Scope, cost_to_reach
from hacpo.types import Expenses

A = Expenses(
    steps=3,
    rollouts=30,
    generated_tokens=300,
    trained_tokens=600,
    seconds=9.0,
    gpu_hours=0.5,
    money=1.0,
)
B = Expenses(
    steps=3,
    rollouts=20,
    generated_tokens=100,
    trained_tokens=800,
    seconds=10.0,
    gpu_hours=0.25,
    money=0.5,
)
BOTH = {"a": A, "b": B}
TOGETHER = {
    "rollouts": 50,
    "generated_tokens": 400,
    "trained_tokens": 1400,
    "seconds": 10.0,
    "gpu_hours": 0.75,
    "money": 1.5,
}
LARGEST = {
    "rollouts": 30,
    "generated_tokens": 300,
    "trained_tokens": 800,
    "seconds": 10.0,
    "gpu_hours": 0.5,
    "money": 1.0,
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("scope", "spent"), [(Scope.ALL, TOGETHER), (Scope.EACH, LARGEST)])
def test_a_limit_is_reached_when_exactly_spent(
    unit: str, scope: Scope, spent: dict[str, float]
) -> None:
    def reached(limit: float) -> str | None:
        return Limits(steps=9, scope=scope, amounts={unit: limit}).reached(BOTH)

    assert reached(spent[unit]) == unit
    assert reached(spent[unit] * 1.001) is None


def test_steps_are_never_added_up_and_come_first() -> None:
    assert Limits(steps=4).reached(BOTH) is None
    assert Limits(steps=3, amounts={"rollouts": 1}).reached(BOTH) == "steps"


def test_what_is_left_is_that_of_the_limit_that_ends_first() -> None:
    # 3 of 6 steps leave 1/2; 50 of 200 rollouts leave 3/4; 10 s of 12.5 s leave 1/5.
    limits = Limits(steps=6, amounts={"rollouts": 200, "seconds": 12.5})
    assert limits.left(BOTH) == pytest.approx(0.2)
    assert Limits(steps=2).left(BOTH) == 0.0


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="Nothing counts joules"):
        Limits(steps=1, amounts={"joules": 1.0})


def test_cost_to_reach_is_that_of_the_first_time() -> None:
    expenses = {step: Expenses(steps=step, rollouts=10 * step) for step in range(7)}
    found = cost_to_reach(
        (0.5, 0.75, 0.9), accuracies={0: 0.3, 2: 0.6, 4: 0.4, 6: 0.8}, expenses=expenses
    )
    assert found == {"0.5": expenses[2], "0.75": expenses[6], "0.9": None}
