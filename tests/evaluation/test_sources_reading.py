"""Rows come out of files and the hub as problems, or a sentence says why not."""

from __future__ import annotations

import builtins
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from hacpo.evaluation import readers
from hacpo.evaluation.columns import GoldRule
from hacpo.evaluation.readers import read_file, read_hub
from hacpo.evaluation.sources import BenchmarkSource, load_benchmark
from hacpo.types import Problem


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def loaded(path: Path, **settings: Any) -> tuple[Problem, ...]:
    return load_benchmark(BenchmarkSource(name="own", path=path, **settings)).problems


def test_columns_have_several_names(tmp_path: Path) -> None:
    file = written(
        tmp_path / "a.jsonl",
        {"id": "own/a", "problem": "1+1?", "answer": "2"},
        {"id": 7, "question": "2+2?", "answer": 4},
        {"question": "3+3?", "answer": 6.5},
    )
    assert loaded(file) == (
        Problem(id="own/a", prompt="1+1?", answer="2"),
        Problem(id="own/7", prompt="2+2?", answer="4"),
        Problem(id="own/test/2", prompt="3+3?", answer="6.5"),
    )


def test_nested_columns_and_lists(tmp_path: Path) -> None:
    row = {"prompt": {"text": "Roots?"}, "final_answer": ["$1$", "$2$"]}
    file = written(tmp_path / "a.jsonl", row)
    settings = {"question_columns": ("prompt.text",), "answer_columns": ("final_answer",)}
    assert loaded(file, **settings)[0].answer == "$1$, $2$"


def test_gold_of_a_worked_solution(tmp_path: Path) -> None:
    rule = {"gold_rule": GoldRule.AFTER_HASHES}
    file = written(
        tmp_path / "a.jsonl",
        {"question": "a", "answer": "2 #### of 3 is\n#### 1,450"},
        {"question": "b", "answer": "18"},
    )
    assert [problem.answer for problem in loaded(file, **rule)] == ["1,450", "18"]


@pytest.mark.parametrize(
    ("solution", "gold"),
    [
        (r"so \boxed{1} and then \boxed{\frac{1}{\sqrt{2}}}.", r"\frac{1}{\sqrt{2}}"),
        (r"so $\boxed{(-2,18)}$ or $\boxed{(8,38)}$", "(8,38)"),
        (r"thus \boxed 2 $", "2"),
        (r"the set \boxed{\{1,2\}}", r"\{1,2\}"),
    ],
)
def test_gold_is_the_last_box_where_there_is_no_answer(
    solution: str, gold: str, tmp_path: Path
) -> None:
    file = written(tmp_path / "a.jsonl", {"problem": "a", "solution": solution})
    assert loaded(file, solution_column="solution")[0].answer == gold


def test_answer_wins_over_the_solution(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", {"problem": "a", "answer": "3", "solution": r"\boxed{4}"})
    assert loaded(file, solution_column="solution")[0].answer == "3"


def test_solution_without_a_box_gives_an_empty_gold(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", {"problem": "a", "solution": "I do not know"})
    source = BenchmarkSource(name="own", path=file, solution_column="solution")
    assert [entry.reason for entry in load_benchmark(source).dropped] == [
        "the gold answer is empty"
    ]


def test_line_separators_inside_of_texts_end_no_line(tmp_path: Path) -> None:
    text = "one\u2028two\u0085three\x0cfour"
    file = written(tmp_path / "a.jsonl", {"problem": text, "answer": "4"})
    file.write_text(file.read_text() + "\n  \n")
    assert [problem.prompt for problem in loaded(file)] == [text]


def test_parquet_file(tmp_path: Path) -> None:
    table = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"id": "0", "question": "1+1?", "answer": 2.0}, {"question": "2+2?", "answer": 4.0}]
    parquet.write_table(table.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert loaded(tmp_path / "a.parquet") == (
        Problem(id="own/0", prompt="1+1?", answer="2.0"),
        Problem(id="own/test/1", prompt="2+2?", answer="4.0"),
    )
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ValueError, match=r"b\.parquet is no readable Parquet file"):
        read_file(tmp_path / "b.parquet")


@pytest.fixture
def without_optional_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where the extra `eval` is not installed."""
    real = importlib.import_module

    def refuse(name: str, package: str | None = None) -> Any:
        if name.partition(".")[0] in ("datasets", "pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, package)

    monkeypatch.setattr(readers.importlib, "import_module", refuse)


@pytest.mark.usefixtures("without_optional_packages")
def test_missing_package_is_named_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(ValueError, match=r"needs the package pyarrow: pip install 'hacpo\[eval\]'"):
        read_file(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"openai/gsm8k from the hub needs the package datasets"):
        read_hub("openai/gsm8k", configs=("main",), split="test", revision=None)


@pytest.mark.usefixtures("without_optional_packages")
def test_benchmark_that_the_hub_does_not_give_names_the_way_out() -> None:
    source = BenchmarkSource(name="gsm8k", hub_id="openai/gsm8k")
    with pytest.raises(ValueError, match=r"A local file does as well: benchmarks\.gsm8k\.path="):
        load_benchmark(source)


def test_hub_without_network_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ValueError, match=r"the split test of no/such-data \(main\) at revision ab"):
        read_hub("no/such-data", configs=("main",), split="test", revision="ab")


class StandIn:
    """What `datasets` looks like from here."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def load_dataset(
        self, hub_id: str, config: str | None, *, split: str, revision: str | None
    ) -> list[dict[str, str]]:
        self.asked.append((hub_id, config, split, revision))
        if config == "broken":
            raise ConnectionError("no route to host\nand a long story")
        return [{"problem": f"{config}?", "answer": "1"}]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A hub that answers at once."""
    stand_in = StandIn()
    monkeypatch.setattr(readers.importlib, "import_module", lambda name: stand_in)
    return stand_in


def test_configurations_are_read_one_after_the_other(hub: StandIn) -> None:
    source = BenchmarkSource(name="own", hub_id="a/b", configs=("x", "y"), revision="c0")
    result = load_benchmark(source)
    assert hub.asked == [("a/b", "x", "test", "c0"), ("a/b", "y", "test", "c0")]
    assert [problem.id for problem in result.problems] == ["own/test/0", "own/test/1"]
    assert "no revision is pinned" not in result.report()


def test_default_configuration_and_open_revision(hub: StandIn) -> None:
    report = load_benchmark(BenchmarkSource(name="own", hub_id="a/b")).report()
    assert hub.asked == [("a/b", None, "test", None)]
    assert "no revision is pinned, so the hub's newest was read" in report


@pytest.mark.usefixtures("hub")
def test_failure_of_the_hub_is_told_in_one_sentence() -> None:
    source = BenchmarkSource(name="own", hub_id="a/b", configs=("x", "broken"), split="train")
    with pytest.raises(ValueError, match="the split train of a/b") as caught:
        load_benchmark(source)
    told = str(caught.value)
    assert "(broken)" in told
    assert "ConnectionError: no route to host. A local file" in told
    assert "long story" not in told


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no file .*none\.jsonl"):
        read_file(tmp_path / "none.jsonl")
    (tmp_path / "a.csv").write_text("a,b\n")
    with pytest.raises(ValueError, match=r"neither a \.jsonl nor a \.parquet file"):
        read_file(tmp_path / "a.csv")
    (tmp_path / "b.jsonl").write_text('{"problem": "a"}\n{"problem": \n')
    with pytest.raises(ValueError, match=r"line 2 of .*b\.jsonl is no JSON:"):
        read_file(tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").write_text("[1]\n")
    with pytest.raises(ValueError, match=r"line 1 of .*c\.jsonl is no JSON object"):
        read_file(tmp_path / "c.jsonl")
    (tmp_path / "d.jsonl").write_bytes(b'{"problem": "\xff"}\n')
    with pytest.raises(ValueError, match=r"d\.jsonl is not UTF-8 text"):
        read_file(tmp_path / "d.jsonl")


def test_missing_columns_are_named_with_those_that_are_there(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", {"text": "a", "gold": "1"})
    with pytest.raises(ValueError, match=r"row 1 .* problem, question; its columns are text, gold"):
        loaded(file)
    with pytest.raises(ValueError, match=r"set benchmarks\.own\.answer_columns"):
        loaded(file, question_columns=("text",))


def test_cell_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", {"problem": "a", "answer": True})
    with pytest.raises(ValueError, match="True is neither a text nor a number"):
        loaded(file)


def test_reading_needs_none_of_the_optional_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        assert name.partition(".")[0] not in ("datasets", "pyarrow", "torch")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert loaded(written(tmp_path / "a.jsonl", {"problem": "a", "answer": "1"}))
