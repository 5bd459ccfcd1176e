"""Every setting of a benchmark's source reaches it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from hacpo.assembly.benchmarks import benchmark_source
from hacpo.config.benchmark import BenchmarkConfig
from hacpo.evaluation.columns import GoldRule
from hacpo.evaluation.sources import BenchmarkSource


def test_source_is_what_the_configuration_says() -> None:
    config = BenchmarkConfig(
        hub_id="a/b",
        configs=["x"],
        split="train",
        revision="c0",
        path="f.jsonl",
        id_columns=["key"],
        question_columns=["text"],
        answer_columns=["gold"],
        solution_column="worked",
        gold="after_hashes",
        expected_count=3,
        fingerprint="ab",
    )
    source = benchmark_source("own", config)
    assert source == BenchmarkSource(
        name="own",
        hub_id="a/b",
        configs=("x",),
        split="train",
        revision="c0",
        path=Path("f.jsonl"),
        id_columns=("key",),
        question_columns=("text",),
        answer_columns=("gold",),
        solution_column="worked",
        gold_rule=GoldRule.AFTER_HASHES,
        expected_count=3,
        fingerprint="ab",
    )
    untouched = BenchmarkSource(name="own")
    assert all(
        getattr(source, field.name) != getattr(untouched, field.name)
        for field in fields(source)
        if field.name not in ("name", "key")
    ), "a new field of the source is set here too"


def test_defaults_agree() -> None:
    assert benchmark_source("own", BenchmarkConfig()) == BenchmarkSource(name="own")
