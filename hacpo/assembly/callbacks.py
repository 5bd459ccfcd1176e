"""The callbacks of one agent, in the order in which they run."""

from __future__ import annotations

from dataclasses import dataclass

import lightning as L

from hacpo.assembly.assignment import Assignment
from hacpo.assembly.reward import build_part
from hacpo.assembly.settings import largest_shared
from hacpo.callbacks.benchmarks import BenchmarkEvaluation
from hacpo.callbacks.evaluation import HeldOutEvaluation
from hacpo.callbacks.exchange import RolloutExchange
from hacpo.callbacks.hub import Hub
from hacpo.callbacks.progress import ProgressReporter
from hacpo.callbacks.recording import MetricsRecorder
from hacpo.callbacks.samples import SampleRecorder
from hacpo.callbacks.saving import AgentSaver
from hacpo.config.algorithm import Exchange
from hacpo.config.relations_sharing import authors_of
from hacpo.evaluation.held_out import Evaluation
from hacpo.task.task import Task


@dataclass(frozen=True, kw_only=True)
class AgentCallbacks:
    """The callbacks, by what they do; None: the run has no such part."""

    exchange: RolloutExchange | None
    evaluation: HeldOutEvaluation | None
    benchmarks: BenchmarkEvaluation | None
    samples: SampleRecorder
    saver: AgentSaver
    recorder: MetricsRecorder
    progress: ProgressReporter

    def in_order(self) -> list[L.Callback]:
        """Return them so that the recorder sees all metrics and progress what was recorded."""
        parts = (
            self.exchange,
            self.evaluation,
            self.benchmarks,
            self.samples,
            self.recorder,
            self.progress,
            self.saver,
        )
        return [part for part in parts if part is not None]


def build_callbacks(
    assignment: Assignment,
    task: Task,
    hub: Hub,
    benchmarks: BenchmarkEvaluation | None = None,
) -> AgentCallbacks:
    """Return the callbacks that the configuration asks for."""
    config, folder = assignment.config, assignment.folder
    progress = ProgressReporter(hub, total_steps=assignment.total_steps)
    return AgentCallbacks(
        exchange=_exchange(assignment, hub),
        evaluation=_evaluation(assignment, task, progress),
        benchmarks=benchmarks,
        samples=SampleRecorder(
            folder / "samples.jsonl",
            every_steps=config.logger.samples_every_steps,
            prompts=config.logger.samples_prompts,
        ),
        saver=AgentSaver(
            checkpoint=folder / "checkpoint.ckpt",
            export=folder / "hf" if config.output.export else None,
            every_steps=config.trainer.checkpoint_every_steps,
            last_step=assignment.total_steps,
        ),
        recorder=MetricsRecorder(),
        progress=progress,
    )


def _exchange(assignment: Assignment, hub: Hub) -> RolloutExchange | None:
    config = assignment.config
    if config.algorithm.exchange is Exchange.none:
        return None
    return RolloutExchange(
        hub,
        authors=authors_of(config, assignment.name),
        window=config.algorithm.capability.window,
        max_shared_tokens=largest_shared(config.rollout),
    )


def _evaluation(
    assignment: Assignment, task: Task, progress: ProgressReporter
) -> HeldOutEvaluation | None:
    evaluation = assignment.config.evaluation
    problems = task.test[: evaluation.max_problems]
    if not problems:
        return None

    def remember(result: Evaluation) -> None:
        progress.accuracy = result.accuracy

    return HeldOutEvaluation(
        problems,
        score=build_part(evaluation.score, task).grade,
        every_steps=evaluation.every_steps,
        last_step=assignment.total_steps,
        max_new_tokens=assignment.config.rollout.max_new_tokens,
        at_start=evaluation.at_start,
        path=assignment.folder / "evaluation.jsonl",
        on_evaluation=remember,
    )
