"""Which answers are right, and how that is found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hacpo.evaluation.grading import GradingOptions, GradingPool
from tests.evaluation.grading.pairs import RIGHT, WRONG


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(num_workers=1) as pool:
        yield pool


def graded(gold: str, answer: str, **options: object) -> bool:
    with GradingPool(GradingOptions(**options)) as pool:  # type: ignore[arg-type]
        return pool.grade_answer(gold, answer).right


@pytest.mark.parametrize(("gold", "answer"), RIGHT)
def test_right_answers(pool: GradingPool, gold: str, answer: str) -> None:
    assert pool.grade_answer(gold, answer).right


@pytest.mark.parametrize(("gold", "answer"), WRONG)
def test_wrong_answers(pool: GradingPool, gold: str, answer: str) -> None:
    assert not pool.grade_answer(gold, answer).right


@pytest.mark.parametrize("gold", sorted({gold for gold, _ in (*RIGHT, *WRONG)}))
def test_golds_accept_themselves(pool: GradingPool, gold: str) -> None:
    assert pool.accepts_itself(gold)


@pytest.mark.parametrize(
    ("gold", "answer", "way"),
    [
        ("x+1", " x + 1", "string"),
        (r"\frac14", "0.25", "number"),
        ("(1,2)", "(1.0, 2)", "structure"),
        (r"\sqrt{12}", r"2\sqrt{3}", "math_verify"),
        (r"\sqrt{12}", r"\sqrt{12", "unparsed"),
        ("", "", "no_gold"),
        ("  ", "5", "no_gold"),
        ("5", "", "unparsed"),
    ],
)
def test_way_says_how(pool: GradingPool, gold: str, answer: str, way: str) -> None:
    assert pool.grade_answer(gold, answer).way == way


@pytest.mark.parametrize("gold", ["", " ", "\n", r"\boxed", "$$", r"\frac{", "t(0,9]"])
@pytest.mark.parametrize("answer", ["0", "1", "9", "x", r"\frac{1}{2}", "(0,9]"])
def test_gold_without_meaning_accepts_nothing(pool: GradingPool, gold: str, answer: str) -> None:
    assert not pool.grade_answer(gold, answer).right


def test_options_of_percent() -> None:
    assert not graded(r"23\%", "0.23", percent="sign_optional")
    assert graded(r"23\%", "23", percent="sign_optional")
    assert not graded(r"23\%", "23", percent="value")
    assert graded(r"23\%", "0.23", percent="value")


def test_options_of_units() -> None:
    assert not graded(r"3\text{ cm}", "3", units="required")
    assert graded(r"3\text{ cm}", "3 cm", units="required")


def test_options_of_order_and_inequalities() -> None:
    assert not graded("4,5", "5,4", ordered=True)
    assert graded("4,5", "4,5.0", ordered=True)
    assert not graded("(8,9)", "8<x<9", inequalities=False)


def test_options_of_tolerance() -> None:
    assert graded("8.4", "8.43", round_to_gold=True)
    assert not graded("8.4", "8.47", round_to_gold=True)
    assert graded("3.2e5", "324000", round_to_gold=True)
    assert graded("100", "101", relative_tolerance=0.01)
    assert not graded("100", "101.1", relative_tolerance=0.01)
    assert graded("5.1", "5.2", absolute_tolerance=0.11)


@pytest.mark.parametrize(
    "options",
    [
        {"relative_tolerance": -1.0},
        {"max_answer_chars": 0},
        {"units": "no"},
        {"percent": "no"},
        {"fallbacks": ("guess",)},
    ],
)
def test_senseless_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        GradingOptions(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        *((text, True) for text in (r"4.2\%", "4.2", r"4.3\%", r"4.1\%", "0.042", "0.0425")),
        *((text, False) for text in (r"4.31\%", "4.05", "0", "0.05", "0.142", "-4.2")),
    ],
)
def test_a_gold_may_have_a_tolerance_of_its_own(answer: str, right: bool) -> None:
    options = GradingOptions(tolerance_of={r"4.2\%": 0.1})
    with GradingPool(options) as pool:
        assert pool.grade_answer(r"4.2\%", answer).right is right
        assert pool.grade_answer("7", "7.05").right is False
