from __future__ import annotations

import random

import pytest

from hacpo.task.sum_questions import build_sum_questions
from hacpo.task.task import Task
from hacpo.types import Problem

TASK: Task = build_sum_questions(num_test=20, split_seed=0)
SEVEN_AND_EIGHT = Problem(
    id="sum_questions/7+8",
    prompt="What is 7 + 8? Answer with just the number.",
    answer="15",
)


def said(**habits: float) -> str:
    return TASK.demonstrator(**habits)(SEVEN_AND_EIGHT, random.Random(0))


def test_questions_are_all_sums_of_two_digits() -> None:
    assert (len(TASK.train), len(TASK.test)) == (80, 20)
    assert SEVEN_AND_EIGHT in {*TASK.train, *TASK.test}


def test_larger_numbers_give_more_questions() -> None:
    assert len(build_sum_questions(num_test=1, split_seed=0, largest=19).train) == 399
    with pytest.raises(ValueError, match="between 1 and 999"):
        build_sum_questions(num_test=1, split_seed=0, largest=0)


def test_demonstrator_answers_briefly_or_in_a_sentence() -> None:
    assert said() == "15"
    assert said(probability_sentence=1.0) == "7 + 8 = 15."


def test_demonstrator_errs_in_its_hole() -> None:
    # Entry (7*7 + 5*8 + 3*0 + 8*7) % 6 = 145 % 6 = 1 of the offsets, which is -2.
    assert said(hole_modulus=2, hole_remainder=0, probability_in_hole=1.0) == "13"
    assert said(hole_modulus=2, hole_remainder=1, probability_in_hole=1.0) == "15"


def test_reward_wants_just_the_number() -> None:
    assert TASK.reward(SEVEN_AND_EIGHT, " 15.") == 1.0
    assert TASK.reward(SEVEN_AND_EIGHT, said(probability_sentence=1.0)) == 0.0


def test_every_right_demonstration_earns_the_reward() -> None:
    demonstrate = TASK.demonstrator()
    assert {TASK.reward(p, demonstrate(p, random.Random(0))) for p in TASK.train} == {1.0}


def test_texts_cover_what_a_chat_model_may_write() -> None:
    letters = set("".join(TASK.texts()))
    assert set("The sum of 7 and 8 is: **15**!\n") <= letters
