"""What a benchmark's problems are checked for, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hacpo.evaluation.sources import (
    BenchmarkSource,
    Dropped,
    fingerprint_of,
    load_benchmark,
    subset,
    with_prompt,
)
from hacpo.types import Problem

ROWS = [
    {"id": "a", "problem": "What is 1+1?", "answer": "2"},
    {"id": "b", "problem": "What is  1+1?\n", "answer": "2"},
    {"id": "c", "problem": "What is 1+2?", "answer": " "},
    {"id": "d", "problem": " \n", "answer": "1"},
    {"id": "e", "problem": "What is 1+3?", "answer": "four"},
    {"id": "f", "problem": "What is 1+4?", "answer": "5"},
    {"id": "g", "problem": "What is 1+4?", "answer": "6"},
]


@pytest.fixture
def source(tmp_path: Path) -> BenchmarkSource:
    """Seven rows, five of them with a fault."""
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return BenchmarkSource(name="own", path=path)


def only_digits(gold: str, answer: str) -> bool:
    return gold == answer and gold.isdigit()


def test_faulty_problems_are_left_out_each_with_its_reason(source: BenchmarkSource) -> None:
    result = load_benchmark(source, only_digits)
    assert [problem.id for problem in result.problems] == ["own/a", "own/f"]
    assert result.dropped == (
        Dropped(id="own/b", reason="the text is that of own/a"),
        Dropped(id="own/c", reason="the gold answer is empty"),
        Dropped(id="own/d", reason="the problem has no text"),
        Dropped(
            id="own/e", reason="the grader does not accept the gold four as an answer to itself"
        ),
        Dropped(id="own/g", reason="the text is that of own/f, whose gold is 5"),
    )
    assert result.num_read == 7


def test_golds_are_judged_only_when_there_is_a_grader(source: BenchmarkSource) -> None:
    result = load_benchmark(source)
    assert [problem.id for problem in result.problems] == ["own/a", "own/e", "own/f"]
    assert "whether each gold accepts itself was not checked" in result.report()
    assert "was not checked" not in load_benchmark(source, only_digits).report()


def test_report_says_what_was_done_and_why(source: BenchmarkSource) -> None:
    lines = load_benchmark(source, only_digits).report().splitlines()
    assert lines[0].startswith("own: 2 of 7 problems, fingerprint ")
    assert lines[1] == "  left out (1): the text is that of own/a: own/b"
    assert len(lines) == 7  # the sixth reason is a correction: spaces around the gold of c
    assert lines[6] == "  corrected (1): spaces around the gold answer are taken off: own/c"


def test_report_names_some_and_counts_all(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps({"problem": f"{n}", "answer": ""}) + "\n" for n in range(9)))
    told = load_benchmark(BenchmarkSource(name="own", path=path)).report()
    assert "left out (9): the gold answer is empty: own/test/0, " in told
    assert "own/test/7 ..." in told
    assert "own/test/8" not in told


def test_other_number_of_problems_is_refused(source: BenchmarkSource) -> None:
    assert load_benchmark(replace(source, expected_count=7)).problems
    with pytest.raises(ValueError, match=r"own has 8 usable problems, and this source has 7"):
        load_benchmark(replace(source, expected_count=8))


def test_repeated_id_is_refused_and_rows_can_be_numbered(source: BenchmarkSource) -> None:
    assert source.path is not None
    source.path.write_text(2 * '{"id": "a", "problem": "p", "answer": "1"}\n')
    with pytest.raises(ValueError, match=r"holds the id own/a more than once; 'benchmarks\.own\."):
        load_benchmark(source)
    numbered = load_benchmark(replace(source, id_columns=()))
    assert [problem.id for problem in numbered.problems] == ["own/test/0"]


def test_source_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="neither a path nor a hub_id"):
        load_benchmark(BenchmarkSource(name="own"))


def test_content_is_told_apart_from_what_is_known(source: BenchmarkSource) -> None:
    known = load_benchmark(source)
    assert not [note for note in known.notes if "differs" in note]
    same = load_benchmark(replace(source, fingerprint=known.fingerprint))
    assert same.notes == known.notes
    other = load_benchmark(replace(source, fingerprint="0" * 16))
    assert f"differs from the one this benchmark is known by, whose fingerprint is {'0' * 16}" in (
        other.report()
    )


def test_fingerprint_sees_words_and_golds_and_neither_order_nor_spaces_nor_ids() -> None:
    one = Problem(id="a", prompt="What is 1+1?", answer="2")
    two = Problem(id="b", prompt="What is 1+2?", answer="3")
    mark = fingerprint_of([one, two])
    assert len(mark) == 16
    assert fingerprint_of([replace(two, id="c"), replace(one, prompt="What  is\n1+1?")]) == mark
    assert fingerprint_of([one, replace(two, answer="4")]) != mark
    assert fingerprint_of([one, replace(two, prompt="What is 1+3?")]) != mark
    assert fingerprint_of([one]) != mark


def test_prompt_is_put_around_the_text_and_braces_stay() -> None:
    problem = Problem(id="a", prompt=r"Simplify \frac{1}{2}.", answer="1")
    (asked,) = with_prompt([problem], r"{problem} Put it into \boxed{}.")
    assert asked.prompt == r"Simplify \frac{1}{2}. Put it into \boxed{}."
    assert (asked.id, asked.answer) == ("a", "1")
    with pytest.raises(ValueError, match=r"has no \{problem\}"):
        with_prompt([problem], "Answer!")


def test_subset_is_always_the_same_and_keeps_the_order() -> None:
    problems = [Problem(id=f"{n}", prompt="p", answer="1") for n in range(100)]
    few = subset(problems, 10)
    assert few == subset(problems, 10)
    places = [int(problem.id) for problem in few]
    assert places == sorted(set(places))
    assert len(places) == 10
    assert max(places) > 50, "a file's beginning alone would be one subject"
    assert subset(problems, None) == subset(problems, 200) == tuple(problems)
