"""Finds benchmark problems that a model was trained on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hacpo.types import Problem

LONG_TEXT = 40
"""Characters of the plain form from which a text is looked for inside of a longer prompt. A shorter
one must be the whole prompt: `Compute 2+2` begins many problems."""

LAYOUT = re.compile(r"\\(?:left|right|displaystyle)(?![A-Za-z])|\\[,;:!\\]|[\s${},;:!?'\"`~\\]")
"""What may differ between two copies of one problem: spaces, marks, dollar signs, braces, and the
backslashes of commands."""
FULL_STOP = re.compile(r"(?<!\d)\.|\.(?!\d)")
"""A full stop, and not the point of a decimal number."""
FRACTION = re.compile(r"\\[dt]frac(?![A-Za-z])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Contamination:
    """A benchmark problem that training holds too."""

    benchmark_id: str
    train_id: str


def plain_form(text: str) -> str:
    """Return a text without what copies of it differ in: case, layout, marks, braces.

    Digits, letters, operators and commands stay, so that problems with other numbers stay apart.
    """
    return FULL_STOP.sub("", LAYOUT.sub("", FRACTION.sub(r"\\frac", text))).casefold()


def contamination(
    train: Sequence[Problem], benchmark: Sequence[Problem]
) -> tuple[Contamination, ...]:
    """Return the benchmark problems whose text a training prompt is, begins with or ends with.

    Training prompts may carry an instruction before or after the problem; pass the benchmark's bare
    texts. Rewritten or translated problems are not found.
    """
    by_form: dict[str, list[Problem]] = {}
    for problem in benchmark:
        by_form.setdefault(plain_form(problem.prompt), []).append(problem)
    by_form.pop("", None)
    lengths = sorted({len(form) for form in by_form if len(form) >= LONG_TEXT})
    return tuple(
        Contamination(benchmark_id=found.id, train_id=problem.id)
        for problem in train
        for form in _forms(plain_form(problem.prompt), lengths)
        for found in by_form.get(form, ())
    )


def _forms(text: str, lengths: Sequence[int]) -> set[str]:
    """Return the text itself, and its beginnings and ends of the given lengths."""
    shorter = [length for length in lengths if length < len(text)]
    return {text, *(text[:length] for length in shorter), *(text[-length:] for length in shorter)}
