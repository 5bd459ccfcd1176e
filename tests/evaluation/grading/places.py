"""What the places in which grading runs have in common. Light, since a spawned process loads it."""

from __future__ import annotations

import multiprocessing

from hacpo.evaluation.grading import GradingPool, Verdict
from tests.evaluation.grading.pairs import RIGHT, WRONG

PAIRS = [*RIGHT[::3], *WRONG[::3]]


def grade_pairs() -> list[Verdict]:
    """Return the verdicts on `PAIRS` by a pool of its own."""
    with GradingPool(num_workers=1) as pool:
        return pool.grade_many(PAIRS, bare=True)


def grade_into(results: multiprocessing.Queue[list[Verdict]]) -> None:
    """Send what `grade_pairs` returns."""
    results.put(grade_pairs())
