from __future__ import annotations

import pytest

from hacpo.task.task import split_problems
from hacpo.types import Problem

PROBLEMS = [Problem(id=str(number), prompt=f"{number}=", answer="0") for number in range(20)]


def test_split_parts_the_problems_and_keeps_their_order() -> None:
    train, test = split_problems(PROBLEMS, num_test=6, split_seed=3)
    assert len(test) == 6
    assert sorted([*train, *test], key=lambda problem: int(problem.id)) == PROBLEMS
    assert [int(problem.id) for problem in train] == sorted(int(problem.id) for problem in train)


def test_split_depends_on_its_seed_only() -> None:
    first = split_problems(PROBLEMS, num_test=6, split_seed=3)
    assert split_problems(PROBLEMS, num_test=6, split_seed=3) == first
    assert split_problems(PROBLEMS, num_test=6, split_seed=4) != first


def test_without_test_problems_everything_is_trained_on() -> None:
    assert split_problems(PROBLEMS, num_test=0, split_seed=0) == (tuple(PROBLEMS), ())


@pytest.mark.parametrize("num_test", [-1, 20, 21])
def test_split_leaves_something_to_train_on(num_test: int) -> None:
    with pytest.raises(ValueError, match="the task has 20 problems"):
        split_problems(PROBLEMS, num_test=num_test, split_seed=0)
