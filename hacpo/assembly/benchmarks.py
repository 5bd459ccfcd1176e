"""From the configuration of a benchmark to its source."""

from __future__ import annotations

from pathlib import Path

from hacpo.config.benchmark import BenchmarkConfig
from hacpo.evaluation.columns import GoldRule
from hacpo.evaluation.sources import BenchmarkSource


def benchmark_source(name: str, benchmark: BenchmarkConfig) -> BenchmarkSource:
    """Return where the problems of `benchmarks.NAME` come from."""
    return BenchmarkSource(
        name=name,
        hub_id=benchmark.hub_id,
        configs=tuple(benchmark.configs),
        split=benchmark.split,
        revision=benchmark.revision,
        path=None if benchmark.path is None else Path(benchmark.path),
        id_columns=tuple(benchmark.id_columns),
        question_columns=tuple(benchmark.question_columns),
        answer_columns=tuple(benchmark.answer_columns),
        solution_column=benchmark.solution_column,
        gold_rule=GoldRule(benchmark.gold),
        expected_count=benchmark.expected_count,
        fingerprint=benchmark.fingerprint,
    )
