"""Every known fault of the benchmarks, with what is done about it and why.

A fault is found by a rule, by the number in a problem's id, or by a hash of its text, so nothing of
the data sets stands here. `benchmarks/reasoning/` has a card for each benchmark that tells where a
fault comes from. A correction leaves a copy that has been mended already as it is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

from hacpo.evaluation.corrections import Correction, Exclusion, KnownFaults, on_answer, on_prompt
from hacpo.types import Problem


def text_hash(text: str) -> str:
    """Return twelve hex digits that stand for a text, whatever its spaces and line breaks."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def _number(problem: Problem) -> str:
    """Return the last part of an id: `2721` of `olympiadbench/2721`."""
    return problem.id.rpartition("/")[2]


# --- all of them ---------------------------------------------------------------------------------

TRAILING_MARK = re.compile(r"[.,;]\s*$")


def _strip_mark(gold: str) -> str:
    """Take one mark of the sentence off the end; `...` is part of the answer."""
    return gold if gold.rstrip().endswith("..") else TRAILING_MARK.sub("", gold)


EVERYWHERE = (
    Correction(reason="spaces around the gold answer are taken off", mend=on_answer(str.strip)),
    Correction(
        reason="the gold ends in a mark of the sentence around it, which is taken off",
        mend=on_answer(_strip_mark),
    ),
)

# --- MATH ----------------------------------------------------------------------------------------

EMPTY_BOXES: Mapping[str, str] = {
    "79595ba3b4cf": "0",  # train/number_theory/7115.json: no primes between n! + 1 and n! + n
    "81a7fe8e017d": "0",  # train/number_theory/7117.json: no primes in a sequence of composites
}
"""Gold answers of solutions whose box is empty, by the hash of the problem's text."""


def _fill_empty_gold(problem: Problem) -> Problem:
    if problem.answer.strip():
        return problem
    return replace(problem, answer=EMPTY_BOXES.get(text_hash(problem.prompt), problem.answer))


MATH = KnownFaults(
    corrections=(
        Correction(
            reason="the box of the solution is empty; what the solution proves is put in",
            mend=_fill_empty_gold,
        ),
    )
)

# --- AIME 2025 -----------------------------------------------------------------------------------

ENVIRONMENT = re.compile(r"\\begin\{(align\*?|aligned|cases)\}.*?\\end\{\1\}", re.DOTALL)


def _restore_commands(text: str) -> str:
    """Undo the reading of `\\f` and `\\t` as escapes: form feed + `rac`, tab + `riangle`."""
    return text.replace("\frac", r"\frac").replace("\triangle", r"\triangle")


def _restore_row_breaks(text: str) -> str:
    """Undo the reading of `\\\\` as an escape, which left one backslash between two rows."""
    return ENVIRONMENT.sub(lambda found: re.sub(r"(?<!\\)\\ ", r"\\\\ ", found.group()), text)


AIME25 = KnownFaults(
    corrections=(
        Correction(
            reason=r"a form feed or tab stands in for the beginning of \frac or \triangle",
            mend=on_prompt(_restore_commands),
        ),
        Correction(
            reason=r"rows of an aligned block or of cases are parted by \ and not by \\",
            mend=on_prompt(_restore_row_breaks),
        ),
    )
)

# --- AMC 2023 ------------------------------------------------------------------------------------


def _whole_number(gold: str) -> str:
    return re.sub(r"^(-?\d+)\.0+$", r"\1", gold)


AMC23 = KnownFaults(
    corrections=(
        Correction(
            reason="the whole-number gold is stored as a float, such as 27.0",
            mend=on_answer(_whole_number),
        ),
    )
)

# --- Minerva Math --------------------------------------------------------------------------------


def _scientific(gold: str) -> str:
    """Turn `4.5e33` into `4.5 \\times 10^{33}`: in LaTeX, e is Euler's number."""
    found = re.fullmatch(r"([+-]?\d+(?:\.\d*)?)[eE]([+-]?)0*(\d+)", gold)
    if found is None:
        return gold
    sign = "-" if found[2] == "-" else ""
    return rf"{found[1].rstrip('.')} \times 10^{{{sign}{found[3]}}}"


def _python_fraction(gold: str) -> str:
    """Turn `-3./2` into `-\\frac{3}{2}`."""
    return re.sub(r"^(-?)(\d+)\./(\d+)\.?$", r"\1\\frac{\2}{\3}", gold)


def _python_function(gold: str) -> str:
    """Turn `np.arcsin(x)` into `\\arcsin(x)`, and `\\exp{a*t}` into `e^{a t}`."""
    gold = re.sub(r"\bnp\.(?=arc(?:sin|cos|tan)\b|sin\b|cos\b|tan\b|log\b|exp\b)", r"\\", gold)
    return re.sub(r"\\exp\{([^{}]*)\}", lambda found: f"e^{{{found[1].replace('*', ' ')}}}", gold)


def _inner_dollars(gold: str) -> str:
    """Join two pieces of inline mathematics, `a$ $b`, into one."""
    return re.sub(r"\s*\$\s*\$\s*", " ", gold)


MINERVA = KnownFaults(
    corrections=(
        Correction(
            reason="the gold is in e-notation, whose e LaTeX reads as Euler's number",
            mend=on_answer(_scientific),
        ),
        Correction(
            reason="the gold is a fraction as Python writes it, such as -3./2",
            mend=on_answer(_python_fraction),
        ),
        Correction(
            reason="the gold calls a function as Python writes it, or multiplies by *",
            mend=on_answer(_python_function),
        ),
        Correction(
            reason="dollar signs cut the gold into two formulas", mend=on_answer(_inner_dollars)
        ),
    )
)

# --- OlympiadBench -------------------------------------------------------------------------------

RELAY = re.compile(r"\$T=T N Y W R\$")
"""`The number you will receive`, which the early copy with 675 rows does not give."""

RECEIVED: Mapping[str, str] = {
    "2721": "0",
    "2722": "15",
    "2723": "7",
    "2724": "36",
    "2726": "184",
    "2727": "8",
    "2728": "19",
    "2729": "17",
    "2730": r"\frac{27}{2}",
    "2731": "114",
    "2856": r"\frac{1}{2}",
    "2857": "10",
    "2859": "4",
    "2860": "12",
}
"""The number that a problem of a relay receives, by id: the answer of the problem before it, which
stands right above or below in the file where the file holds it."""
ANY_NUMBER = "2720"
"""Its answer is the same for every number that could be received."""


def _received(problem: Problem) -> Problem:
    number = _number(problem)
    if number == ANY_NUMBER:
        text = "$T$ be a positive number other than $1$"
    elif number in RECEIVED:
        text = f"$T={RECEIVED[number]}$"
    else:
        return problem
    return replace(problem, prompt=RELAY.sub(lambda _: text, problem.prompt))


def _prose_gold(problem: Problem) -> bool:
    return _number(problem) == "1965"


UNITS: Mapping[str, str] = {
    "2253": "minutes",
    "2334": "km",
    "2419": "cm^2",
    "2426": "km/h",
    "2444": "minutes",
    "2522": "minutes",
}
"""Units that stand in a column of their own, by the problem's number."""
PERCENTAGE = "2592"
"""Its gold is a percentage, says the same column; `grading.tolerance_of` holds its tolerance."""


def _with_unit(problem: Problem) -> Problem:
    number, gold = _number(problem), problem.answer.strip().strip("$").strip()
    if number == PERCENTAGE and not gold.endswith("%"):
        return replace(problem, answer=rf"{gold}\%")
    if number not in UNITS or (gold.endswith("}") and r"\text{" in gold):
        return problem
    return replace(problem, answer=rf"{gold} \text{{ {UNITS[number]}}}")


OLYMPIADBENCH = KnownFaults(
    corrections=(
        Correction(
            reason="a problem of a relay does not say which number is received; it is put in",
            mend=_received,
        ),
        Correction(
            reason="the unit of the gold stands in a column of its own; it is put behind the gold",
            mend=_with_unit,
        ),
    ),
    exclusions=(
        Exclusion(
            reason="the gold is a sentence, which a checker takes for the 0 in it; the later "
            "revision with 674 problems leaves it out as well",
            concerns=_prose_gold,
        ),
        Exclusion(
            reason="the number that a relay's problem receives is not known",
            concerns=lambda problem: bool(RELAY.search(_received(problem).prompt)),
        ),
    ),
)

KNOWN_FAULTS: Mapping[str, KnownFaults] = {
    "math": MATH,
    "math500": MATH,
    "gsm8k": KnownFaults(),
    "aime25": AIME25,
    "amc23": AMC23,
    "minerva": MINERVA,
    "olympiadbench": OLYMPIADBENCH,
}
"""By the name of the benchmark."""
