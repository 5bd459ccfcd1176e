"""The real files, where they lie beside the checkout: counts, what is dropped, what is mended."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from hacpo.assembly.benchmarks import benchmark_source
from hacpo.evaluation.contamination import contamination
from hacpo.evaluation.known_faults import RECEIVED
from hacpo.evaluation.sources import LoadedBenchmark, load_benchmark
from tests.config.composing import checked

SHARED = Path(__file__).parents[3] / "shared" / "benchmarks"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the data is not part of the project")

BENCHMARKS = {
    "math500.jsonl": "math500",
    "math_test.jsonl": "math",
    "gsm8k_test.jsonl": "gsm8k",
    "aime25.jsonl": "aime25",
    "amc23.jsonl": "amc23",
    "minerva.jsonl": "minerva",
    "olympiadbench.jsonl": "olympiadbench",
}
TRAINING = {"math_train.jsonl": "math", "gsm8k_train.jsonl": "gsm8k"}


@cache
def loaded(file: str) -> LoadedBenchmark:
    """Load a file with the settings of `conf/benchmark/`; training files without their checks."""
    config = checked("benchmarks=paper7").benchmarks
    if file in BENCHMARKS:
        source = benchmark_source(BENCHMARKS[file], config[BENCHMARKS[file]])
    else:
        source = benchmark_source(TRAINING[file], config[TRAINING[file]])
        source = replace(source, split="train", expected_count=None, fingerprint=None)
    return load_benchmark(replace(source, path=SHARED / file), lambda gold, answer: gold == answer)


READ_AND_USED = {
    "math500.jsonl": (500, 500),
    "math_test.jsonl": (5000, 5000),
    "math_train.jsonl": (7500, 7498),
    "gsm8k_test.jsonl": (1319, 1319),
    "gsm8k_train.jsonl": (7473, 7473),
    "aime25.jsonl": (30, 30),
    "amc23.jsonl": (40, 40),
    "minerva.jsonl": (272, 272),
    "olympiadbench.jsonl": (675, 674),
}


@pytest.mark.parametrize("file", READ_AND_USED)
def test_problems_are_counted(file: str) -> None:
    result = loaded(file)
    assert (result.num_read, len(result.problems)) == READ_AND_USED[file]
    assert result.num_read == len(result.problems) + len(result.dropped)
    assert result.notes == (), "the content is that of the pinned fingerprint"
    assert all(problem.answer.strip() for problem in result.problems)


def test_what_is_left_out_is_known() -> None:
    dropped = {entry.id: entry.reason for file in READ_AND_USED for entry in loaded(file).dropped}
    assert dropped.keys() == {"math/train/959", "math/train/1227", "olympiadbench/1965"}
    assert dropped["math/train/959"] == "the text is that of math/train/925"
    assert dropped["math/train/1227"].startswith("the text is that of math/train/1168")
    assert dropped["olympiadbench/1965"].startswith("the gold is a sentence")


CORRECTED = {
    "math500.jsonl": {},
    "math_test.jsonl": {"spaces around": 9, "ends in a mark": 1},
    "math_train.jsonl": {"spaces around": 18, "ends in a mark": 6, "is empty": 2},
    "gsm8k_test.jsonl": {},
    "gsm8k_train.jsonl": {},
    "aime25.jsonl": {"form feed": 3, "rows of": 2},
    "amc23.jsonl": {},
    "minerva.jsonl": {
        "e-notation": 58,
        "calls a function": 3,
        "is a fraction": 2,
        "dollar signs": 1,
        "spaces around": 1,
    },
    "olympiadbench.jsonl": {"relay": 15, "ends in a mark": 1, "column of its own": 7},
}


@pytest.mark.parametrize("file", CORRECTED)
def test_what_is_corrected_is_counted(file: str) -> None:
    counts = Counter(entry.reason for entry in loaded(file).corrected)
    found = {
        words: sum(count for reason, count in counts.items() if words in reason)
        for words in CORRECTED[file]
    }
    assert found == CORRECTED[file]
    assert sum(counts.values()) == sum(CORRECTED[file].values())


def test_broken_latex_of_aime_is_the_five_problems() -> None:
    ids = [entry.id.rpartition("/")[2] for entry in loaded("aime25.jsonl").corrected]
    assert sorted(ids) == ["I-11", "I-8", "II-13", "II-4", "II-5"]
    texts = [problem.prompt for problem in loaded("aime25.jsonl").problems]
    assert not any(mark in text for text in texts for mark in "\t\x0c")


def test_number_of_a_relay_is_the_answer_of_its_neighbour() -> None:
    """So the numbers that are put in come from the data itself."""
    golds = {
        problem.id: problem.answer.strip("$") for problem in loaded("olympiadbench.jsonl").problems
    }
    for number, received in RECEIVED.items():
        neighbours = [golds.get(f"olympiadbench/{int(number) + step}") for step in (-1, 1)]
        assert received in neighbours, number


def test_resolved_relays_are_those_of_the_later_revision() -> None:
    rows = [json.loads(line) for line in (SHARED / "olympiadbench.jsonl").open(encoding="utf-8")]
    resolved = {row["id"]: row["problem_resolved"] for row in rows if "problem_resolved" in row}
    texts = {problem.id: problem.prompt for problem in loaded("olympiadbench.jsonl").problems}
    differing = [
        key
        for key, text in resolved.items()
        if texts[key].replace(r"\frac{27}{2}", "27/2").split() != text.split()
    ]
    # One may receive any number, and one began with a wide space that the revision took out.
    assert differing == ["olympiadbench/2720", "olympiadbench/2722"]
    assert r"\quad$ Let $T=15$. In parallelogram" in texts["olympiadbench/2722"]


@pytest.mark.parametrize("file", ["math_train.jsonl", "math_test.jsonl", "math500.jsonl"])
def test_last_box_of_the_solution_is_the_gold(file: str) -> None:
    config = checked("benchmarks=paper7").benchmarks["math"]
    source = benchmark_source("math", config)
    boxed = replace(
        source, path=SHARED / file, answer_columns=(), expected_count=None, fingerprint=None
    )
    golds = [problem.answer for problem in load_benchmark(boxed).problems]
    assert golds == [problem.answer for problem in loaded(file).problems]


def test_training_problems_in_the_benchmarks_are_found() -> None:
    def found(train: str, file: str) -> dict[str, str]:
        matches = contamination(loaded(train).problems, loaded(file).problems)
        return {match.benchmark_id: match.train_id for match in matches}

    assert found("math_train.jsonl", "math500.jsonl") == {}
    assert found("math_train.jsonl", "olympiadbench.jsonl") == {
        "olympiadbench/2791": "math/train/4487",
        "olympiadbench/2890": "math/train/3443",
    }
    assert found("gsm8k_train.jsonl", "gsm8k_test.jsonl") == {}
    shared = found("math_train.jsonl", "math_test.jsonl")
    assert shared == {
        "math/test/311": "math/train/1598",
        "math/test/1038": "math/train/1414",
        "math/test/2145": "math/train/5331",  # with choices after it
        "math/test/3023": "math/train/750",
        "math/test/3613": "math/train/5264",  # after another problem
        "math/test/4656": "math/train/2948",
    }


def test_math500_is_part_of_math() -> None:
    matches = contamination(loaded("math_test.jsonl").problems, loaded("math500.jsonl").problems)
    assert len({match.benchmark_id for match in matches}) == 500
