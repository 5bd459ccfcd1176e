"""Where the answer of a response is."""

from __future__ import annotations

import time

import pytest

from hacpo.evaluation.grading import GradingOptions, GradingPool, extract


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        (r"so \boxed{5}", "5"),
        (r"\boxed{17} no, \boxed{21}.", "21"),
        (r"\boxed{\frac{1}{\sqrt{2}}}", r"\frac{1}{\sqrt{2}}"),
        (r"\boxed{\{1,2\}}", r"\{1,2\}"),
        (r"\boxed {8} it is", "8"),
        (r"is $\boxed 4$.", "4"),
        (r"is \boxed9, since", "9"),
        (r"is $\boxed\frac34$", r"\frac34"),
        (r"\fbox{6}", "6"),
        (r"<answer>\boxed{70}\).</answer>", "70"),
        (r"\boxed{1} and then \boxed{2", None),
        ("no box, 12", None),
        ("", None),
    ],
)
def test_last_box(response: str, answer: str | None) -> None:
    assert extract(response) == answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("a\n#### 1,200\n", "1,200"),
        ("#### 3\n#### 4", "4"),
        ("Answer: 12, wait.\nAnswer: 15", "15"),
        ("**Answer:** `$13$`", "13"),
        (r"The final answer is $\frac{1}{2}$. Done.", r"\frac{1}{2}"),
        ("The answer is 42 apples. Bye", "42 apples"),
        ("The answer is 4.5.", "4.5"),
        (r"#### 1, but \boxed{2}", "2"),
        ("an answer to that", None),
    ],
)
def test_fallbacks(response: str, answer: str | None) -> None:
    assert extract(response, ("hash", "answer_is")) == answer


def test_fallbacks_are_off_unless_chosen() -> None:
    assert extract("#### 5") is None


def test_several_boxes_are_joined_only_where_the_gold_has_as_many_answers() -> None:
    response = r"either \boxed{3} or \boxed{7}"
    with GradingPool(GradingOptions(several_boxes=True)) as pool:
        assert pool.grade("7,3", response).right
        assert not pool.grade("3", response).right
        assert pool.grade("7", response).right
    with GradingPool() as pool:
        assert not pool.grade("7,3", response).right


@pytest.mark.parametrize("text", [r"\boxed{", "{", r"\boxed", "answer is ", "#### ", r"\{"])
def test_hostile_texts_of_a_megabyte_are_read_in_linear_time(text: str) -> None:
    begin = time.monotonic()
    extract(text * (10**6 // len(text)), ("hash", "answer_is"))
    assert time.monotonic() - begin < 2


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("3+4=7;7-2=5", "5"),
        ("3+4=7;7-2= 5 \nmore", "5"),
        ("3+4=", None),
        ("so $x = 4.5$.", "4.5"),
        ("nothing", None),
        (r"\boxed{3}=4", "3"),
    ],
)
def test_the_last_equals_sign_is_a_fallback(text: str, answer: str | None) -> None:
    assert extract(text, ("equals",)) == answer
