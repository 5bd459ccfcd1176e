from __future__ import annotations

import time

import pytest

from hacpo.task.reward import after_last_equals, just_the_answer


@pytest.mark.parametrize(
    "completion, reward",
    [
        ("5+7=12;12-1=11", 1.0),
        ("=11", 1.0),
        ("5+7=13;13-2=11", 1.0),  # only the last result is looked at
        ("5+7=12;12-1=11 ", 0.0),
        ("5+7=12;12-1=011", 0.0),
        ("5+7=12;12-1=11.0", 0.0),
        ("5+7=12;12-1=+11", 0.0),
        ("5+7=12;12-1=11;", 0.0),
        ("5+7=12;12-1=11=", 0.0),
        ("5+7=12;12-1=10", 0.0),
        ("11", 0.0),
        ("", 0.0),
        ("=\u0661\u0661", 0.0),  # digits, but not ours
    ],
)
def test_after_last_equals(completion: str, reward: float) -> None:
    assert after_last_equals("11", completion) == reward


def test_empty_answer_still_needs_an_equals_sign() -> None:
    assert after_last_equals("", "11") == 0.0


@pytest.mark.parametrize(
    "completion, reward",
    [
        ("15", 1.0),
        (" 15\n", 1.0),
        ("15.", 1.0),
        ("\t15. \n", 1.0),
        ("15..", 0.0),
        ("15 .", 0.0),
        ("15.0", 0.0),
        ("+15", 0.0),
        ("1 5", 0.0),
        ("7 + 8 = 15", 0.0),
        ("15 apples", 0.0),
        ("", 0.0),
    ],
)
def test_just_the_answer(completion: str, reward: float) -> None:
    assert just_the_answer("15", completion) == reward


@pytest.mark.parametrize(
    "hostile",
    [
        "=" + "9" * 1_000_000,  # int() refuses more than 4300 digits
        "9" * 1_000_000,
        "=" * 1_000_000,
        " " * 1_000_000 + "." * 1_000_000,
        "=__import__('os').system('false')",
        "=\x00\ud800\U0010ffff",
        "=nan",
    ],
)
def test_hostile_text_is_wrong_at_once(hostile: str) -> None:
    started = time.perf_counter()
    assert after_last_equals("11", hostile) == 0.0
    assert just_the_answer("11", hostile) == 0.0
    assert time.perf_counter() - started < 1.0
