"""Benchmarks of a training: loaded and checked once, before the first step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hacpo.assembly.assignment import Assignment
from hacpo.assembly.benchmarks import (
    answer_settings,
    asked,
    benchmark_sampling,
    contaminated,
    grading_options,
    load_checked,
)
from hacpo.callbacks.benchmarks import BenchmarkEvaluation, TrainingBenchmark
from hacpo.callbacks.hub import Hub
from hacpo.config.benchmark import BenchmarkConfig
from hacpo.config.schema import Config, EvaluationConfig
from hacpo.evaluation.grading import GradingPool
from hacpo.evaluation.sources import LoadedBenchmark
from hacpo.rollout.tokens import TokenCodec
from hacpo.task.task import Task
from hacpo.types import AgentStatus, Phase

TABLE_ROWS = 50
"""Answers of a benchmark in one W&B table."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadBenchmark:
    """A benchmark with its problems, under the limits of training."""

    name: str
    config: BenchmarkConfig
    loaded: LoadedBenchmark


def read_benchmarks(config: Config) -> tuple[ReadBenchmark, ...]:
    """Read and check every configured benchmark; print what was read, corrected and left out.

    Raises:
        ValueError: with a sentence for the user, when a benchmark cannot be read.
    """
    found = []
    for name, own in config.benchmarks.items():
        benchmark = in_training(own, config.evaluation)
        with GradingPool(grading_options(benchmark)) as pool:
            loaded = load_checked(name, benchmark, pool)
        print(loaded.report())
        found.append(ReadBenchmark(name=name, config=benchmark, loaded=loaded))
    return tuple(found)


def benchmark_evaluation(
    assignment: Assignment,
    benchmarks: Sequence[ReadBenchmark],
    task: Task,
    codec: TokenCodec,
    hub: Hub,
) -> BenchmarkEvaluation | None:
    """Return the callback that answers the benchmarks; None without any.

    Problems that stand in the training task as well are printed.
    """
    if not benchmarks:
        return None
    config = assignment.config

    def report(benchmark: str, done: int, total: int) -> None:
        status = AgentStatus(phase=Phase.EVALUATE, step=done, total_steps=total, message=benchmark)
        hub.report(assignment.name, status)

    return BenchmarkEvaluation(
        [_training_benchmark(found, assignment, task, codec) for found in benchmarks],
        every_steps=config.evaluation.benchmark_every_steps,
        last_step=assignment.total_steps,
        seed=config.seed,
        chunk_problems=config.evaluation.chunk_problems,
        table_rows=TABLE_ROWS,
        folder=assignment.folder,
        on_progress=report,
    )


def in_training(benchmark: BenchmarkConfig, evaluation: EvaluationConfig) -> BenchmarkConfig:
    """Return a benchmark with the smaller limits that hold during training."""
    changes: dict[str, Any] = {
        "max_problems": evaluation.benchmark_max_problems,
        "max_new_tokens": evaluation.benchmark_max_new_tokens,
        "samples": evaluation.benchmark_samples,
    }
    return replace(benchmark, **{key: value for key, value in changes.items() if value is not None})


def _training_benchmark(
    found: ReadBenchmark, assignment: Assignment, task: Task, codec: TokenCodec
) -> TrainingBenchmark:
    in_task = contaminated(task.train, found.loaded)
    if in_task:
        print(
            f"contamination: {len(in_task)} problems of {found.name} stand in the training task "
            f"{task.name}: {', '.join(in_task[:10])}"
        )
    return TrainingBenchmark(
        name=found.name,
        problems=asked(found.config, found.loaded),
        sampling=benchmark_sampling(found.config),
        metric=found.config.metric,
        settings=answer_settings(assignment, codec, found.config, found.loaded),
        open_grader=partial(GradingPool, grading_options(found.config)),
    )
