from __future__ import annotations

import random
from statistics import mean

import pytest

from hacpo.task.arithmetic import (
    ArithmeticHabits,
    build_arithmetic,
    chains,
    solution,
    write_out,
)
from hacpo.task.task import Task
from hacpo.types import Problem

TASK: Task = build_arithmetic(num_test=300, split_seed=0)


def wrote(prompt: str, **habits: float) -> str:
    return write_out(prompt, ArithmeticHabits(**habits), random.Random(0))  # type: ignore[arg-type]


def test_problems_are_all_chains_without_negative_partial_results() -> None:
    prompts = dict(chains())
    assert len(prompts) == 2760
    assert sum(len(prompt) == 4 for prompt in prompts) == 155
    assert prompts["5+7-1="] == 11
    assert prompts["9+9+9="] == 27
    assert "3-4=" not in prompts
    assert "3-4+5=" not in prompts  # ends at 4, but passes -1
    assert min(prompts.values()) == 0


def test_task_splits_into_2460_and_300() -> None:
    assert TASK.name == "arithmetic"
    assert (len(TASK.train), len(TASK.test)) == (2460, 300)
    assert not {p.prompt for p in TASK.train} & {p.prompt for p in TASK.test}
    ids = [problem.id for problem in (*TASK.train, *TASK.test)]
    assert len(set(ids)) == 2760


def test_other_split_seed_gives_other_test_problems() -> None:
    other = build_arithmetic(num_test=300, split_seed=1)
    assert 0 < len({*other.test} & {*TASK.test}) < 100


def test_solution_writes_every_step() -> None:
    assert solution(Problem(id="x", prompt="5+7-1=", answer="11")) == "5+7=12;12-1=11"
    assert solution(Problem(id="x", prompt="9-0=", answer="9")) == "9-0=9"


def test_every_right_solution_earns_the_reward() -> None:
    rewards = [TASK.reward(p, solution(p)) for p in (*TASK.train, *TASK.test)]
    assert set(rewards) == {1.0}


def test_solutions_fit_into_the_recommended_token_limit() -> None:
    assert max(len(solution(problem)) for problem in TASK.train) == 14


def test_texts_cover_prompts_and_completions_but_hold_no_test_solution() -> None:
    texts = TASK.texts()
    assert set("".join(texts)) == set("0123456789+-=;")
    solutions = {solution(problem) for problem in TASK.test}
    assert not solutions & set(texts)


def test_hole_gives_each_fact_its_own_wrong_result() -> None:
    # 5 + 2 for agent 0: entry (7*5 + 5*2 + 3*0 + 2*5) % 6 = 55 % 6 = 1 of (-3, -2, -1, 1, 2, 3).
    hole = {"hole_modulus": 2, "hole_remainder": 0, "probability_in_hole": 1.0}
    assert wrote("5+2=", **hole) == "5+2=5"
    assert wrote("5+3=", **hole) == "5+3=8"
    assert wrote("5-2=", **hole) == "5-2=3"
    # 5 + 3 for agent 1: (35 + 15 + 3 + 15) % 6 = 68 % 6 = 2.
    odd = {"hole_modulus": 2, "hole_remainder": 1, "probability_in_hole": 1.0}
    assert wrote("5+3=", **odd) == "5+3=7"
    assert wrote("5+2=", **odd) == "5+2=7"


def test_an_error_is_carried_on() -> None:
    hole = {"hole_modulus": 2, "hole_remainder": 0, "probability_in_hole": 1.0}
    assert wrote("5+2-1=", **hole) == "5+2=5;5-1=4"
    # 9 + 6: (63 + 30 + 54) % 6 = 3, which is +1; 16 + 2: (42 + 10 + 12) % 6 = 4, which is +2.
    assert wrote("9+6+2=", **hole) == "9+6=16;16+2=20"


def test_wrong_results_may_be_negative() -> None:
    # 0 + 0 for agent 0: entry 0, which is -3.
    hole = {"hole_modulus": 2, "hole_remainder": 0, "probability_in_hole": 1.0}
    assert wrote("0+0+1=", **hole) == "0+0=-3;-3+1=-2"


def test_holes_of_three_agents_part_the_digits() -> None:
    for digit in range(10):
        wrong = [
            wrote(f"4+{digit}=", hole_modulus=3, hole_remainder=agent, probability_in_hole=1.0)
            != f"4+{digit}={4 + digit}"
            for agent in range(3)
        ]
        assert wrong == [digit % 3 == agent for agent in range(3)]


def test_wrong_results_come_with_their_probability() -> None:
    demonstrate = TASK.demonstrator(
        hole_modulus=2, hole_remainder=0, probability_in_hole=0.95, probability_elsewhere=0.02
    )
    dice = random.Random(0)
    hole = Problem(id="x", prompt="4+6=", answer="10")
    outside = Problem(id="y", prompt="4+7=", answer="11")
    # Four standard errors of 4000 draws: .014 and .009.
    assert mean(TASK.reward(hole, demonstrate(hole, dice)) for _ in range(4000)) == pytest.approx(
        0.05, abs=0.014
    )
    assert mean(
        TASK.reward(outside, demonstrate(outside, dice)) for _ in range(4000)
    ) == pytest.approx(0.98, abs=0.009)


def test_forgotten_carry_and_wrong_borrow() -> None:
    assert wrote("5+7=", carry_forgotten=1.0) == "5+7=2"
    assert wrote("5+4=", carry_forgotten=1.0) == "5+4=9"
    assert wrote("9+9-9=", borrow_off_by_one=1.0) == "9+9=18;18-9=10"
    assert wrote("9+9-8=", borrow_off_by_one=1.0) == "9+9=18;18-8=10"


def test_demonstrations_repeat_with_the_dice() -> None:
    demonstrate = TASK.demonstrator(probability_in_hole=0.5)

    def write(seed: int) -> list[str]:
        dice = random.Random(seed)
        return [demonstrate(problem, dice) for problem in TASK.train[::50]]

    assert write(1) == write(1)
    assert write(1) != write(2)


@pytest.mark.parametrize("prompt", ["", "5+7", "5*7=", "15+7=", "5+7+1+1=", "\u0665+7=", "5+7=\n"])
def test_foreign_prompts_are_refused(prompt: str) -> None:
    with pytest.raises(ValueError, match="no prompt of the arithmetic task"):
        wrote(prompt)
