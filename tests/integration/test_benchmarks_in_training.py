"""A training that is measured on the benchmark that the project brings along."""

from __future__ import annotations

from pathlib import Path

import pytest

from hacpo.evaluation.benchmark_result import read_results
from tests.integration.command import run

pytestmark = pytest.mark.slow


def test_figures_stand_in_the_summary_and_on_the_screen(tmp_path: Path) -> None:
    finished = run(
        tmp_path / "run",
        "benchmarks=embedded",
        "evaluation.benchmark_every_steps=1",
        "evaluation.benchmark_max_problems=10",
    )
    assert finished.code == 0, finished.output
    assert "embedded_sums" in finished.output
    for name in ("qwen", "llama"):
        (result,) = read_results(finished.agent(name))
        assert result.num_problems == 10
        headline = finished.summary["benchmarks"][name]["embedded_sums"]
        assert headline["metric"] == "avg@1"
        assert headline["value"] == result.headline.value
        kept = sorted(path.name for path in (finished.agent(name) / "benchmarks").iterdir())
        assert kept == ["embedded_sums-step000001.jsonl", "embedded_sums-step000002.jsonl"]
