"""From a benchmark's configuration to its source, its problems, its grading and its sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hacpo.assembly.assignment import Assignment
from hacpo.config.benchmark import BenchmarkConfig
from hacpo.evaluation.columns import GoldRule
from hacpo.evaluation.contamination import contamination
from hacpo.evaluation.grading import GradingOptions, GradingPool
from hacpo.evaluation.sources import (
    BenchmarkSource,
    LoadedBenchmark,
    load_benchmark,
    subset,
    with_prompt,
)
from hacpo.rollout.engine import SamplingSettings
from hacpo.rollout.tokens import TokenCodec
from hacpo.types import Problem


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


def grading_options(config: BenchmarkConfig) -> GradingOptions:
    """Return how strictly a benchmark's answers are compared.

    Raises:
        ValueError: with a sentence for the user, for an option that does not exist.
    """
    known = set(GradingOptions.__dataclass_fields__)
    unknown = set(config.grading) - known
    if unknown:
        raise ValueError(
            f"grading has no option {', '.join(sorted(unknown))}; it has {', '.join(sorted(known))}"
        )
    options: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in config.grading.items()
    }
    return GradingOptions(**options)


def load_checked(name: str, config: BenchmarkConfig, pool: GradingPool) -> LoadedBenchmark:
    """Return a benchmark whose golds its own grader accepts."""
    return load_benchmark(
        benchmark_source(name, config),
        accepts=lambda gold, answer: pool.grade_answer(gold, answer).right,
    )


def asked(config: BenchmarkConfig, loaded: LoadedBenchmark) -> tuple[Problem, ...]:
    """Return the problems that are asked, in the benchmark's prompt."""
    return with_prompt(subset(loaded.problems, config.max_problems), config.prompt)


def benchmark_sampling(config: BenchmarkConfig) -> SamplingSettings:
    """Return how a benchmark's answers are sampled."""
    return SamplingSettings(
        completions_per_prompt=config.samples,
        max_new_tokens=config.max_new_tokens,
        temperature=config.temperature,
        top_p=config.top_p,
    )


def contaminated(train: Sequence[Problem], loaded: LoadedBenchmark) -> list[str]:
    """Return the ids of problems that stand in the training task too."""
    return [match.benchmark_id for match in contamination(train, loaded.problems)]


def answer_settings(
    assignment: Assignment, codec: TokenCodec, config: BenchmarkConfig, loaded: LoadedBenchmark
) -> dict[str, Any]:
    """Return everything that shapes the answers, but the weights."""
    prompt = codec.prompt_format
    return {
        "model": asdict(assignment.agent.model),
        "tokenizer": len(codec.tokenizer),
        "stop_ids": sorted(codec.stop_ids),
        "template": prompt.template,
        "chat": prompt.chat,
        "system": prompt.system,
        "chat_arguments": dict(prompt.chat_arguments),
        "benchmark": {key: value for key, value in asdict(config).items() if key != "path"},
        "data": loaded.fingerprint,
        "engine": assignment.config.engine.name,
        "seed": assignment.config.seed,
        "chunk_problems": assignment.config.evaluation.chunk_problems,
    }
