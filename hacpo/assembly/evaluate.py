"""`mode=evaluate`: one model answers benchmarks, in a process of its own, without any training."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from hacpo.assembly.assignment import Assignment
from hacpo.assembly.benchmarks import (
    answer_settings,
    asked,
    benchmark_sampling,
    contaminated,
    grading_options,
    load_checked,
)
from hacpo.assembly.loading import check_accelerator, description, load_model_and_codec
from hacpo.assembly.task import build_task
from hacpo.callbacks.hub import Hub
from hacpo.config.benchmark import BenchmarkConfig
from hacpo.evaluation.answer_file import AnswerFile
from hacpo.evaluation.benchmark_result import BenchmarkResult, benchmark_result, write_results
from hacpo.evaluation.benchmark_run import BenchmarkRun
from hacpo.evaluation.grading import GradingPool
from hacpo.evaluation.sources import LoadedBenchmark
from hacpo.model.digest import weights_digest
from hacpo.rollout.hf import HFEngine
from hacpo.rollout.tokens import TokenCodec
from hacpo.task.task import Task
from hacpo.types import AgentStatus, AgentSummary, Phase

DONE = "all benchmarks answered"


def run_evaluation(name: str, assignment: Assignment, hub: Hub) -> None:
    """Answer every benchmark of the configuration and hand in a summary.

    Answers are kept under `output.cache`, in a folder named after all that shapes them, so the
    same command goes on where an interrupted one stopped. Figures go to `benchmarks.json`.
    """
    check_accelerator(assignment.config.trainer.accelerator)
    disable_progress_bar()  # type: ignore[no-untyped-call]  # the log is a file
    started = time.perf_counter()
    hub.report(name, AgentStatus(phase=Phase.LOAD))
    task = build_task(assignment.config)
    model, codec = load_model_and_codec(assignment.agent, task)
    torch.nn.Module.to(model, _device(assignment))
    print(description(model, codec))
    hub.join(name)
    evaluator = Evaluator(
        assignment=assignment,
        hub=hub,
        model=model,
        codec=codec,
        task=task,
        weights=weights_digest(model),
    )
    results = [
        evaluator.run(benchmark, config)
        for benchmark, config in assignment.config.benchmarks.items()
    ]
    write_results(assignment.folder, results)
    hub.report(name, AgentStatus(phase=Phase.DONE))
    hub.finish(name, _summary(results, seconds=time.perf_counter() - started))


@dataclass(frozen=True, kw_only=True)
class Evaluator:
    """One model and what its answers are made with."""

    assignment: Assignment
    hub: Hub
    model: PreTrainedModel
    codec: TokenCodec
    task: Task
    weights: str
    """Fingerprint of the model's weights."""

    def run(self, name: str, config: BenchmarkConfig) -> BenchmarkResult:
        """Answer one benchmark and return its figures."""
        with GradingPool(grading_options(config)) as pool:
            loaded = load_checked(name, config, pool)
            self._report_data(loaded)
            settings = self._settings(config, loaded)
            key = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
            kept = self.assignment.cache_dir / "evaluation" / key / f"{name}.jsonl"
            run = BenchmarkRun(
                name=name,
                engine=HFEngine(
                    self.model, self.codec, batch_size=self.assignment.config.engine.batch_size
                ),
                codec=self.codec,
                grade=pool.grade_many,
                sampling=benchmark_sampling(config),
                seed=self.assignment.config.seed,
                chunk_problems=self.assignment.config.evaluation.chunk_problems,
            )
            answers = run.answer(
                asked(config, loaded),
                AnswerFile(kept, settings=settings),
                lambda done, total: self._report_progress(name, done, total),
            )
        self._copy(kept, name)
        return benchmark_result(
            name,
            answers,
            metric=config.metric,
            settings=settings,
            seed=self.assignment.config.seed,
        )

    def _settings(self, config: BenchmarkConfig, loaded: LoadedBenchmark) -> dict[str, Any]:
        """Return everything that shapes the answers."""
        settings = answer_settings(self.assignment, self.codec, config, loaded)
        return {"weights": self.weights, **settings}

    def _report_data(self, loaded: LoadedBenchmark) -> None:
        print(loaded.report())
        found = contaminated(self.task.train, loaded)
        if found:
            print(
                f"  contamination: {len(found)} problems of {loaded.name} stand in the training "
                f"task {self.task.name}: {', '.join(found[:10])}"
            )

    def _report_progress(self, benchmark: str, done: int, total: int) -> None:
        status = AgentStatus(phase=Phase.EVALUATE, step=done, total_steps=total, message=benchmark)
        self.hub.report(self.assignment.name, status)

    def _copy(self, kept: Path, name: str) -> None:
        folder = self.assignment.folder / "benchmarks"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(kept, folder / f"{name}.jsonl")


def _device(assignment: Assignment) -> str:
    return "cuda" if assignment.config.trainer.accelerator == "gpu" else "cpu"


def _summary(results: list[BenchmarkResult], *, seconds: float) -> AgentSummary:
    samples = {result.benchmark: result.num_problems * result.num_samples for result in results}
    tokens = sum(result.mean_length * samples[result.benchmark] for result in results)
    return AgentSummary(
        accuracy_before=None,
        accuracy_after=None,
        accuracy_best=None,
        accuracy_mean=None,
        rollouts=sum(samples.values()),
        generated_tokens=round(tokens),
        trained_tokens=0,
        updates=0,
        steps=0,
        seconds={"evaluate": seconds},
        stop_reason=DONE,
        checkpoint=None,
        export=None,
        samples=None,
        wandb_dir=None,
    )
