"""Problems of training that a benchmark holds are found, and others are not."""

from __future__ import annotations

import time

from hacpo.evaluation.contamination import Contamination, contamination, plain_form
from hacpo.types import Problem

LONG = r"Find the sum of all integers $n$ such that $\dfrac{12}{n}$ is also an integer."


def problems(*prompts: str) -> list[Problem]:
    return [Problem(id=f"{n}", prompt=prompt, answer="1") for n, prompt in enumerate(prompts)]


def test_layout_does_not_matter() -> None:
    one = r"Let $x^{2} = 1{,}000.$  Compute $\left( x,\, \dfrac{1}{2} \right).$"
    other = "let $$x^2=1,000$$. Compute (x, \\frac12)"
    assert plain_form(one) == plain_form(other)


def test_numbers_and_operators_do() -> None:
    assert plain_form(r"Compute $\tan 22.5^\circ.$") != plain_form(r"Compute $\tan 225^\circ$.")
    assert plain_form("1+2") != plain_form("1-2")
    assert plain_form("x<2") != plain_form("x>2")


def test_same_text_is_found_with_its_ids() -> None:
    found = contamination(problems("1+2=?", "3+4=?"), problems("3 + 4 = ?", "5+6=?"))
    assert found == (Contamination(benchmark_id="0", train_id="1"),)


def test_long_text_is_found_inside_of_an_instruction() -> None:
    asked = [f"{LONG} Let's think step by step.", f"Solve this problem: {LONG}"]
    found = contamination(problems(*asked), problems(LONG))
    assert [match.train_id for match in found] == ["0", "1"]


def test_short_text_is_no_beginning_of_others() -> None:
    assert contamination(problems("Compute 2+2 and then 3+3."), problems("Compute 2+2")) == ()


def test_nothing_is_nothing() -> None:
    assert contamination([], problems("a")) == contamination(problems("a"), []) == ()
    assert contamination(problems(" $$ "), problems("")) == (), "texts without content"


def test_thousands_of_prompts_take_seconds() -> None:
    train = problems(*(f"{LONG} And {n} more, with a long tail {n}." for n in range(5000)))
    tests = problems(*(f"{LONG} And {n} less" + "." * n for n in range(500)))
    start = time.monotonic()
    assert contamination(train, tests) == ()
    assert time.monotonic() - start < 10
