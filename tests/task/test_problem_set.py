"""Tasks from files: what is read, held out, left out and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hacpo.task.problem_set import ProblemSetTask, build_problem_set


def _file(folder: Path, rows: list[dict[str, object]], name: str = "mine.jsonl") -> str:
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return str(path)


def _sums(count: int) -> list[dict[str, object]]:
    return [{"id": f"n{n}", "question": f"What is {n} + 1?", "answer": n + 1} for n in range(count)]


def _build(path: str | None, **options: object) -> ProblemSetTask:
    given: dict[str, object] = {"num_test": 3, "split_seed": 0, "name": "mine", **options}
    return build_problem_set(path=path, **given)  # type: ignore[arg-type]


def test_rows_become_problems_and_some_are_held_out(tmp_path: Path) -> None:
    task = _build(_file(tmp_path, _sums(10)), prompt="Q: {problem}")
    assert (len(task.train), len(task.test)) == (7, 3)
    problems = {problem.id: problem for problem in (*task.train, *task.test)}
    assert problems["mine/n4"].prompt == "Q: What is 4 + 1?"
    assert problems["mine/n4"].answer == "5"
    again = _build(_file(tmp_path, _sums(10)), prompt="Q: {problem}")
    assert again == task
    other = _build(_file(tmp_path, _sums(10)), prompt="Q: {problem}", split_seed=1)
    assert {p.id for p in other.test} != {p.id for p in task.test}


def test_a_file_of_held_out_problems_is_kept_apart(tmp_path: Path) -> None:
    train = _file(tmp_path, _sums(6))
    rows = [{"question": f"And {n}?", "answer": "7"} for n in range(5)]
    task = _build(train, test_path=_file(tmp_path, rows, "test.jsonl"))
    assert (len(task.train), len(task.test)) == (6, 3)
    assert not {p.id for p in task.train} & {p.id for p in task.test}
    with pytest.raises(ValueError, match="6 held-out problems stand among the training problems"):
        _build(train, test_path=train, num_test=6)


def test_what_cannot_be_used_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = [
        *_sums(5),
        {"id": "empty", "question": "And this?", "answer": " "},
        {"id": "twin", "question": "What is 2 + 1?", "answer": "3"},
        {"id": "long", "question": "x" * 200, "answer": "1"},
    ]
    task = _build(_file(tmp_path, rows), max_prompt_chars=100)
    assert len(task.train) + len(task.test) == 5
    assert "the gold answer is empty: mine/empty" in task.notes
    assert "the text is that of mine/n2: mine/twin" in task.notes
    assert "left out (1): prompts of more than 100 characters" in task.notes


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"question": "a", "answer": "b"}\n{"question": ', "line 2 of .*mine.jsonl is no JSON"),
        ("[1]\n", "line 1 of .* is no JSON object"),
        ('{"q": "a", "answer": "b"}\n', "set task.arguments.question_columns"),
        ('{"question": "a", "gold": "b"}\n', "set task.arguments.answer_columns"),
        ('{"id": 1, "question": "a", "answer": "b"}\n' * 2, "the id mine/1 more than once"),
        ('{"question": "a", "answer": "b"}\n', "at least one must be left to train on"),
        ("", "at least one must be left"),
    ],
)
def test_mistakes_in_a_file_are_told_with_their_place(
    tmp_path: Path, content: str, words: str
) -> None:
    (tmp_path / "mine.jsonl").write_text(content)
    with pytest.raises(ValueError, match=words):
        _build(str(tmp_path / "mine.jsonl"))


def test_a_source_is_asked_for() -> None:
    with pytest.raises(ValueError, match=r"task\.arguments\.path=FILE"):
        _build(None)
    with pytest.raises(ValueError, match="there is no file"):
        _build("nowhere.jsonl")
    with pytest.raises(ValueError, match="there is no argument columns; a source has"):
        _build("nowhere.jsonl", columns=["a"])


def test_it_scores_what_needs_no_algebra_and_has_no_demonstrator(tmp_path: Path) -> None:
    task = _build(_file(tmp_path, _sums(5)))
    problem = task.train[0]
    assert task.reward(problem, rf"\boxed{{{problem.answer}.0}}") == 1.0
    assert task.reward(problem, r"\boxed{99}") == 0.0
    with pytest.raises(ValueError, match="has no demonstrator"):
        task.demonstrator()


SHARED = Path(__file__).parents[3] / "shared" / "benchmarks"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the benchmarks' files are not on this machine")
def test_real_rows_of_gsm8k(tmp_path: Path) -> None:
    task = _build(
        str(SHARED / "gsm8k_test.jsonl"),
        num_test=100,
    )
    assert (len(task.train), len(task.test)) == (1219, 100)
    assert all("####" not in problem.answer for problem in task.train)
