"""Benchmarks answered during training, every so many steps and after the last."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import lightning as L
from lightning.pytorch.loggers import WandbLogger

from hacpo.agent.metrics import Metrics
from hacpo.agent.module import Agent
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.callbacks.recording import STEP_KEY
from hacpo.evaluation.answer_file import AnswerFile, GradedAnswer
from hacpo.evaluation.benchmark_result import BenchmarkResult, benchmark_result, write_results
from hacpo.evaluation.benchmark_run import BenchmarkRun, Verdict
from hacpo.rollout.engine import SamplingSettings
from hacpo.types import Problem

log = logging.getLogger(__name__)

TABLE_COLUMNS = ("problem_id", "prompt", "completion", "gold", "extracted", "right", "way")
Progress = Callable[[str, int, int], None]
"""Called with (benchmark, answered problems, all problems)."""


class Grader(Protocol):
    """Grades (gold, completion) pairs."""

    def grade_many(self, pairs: Sequence[tuple[str, str]], /) -> Sequence[Verdict]:
        """Return the verdicts in the order of the pairs."""
        ...


@dataclass(frozen=True, kw_only=True)
class TrainingBenchmark:
    """One benchmark as it is answered during training."""

    name: str
    problems: tuple[Problem, ...]
    sampling: SamplingSettings
    metric: str
    settings: Mapping[str, Any]
    """All that shapes the answers but the step."""
    open_grader: Callable[[], AbstractContextManager[Grader]]
    """Its processes live only while a benchmark is graded."""


class BenchmarkEvaluation(AgentCallback):
    """Answers benchmarks with the agent as it is. It draws from no generator of the training."""

    def __init__(
        self,
        benchmarks: Sequence[TrainingBenchmark],
        *,
        every_steps: int,
        last_step: int,
        seed: int,
        chunk_problems: int,
        table_rows: int,
        folder: Path,
        on_progress: Progress,
    ) -> None:
        """Evaluate on `benchmarks`.

        Args:
            benchmarks: loaded and checked.
            every_steps: steps between evaluations; 0: only after `last_step`.
            last_step: an evaluation follows this step in any case.
            seed: of sampling and of the bootstrap.
            chunk_problems: problems that are sampled and graded together.
            table_rows: answers of a benchmark that go into the table of W&B.
            folder: of the agent; answers lie in `benchmarks/`, figures in `benchmarks.json`.
            on_progress: told after every chunk.
        """
        self._benchmarks = benchmarks
        self._every_steps = every_steps
        self._last_step = last_step
        self._seed = seed
        self._chunk_problems = chunk_problems
        self._table_rows = table_rows
        self._folder = folder
        self._on_progress = on_progress

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Answer all benchmarks when it is due."""
        due = self._every_steps > 0 and step % self._every_steps == 0
        if not due and step != self._last_step:
            return
        results = []
        for benchmark in self._benchmarks:
            with agent.clock("benchmark"), agent.precision():
                answers = self._answers(agent, benchmark, step)
            result = benchmark_result(
                benchmark.name,
                answers,
                metric=benchmark.metric,
                settings={**benchmark.settings, "step": step},
                seed=self._seed,
            )
            results.append(result)
            agent.step_metrics |= benchmark_metrics(result)
            self._log_table(trainer, benchmark.name, answers, step)
        write_results(self._folder, results)

    def _answers(
        self, agent: Agent, benchmark: TrainingBenchmark, step: int
    ) -> tuple[GradedAnswer, ...]:
        path = self._folder / "benchmarks" / f"{benchmark.name}-step{step:06d}.jsonl"
        with benchmark.open_grader() as grader:
            run = BenchmarkRun(
                name=benchmark.name,
                engine=agent.collector.engine,
                codec=agent.collector.codec,
                grade=grader.grade_many,
                sampling=benchmark.sampling,
                seed=self._seed,
                chunk_problems=self._chunk_problems,
            )
            return run.answer(
                benchmark.problems,
                AnswerFile(path, settings={**benchmark.settings, "step": step}),
                lambda done, total: self._on_progress(benchmark.name, done, total),
            )

    def _log_table(
        self, trainer: L.Trainer, name: str, answers: Sequence[GradedAnswer], step: int
    ) -> None:
        rows = [[getattr(a, column) for column in TABLE_COLUMNS] for a in answers]
        for logger in trainer.loggers:
            if not isinstance(logger, WandbLogger):
                continue
            try:
                import wandb

                table = wandb.Table(columns=list(TABLE_COLUMNS), data=rows[: self._table_rows])
                values: dict[str, Any] = {f"benchmark/{name}/samples": table, STEP_KEY: float(step)}
                logger.log_metrics(values, step=step)
            except Exception as error:  # W&B is best effort
                log.warning("the table of %s did not reach W&B: %s", name, error)


def benchmark_metrics(result: BenchmarkResult) -> Metrics:
    """Return the figures of one benchmark under its name."""
    prefix = f"benchmark/{result.benchmark}"
    return {
        f"{prefix}/score": result.headline.value,
        f"{prefix}/low": result.headline.low,
        f"{prefix}/high": result.headline.high,
        f"{prefix}/truncated_share": result.truncated_share,
        f"{prefix}/length_mean": result.mean_length,
    }
