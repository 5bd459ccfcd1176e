"""What is done about the faults of a data set: mended where possible, else left out.

`hacpo.evaluation.known_faults` lists the faults themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hacpo.types import Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """One fault that can be mended."""

    reason: str
    """What is wrong and what is done, as it is printed."""
    mend: Callable[[Problem], Problem]
    """Returns the problem unchanged where the fault is not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exclusion:
    """One fault that cannot be mended, so the problem is left out."""

    reason: str
    concerns: Callable[[Problem], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownFaults:
    """What is known of one data set."""

    corrections: tuple[Correction, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()


def correct(problem: Problem, corrections: tuple[Correction, ...]) -> tuple[Problem, list[str]]:
    """Return the mended problem, and the reasons of the corrections that changed it."""
    reasons = []
    for correction in corrections:
        mended = correction.mend(problem)
        if mended != problem:
            reasons.append(correction.reason)
        problem = mended
    return problem, reasons


def exclusion_reason(problem: Problem, exclusions: tuple[Exclusion, ...]) -> str | None:
    """Return why a problem must be left out; None: it need not be."""
    return next((found.reason for found in exclusions if found.concerns(problem)), None)


def on_answer(change: Callable[[str], str]) -> Callable[[Problem], Problem]:
    """Return a correction of the gold answer."""
    return lambda problem: replace(problem, answer=change(problem.answer))


def on_prompt(change: Callable[[str], str]) -> Callable[[Problem], Problem]:
    """Return a correction of the problem's text."""
    return lambda problem: replace(problem, prompt=change(problem.prompt))
