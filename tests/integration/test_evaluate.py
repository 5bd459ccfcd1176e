"""`mode=evaluate` through the command line: figures, files, and going on after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from hacpo.evaluation.benchmark_result import read_results
from tests.integration.command import PROJECT, environment, run, run_command

pytestmark = pytest.mark.slow

PROBLEMS = 600


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sums as a benchmark of one's own; every fifth gold is what no model writes."""
    path = tmp_path_factory.mktemp("benchmark") / "sums.jsonl"
    rows = [
        {
            "id": f"sum/{number}",
            "problem": f"{number % 10}+{number // 10 % 10}+{number // 100}=",
            "answer": "12",
        }
        for number in range(PROBLEMS)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def _overrides(benchmark: Path) -> list[str]:
    return [
        "mode=evaluate",
        "agents=solo",
        "agents.qwen.warm_start.steps=0",
        "+benchmark@benchmarks.sums=math500",
        f"benchmarks.sums.path={benchmark}",
        "benchmarks.sums.expected_count=null",
        "benchmarks.sums.fingerprint=null",
        "benchmarks.sums.prompt='{problem}'",
        "benchmarks.sums.id_columns=[id]",
        "benchmarks.sums.samples=2",
        "benchmarks.sums.temperature=1.0",
        "benchmarks.sums.max_new_tokens=16",
        "evaluation.chunk_problems=20",
    ]


def test_an_evaluation_killed_in_the_middle_ends_like_one_that_was_not(
    benchmark: Path, tmp_path: Path
) -> None:
    whole = run(tmp_path / "a" / "whole", *_overrides(benchmark))
    assert whole.code == 0, whole.output
    assert "avg@2" in whole.output

    command = run_command(tmp_path / "b" / "killed", *_overrides(benchmark))
    process = subprocess.Popen(
        command, cwd=PROJECT, env=environment(), stdout=subprocess.DEVNULL, start_new_session=True
    )
    cache = tmp_path / "b" / "cache" / "evaluation"
    deadline = time.monotonic() + 120
    while not any(path.read_bytes().count(b"\n") > 3 for path in cache.rglob("*.jsonl")):
        assert time.monotonic() < deadline
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (kept,) = cache.rglob("*.jsonl")
    chunks_before = kept.read_bytes().count(b"\n") - 1

    again = run(tmp_path / "b" / "again", *_overrides(benchmark))
    assert again.code == 0, again.output
    assert 0 < chunks_before < PROBLEMS // 20
    one, other = (finished.agent("qwen") / "benchmarks" for finished in (whole, again))
    assert (one / "sums.jsonl").read_text() == (other / "sums.jsonl").read_text()
    (first,), (second,) = (read_results(finished.agent("qwen")) for finished in (whole, again))
    assert first == second
    assert (first.num_problems, first.num_samples) == (PROBLEMS, 2)
    assert again.summary["benchmarks"]["qwen"]["sums"]["value"] == first.headline.value


def test_a_file_without_golds_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    path.write_text('{"id": "a", "problem": "3+4="}\n')
    finished = run(tmp_path / "run", *_overrides(path))
    assert finished.code != 0
    assert "answer_columns" in finished.output
    assert "Traceback" not in finished.output
