"""Rewards: parts by hand, bad functions of users, and the same verdicts as the grader's."""

from __future__ import annotations

import time

import pytest

from hacpo.evaluation.grading import GradingPool
from hacpo.reward import (
    ExactBoxedReward,
    FunctionReward,
    MathReward,
    RewardPart,
    TaskReward,
    WeightedReward,
)
from hacpo.task.arithmetic import build_arithmetic
from hacpo.types import Problem

HALF = Problem(id="half", prompt="1/2?", answer=r"\frac{1}{2}")


def _grade(part: RewardPart, *texts: str) -> list[float | None]:
    try:
        return part.grade([HALF] * len(texts), list(texts))
    finally:
        part.close()


def test_the_grader_sees_what_the_string_does_not() -> None:
    texts = (r"so \boxed{\frac{1}{2}}", r"so \boxed{0.5}", r"so \boxed{2}", "one half")
    assert _grade(MathReward(), *texts) == [1.0, 1.0, 0.0, 0.0]
    assert _grade(ExactBoxedReward(), *texts) == [1.0, 0.0, 0.0, 0.0]


def test_rewards_are_the_graders_own_verdicts() -> None:
    texts = [rf"\boxed{{{answer}}}" for answer in (r"\sqrt{8}", r"2\sqrt{2}", "2.83", "x", "")]
    gold = Problem(id="root", prompt="", answer=r"2\sqrt2")
    with GradingPool() as pool:
        verdicts = pool.grade_many([(gold.answer, text) for text in texts])
    part = MathReward()
    assert part.grade([gold] * 5, texts) == [float(verdict.right) for verdict in verdicts]
    part.close()
    assert [verdict.right for verdict in verdicts] == [True, True, False, False, False]


def test_options_of_the_grader_are_arguments() -> None:
    assert _grade(MathReward(fallbacks=["answer_is"]), "the answer is 0.5") == [1.0]
    with pytest.raises(ValueError, match="grading has no option fallback"):
        MathReward(fallback=["answer_is"])


def test_a_task_scores_by_itself() -> None:
    task = build_arithmetic(num_test=3, split_seed=0)
    problem = task.train[0]
    part = TaskReward(task=task, time_limit_s=1.0)
    assert part.grade([problem, problem], [f"={problem.answer}", "=?"]) == [1.0, 0.0]


def test_a_function_of_a_user_gets_its_arguments() -> None:
    part = FunctionReward(
        "tests.reward.my_rewards.shortness", arguments={"longest": 4}, time_limit_s=20.0
    )
    assert _grade(part, "", "ab", "abcdef") == [1.0, 0.5, 0.0]


def test_a_bad_call_costs_its_own_completion_only() -> None:
    part = FunctionReward("tests.reward.my_rewards.moody", arguments={}, time_limit_s=1.0)
    start = time.monotonic()
    assert _grade(part, "fine", "raise", "hang", "nan", "die", "fine") == [
        *(1.0, None, None, None, None),
        1.0,
    ]
    assert time.monotonic() - start < 30
    assert part.last_error == "the function ended its process"


def test_the_sum_is_weighted_and_rejections_are_counted() -> None:
    class Known(RewardPart):
        def __init__(self, *values: float | None) -> None:
            self.values = list(values)

        def grade(self, problems: object, texts: object) -> list[float | None]:
            return self.values

    reward = WeightedReward(
        {"right": (1.0, Known(1.0, 0.0, 1.0)), "short": (0.5, Known(1, None, 0))}
    )
    graded = reward.grade([HALF] * 3, ["a", "b", "c"])
    assert graded.rewards == (1.5, 0.0, 1.0)
    assert graded.parts == {"right": (1.0, 0.0, 1.0), "short": (1, 0.0, 0)}
    assert graded.rejected == (False, True, False)
    with pytest.raises(ValueError, match="at least one part"):
        WeightedReward({})
