"""Verdicts on the collected pairs and golds, where the shared folder lies beside the checkout."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hacpo.evaluation.grading import GradingOptions, GradingPool

FOLDER = Path(__file__).parents[4] / "shared" / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="../shared/benchmarks is not here")

FILES = ("aime25", "amc23", "gsm8k_test", "math500", "minerva", "olympiadbench", "math_test")


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(GradingOptions(fallbacks=("hash", "answer_is"))) as pool:
        yield pool


def test_collected_verdicts(pool: GradingPool) -> None:
    pairs = rows("verdicts")
    grade = {"answer": pool.grade_answer, "response": pool.grade}
    wrong = [
        (row["gold"], row["pred"])
        for row in pairs
        if grade[row["kind"]](row["gold"], row["pred"]).right != row["right_verdict"]
    ]
    assert pairs
    assert wrong == []


@pytest.mark.parametrize("name", FILES)
def test_golds_accept_themselves(pool: GradingPool, name: str) -> None:
    golds = [str(row["answer"]) for row in rows(name)]
    responses = [(gold, rf"so \boxed{{{gold.strip('$')} }}.") for gold in golds]
    verdicts = pool.grade_many(responses)
    refused = [gold for gold, verdict in zip(golds, verdicts, strict=True) if not verdict.right]
    assert refused == []


@pytest.mark.slow
def test_ordinary_answers_are_graded_at_three_hundred_a_second(pool: GradingPool) -> None:
    golds = [row["answer"] for name in ("gsm8k_test", "math500") for row in rows(name)]
    pairs = [
        (gold, rf"so \boxed{{{other}}}")
        for gold, other in zip(golds, golds[1:] + golds[:1], strict=True)
    ]
    pool.grade_answer(r"\sqrt{8}", r"2\sqrt{2}")
    begin = time.monotonic()
    pool.grade_many(pairs)
    assert len(pairs) / (time.monotonic() - begin) > 300
