from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hacpo.task.sampling import step_indices, step_problems
from hacpo.types import Problem

EXPECTED = [0, 2, 1, 4, 6, 7, 3, 5]


def stream(num_problems: int, prompts_per_step: int, *, steps: int, seed: int = 0) -> list[int]:
    chosen = (
        step_indices(num_problems, seed=seed, step=step, prompts_per_step=prompts_per_step)
        for step in range(steps)
    )
    return list(chain.from_iterable(chosen))


@given(st.integers(1, 12), st.data())
def test_each_problem_comes_once_an_epoch(num_problems: int, data: st.DataObject) -> None:
    prompts_per_step = data.draw(st.integers(1, num_problems))
    epochs = 3
    steps = -(-epochs * num_problems // prompts_per_step)
    indices = stream(num_problems, prompts_per_step, steps=steps, seed=data.draw(st.integers(0, 3)))
    for epoch in range(epochs):
        part = indices[epoch * num_problems : (epoch + 1) * num_problems]
        assert sorted(part) == list(range(num_problems))


@given(st.integers(1, 12), st.data())
def test_no_step_holds_a_problem_twice(num_problems: int, data: st.DataObject) -> None:
    prompts_per_step = data.draw(st.integers(1, num_problems))
    for step in range(4 * num_problems):
        chosen = step_indices(num_problems, seed=0, step=step, prompts_per_step=prompts_per_step)
        assert len(set(chosen)) == prompts_per_step


def test_a_step_runs_over_the_end_of_an_epoch() -> None:
    counts = Counter(stream(10, 4, steps=5))  # 20 places, two whole epochs
    assert set(counts.values()) == {2}
    third = step_indices(10, seed=0, step=2, prompts_per_step=4)
    assert len(third) == 4


def test_any_step_can_be_asked_for_alone() -> None:
    """A resumed run asks for step 37 first."""
    alone = step_indices(10, seed=1, step=37, prompts_per_step=4)
    assert stream(10, 4, steps=38, seed=1)[-4:] == list(alone)


def test_seeds_and_epochs_shuffle_anew() -> None:
    assert stream(50, 50, steps=1, seed=0) != stream(50, 50, steps=1, seed=1)
    both = stream(50, 50, steps=2)
    assert both[:50] != both[50:]


def test_order_is_the_same_in_every_version() -> None:
    """A changed order would make old runs impossible to repeat."""
    assert stream(8, 8, steps=1, seed=0) == EXPECTED


def test_problems_follow_the_indices() -> None:
    problems = [Problem(id=str(number), prompt="", answer="") for number in range(8)]
    chosen = step_problems(problems, seed=0, step=0, prompts_per_step=8)
    assert [problem.id for problem in chosen] == [str(index) for index in EXPECTED]


@pytest.mark.parametrize("prompts_per_step", [0, 9])
def test_a_step_holds_between_one_and_all_problems(prompts_per_step: int) -> None:
    with pytest.raises(ValueError, match="8 training problems"):
        step_indices(8, seed=0, step=0, prompts_per_step=prompts_per_step)


def test_steps_are_not_negative() -> None:
    with pytest.raises(ValueError, match="step is at least 0"):
        step_indices(8, seed=0, step=-1, prompts_per_step=2)
