"""Benchmarks and evaluations on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hacpo.config.schema import Mode
from hacpo.evaluation.known_faults import KNOWN_FAULTS
from tests.config.composing import checked, composed, flat, options, refused, without_hydra

ONE = "benchmarks=math500_only"
AT = "benchmarks.math500"
SMALL = f"{AT}.max_new_tokens=64"
"""Fits into the tiny models."""


def test_default_trains_without_benchmarks() -> None:
    config = checked()
    assert config.mode is Mode.train
    assert config.benchmarks == {}


def test_paper_has_seven_with_its_settings() -> None:
    suite = checked("benchmarks=paper7").benchmarks
    others = {"embedded_sums", "jsonl"}
    assert sorted(suite) == sorted(set(options("benchmark")) - others) == sorted(KNOWN_FAULTS)
    assert {each.expected_count for each in suite.values()} == {500, 5000, 1319, 30, 40, 272, 674}
    assert {each.max_new_tokens for each in suite.values()} == {8192}
    assert len({each.prompt for each in suite.values()}) == 1
    measured = {name: (each.metric, each.samples) for name, each in suite.items()}
    assert measured.pop("aime25") == ("best", 30)
    assert set(measured.values()) == {("avg", 1)}
    assert suite["aime25"].temperature > 0
    assert all(each.fingerprint for each in suite.values())


def test_one_value_of_one_benchmark_is_set(tmp_path: Path) -> None:
    file = tmp_path / "math500.jsonl"
    file.write_text("")
    config = checked("benchmarks=paper7", f"{AT}.path={file}", f"{AT}.max_problems=9")
    assert config.benchmarks["math500"].path == str(file)
    assert config.benchmarks["math500"].max_problems == 9
    assert config.benchmarks["math"].path is None


def test_benchmark_is_added_to_a_suite_or_stands_alone() -> None:
    more = checked(ONE, "+benchmark@benchmarks.gsm8k=gsm8k").benchmarks
    assert list(more) == ["math500", "gsm8k"]
    assert list(checked("+benchmark@benchmarks.gsm8k=gsm8k").benchmarks) == ["gsm8k"]
    fewer = checked("benchmarks=paper7", "~benchmarks.math").benchmarks
    assert len(fewer) == 6


def test_suites_change_nothing_else() -> None:
    without = flat(without_hydra(composed()))
    suite = flat(without_hydra(composed("benchmarks=paper7")))
    changed = {key for key in suite if suite[key] != without.get(key)}
    assert {key.partition(".")[0] for key in changed} == {"benchmarks"}


def test_evaluation_needs_nothing_that_only_learning_needs() -> None:
    alone = ["mode=evaluate", ONE, SMALL, "agents=solo"]
    assert checked(*alone).mode is Mode.evaluate
    assert checked(*alone, "rollout.completions_per_prompt=1", "budget.scale=0.001")
    assert checked(*alone, "rollout.max_new_tokens=4096", "algorithm.update.sequences=100000")
    assert "'qwen' is the only agent" in refused("agents=solo", ONE)


def test_evaluation_is_named_after_what_it_does() -> None:
    assert checked("mode=evaluate", ONE, SMALL).name == "tiny_pair-evaluate"
    assert checked(ONE).name == "tiny_pair-hacpo"


REFUSED = [
    (["mode=evaluate"], "needs benchmarks", "benchmarks=paper7"),
    (["mode=evalute"], "must be one of train, evaluate", "mode=evaluate"),
    (["mode=evaluate", ONE], "fit into the 128 positions", f"{AT}.max_new_tokens=64"),
    (["benchmarks=paper8"], "no option 'paper8'", "benchmarks=paper7"),
    (["benchmark=math500"], "chosen with a suite", "+benchmark@benchmarks.math500=math500"),
    (["benchmark@benchmarks.x=math500"], "chosen with a suite", "benchmarks=paper7"),
    ([f"{AT}.path=a.jsonl"], "no benchmark is chosen", f"benchmarks=paper7 {AT}.path=a.jsonl"),
    ([ONE, f"{AT}.pth=a.jsonl"], f"no setting {AT}.pth", f"{AT}.path=a.jsonl"),
    ([ONE, "+benchmark@benchmarks.math500=math"], "Two benchmarks are called", "in its place"),
    ([ONE, f"{AT}.path=/no/where.jsonl"], "no file /no/where.jsonl", f"{AT}.path=FILE"),
    ([ONE, f"{AT}.path=/dev/null"], "neither a .jsonl nor a .parquet", f"{AT}.path=FILE.jsonl"),
    ([ONE, f"{AT}.hub_id=null"], "set hub_id or path", f"{AT}.path=FILE"),
    ([ONE, f"{AT}.prompt=Answer"], "has no {problem}", f"{AT}.prompt"),
    ([ONE, f"{AT}.question_columns=[]"], "No column holds the problem", f"{AT}.question_columns"),
    ([ONE, f"{AT}.answer_columns=[]"], "No column holds the gold", f"{AT}.answer_columns"),
    ([ONE, f"{AT}.samples=8"], "8 samples at temperature 0 are all the same", "temperature=1.0"),
    ([ONE, f"{AT}.top_p=.9"], "no effect at temperature 0", f"{AT}.top_p=1"),
    ([ONE, f"{AT}.top_p=1.5", f"{AT}.temperature=1"], "at most 1", f"{AT}.top_p"),
    ([ONE, f"{AT}.metric=bets"], "must be one of avg, any, pass, maj, best", f"{AT}.metric=best"),
    ([ONE, f"{AT}.gold=boxed"], "must be one of verbatim, after_hashes", f"{AT}.gold"),
    ([ONE, f"{AT}.max_problems=0"], "must be at least 1", f"{AT}.max_problems"),
    (["+benchmark@benchmarks.a/b=math500"], "a/b", ""),
]


@pytest.mark.parametrize(("overrides", "wrong", "right"), REFUSED, ids=lambda part: str(part)[:60])
def test_mistake_is_told(overrides: list[str], wrong: str, right: str) -> None:
    told = refused(*overrides)
    assert wrong in told
    assert right in told
    assert len(told.splitlines()) <= 3
