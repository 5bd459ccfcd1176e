"""Each known fault is mended where it is, and nothing else is touched."""

from __future__ import annotations

import pytest

from hacpo.evaluation.corrections import correct, exclusion_reason
from hacpo.evaluation.known_faults import EMPTY_BOXES, EVERYWHERE, KNOWN_FAULTS, text_hash
from hacpo.types import Problem


def mended(name: str, *, text: str = "p", gold: str = "1", key: str = "0") -> Problem:
    """Return a problem as it leaves the corrections of a benchmark."""
    problem = Problem(id=f"{name}/{key}", prompt=text, answer=gold)
    result, reasons = correct(problem, (*EVERYWHERE, *KNOWN_FAULTS[name].corrections))
    assert (result != problem) == bool(reasons)
    again, more = correct(result, (*EVERYWHERE, *KNOWN_FAULTS[name].corrections))
    assert (again, more) == (result, []), "a mended problem needs no mending"
    return result


GOLDS = [
    ("gsm8k", " 5\n", "5"),
    ("math", "43_5.", "43_5"),
    ("math", r"\text{(E)},", r"\text{(E)}"),
    ("math", "1, 2, ...", "1, 2, ..."),
    ("math", "2.5", "2.5"),
    ("amc23", "27.0", "27"),
    ("amc23", "-1.0", "-1"),
    ("amc23", "0.5", "0.5"),
    ("amc23", "27", "27"),
    ("minerva", "4.5e33", r"4.5 \times 10^{33}"),
    ("minerva", "1e-5", r"1 \times 10^{-5}"),
    ("minerva", "-2E+08", r"-2 \times 10^{8}"),
    ("minerva", "e^{2}", "e^{2}"),
    ("minerva", "2e", "2e"),
    ("minerva", "-1./3", r"-\frac{1}{3}"),
    ("minerva", "-3./2", r"-\frac{3}{2}"),
    ("minerva", "x / 2-1 / 4", "x / 2-1 / 4"),
    ("minerva", "np.arcsin(10/13)", r"\arcsin(10/13)"),
    ("minerva", r"\frac{1}{2}(\exp{a*t} + \exp{-a*t})", r"\frac{1}{2}(e^{a t} + e^{-a t})"),
    ("minerva", r"a+$ $\dot{x}", r"a+ \dot{x}"),
    ("olympiadbench", "$69$,$84$", "$69$,$84$"),
    ("olympiadbench", "$(0,1)$.", "$(0,1)$"),
]


@pytest.mark.parametrize(("name", "gold", "right"), GOLDS)
def test_gold_is_written_as_it_ought_to_be(name: str, gold: str, right: str) -> None:
    assert mended(name, gold=gold).answer == right


def test_every_correction_has_a_case_here() -> None:
    """Those of texts have tests of their own below."""
    texts = {"form feed", "rows of an aligned", "box of the solution", "relay", "column of its own"}
    for name, faults in KNOWN_FAULTS.items():
        for correction in faults.corrections:
            changed = [
                gold
                for case, gold, _ in GOLDS
                if case == name
                and correction.mend(Problem(id="x/0", prompt="p", answer=gold)).answer != gold
            ]
            assert changed or any(word in correction.reason for word in texts), correction.reason


def test_commands_that_were_read_as_escapes_come_back() -> None:
    broken = "Half is \frac{1}{2} in \triangle ABC,\tand \\frac stays."
    assert mended("aime25", text=broken).prompt == (
        "Half is \\frac{1}{2} in \\triangle ABC,\tand \\frac stays."
    )
    assert mended("math", text=broken).prompt == broken


def test_row_breaks_come_back_inside_of_environments_alone() -> None:
    broken = r"\begin{align*} x &= 1 \ y &= 2 \end{align*} so $x\ y$"
    right = r"\begin{align*} x &= 1 \\ y &= 2 \end{align*} so $x\ y$"
    assert mended("aime25", text=broken).prompt == right
    cases = r"\begin{cases} 1 & x \leq 2 \ 2 & x > 2\end{cases}"
    assert mended("aime25", text=cases).prompt == cases.replace(r"2 \ 2", r"2 \\ 2")


def test_empty_gold_is_filled_by_the_hash_of_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMPTY_BOXES, text_hash("How many are there?"), "0")  # type: ignore[arg-type]
    assert mended("math", text="How many\n are there?", gold="").answer == "0"
    assert mended("math", text="How many are there?", gold="3").answer == "3"
    assert mended("math", text="How many others?", gold="").answer == ""


def test_relay_says_what_is_received() -> None:
    text = "Let $T=T N Y W R$. Compute $T+1$."
    assert mended("olympiadbench", text=text, key="2722").prompt == "Let $T=15$. Compute $T+1$."
    assert "positive number other than" in mended("olympiadbench", text=text, key="2720").prompt
    own = "Compute the area of $T N Y W R$."
    assert mended("olympiadbench", text=own, key="2608").prompt == own
    resolved = "Let $T=8$. Compute $T+1$."
    assert mended("olympiadbench", text=resolved, key="2722").prompt == resolved


def test_what_cannot_be_mended_is_left_out() -> None:
    exclusions = KNOWN_FAULTS["olympiadbench"].exclusions
    prose = Problem(id="olympiadbench/1965", prompt="Find all.", answer="all with $f(0)=0$")
    assert "the gold is a sentence" in (exclusion_reason(prose, exclusions) or "")
    unknown = Problem(id="olympiadbench/9999", prompt="Let $T=T N Y W R$.", answer="1")
    assert "is not known" in (exclusion_reason(unknown, exclusions) or "")
    known = Problem(id="olympiadbench/2721", prompt="Let $T=T N Y W R$.", answer="1")
    assert exclusion_reason(known, exclusions) is None


@pytest.mark.parametrize(
    ("key", "gold", "expected"),
    [
        ("2253", "45", r"45 \text{ minutes}"),
        ("2334", r"$\frac{41}{12}$", r"\frac{41}{12} \text{ km}"),
        ("2592", "4.2", r"4.2\%"),
        ("2592", r"4.2\%", r"4.2\%"),
        ("2253", r"45 \text{ minutes}", r"45 \text{ minutes}"),
        ("2254", "45", "45"),
    ],
)
def test_a_unit_of_olympiadbench_stands_behind_its_gold(key: str, gold: str, expected: str) -> None:
    assert mended("olympiadbench", gold=gold, key=key).answer == expected
