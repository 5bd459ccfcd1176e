"""What every agent process does from its start to its end."""

from __future__ import annotations

import statistics

import lightning as L
from transformers.utils.logging import disable_progress_bar

from hacpo.agent.module import Agent
from hacpo.agent.steps import step_loader
from hacpo.assembly.agent import build_agent
from hacpo.assembly.assignment import Assignment
from hacpo.assembly.callbacks import AgentCallbacks, build_callbacks
from hacpo.assembly.loading import check_accelerator, own_devices
from hacpo.assembly.loggers import build_loggers, close_loggers, wandb_folder
from hacpo.assembly.training_benchmarks import benchmark_evaluation, read_benchmarks
from hacpo.callbacks.evaluation import HeldOutEvaluation
from hacpo.callbacks.hub import Hub
from hacpo.types import AgentStatus, AgentSummary, Phase


def run_agent(name: str, assignment: Assignment, hub: Hub) -> None:
    """Build one agent, let it learn beside the others, and hand in its summary."""
    check_accelerator(assignment.config.trainer.accelerator)
    disable_progress_bar()  # type: ignore[no-untyped-call]  # the log is a file
    benchmarks = read_benchmarks(assignment.config)  # a missing one ends the run before any work
    built = build_agent(assignment, lambda status: hub.report(name, status))
    measuring = benchmark_evaluation(
        assignment, benchmarks, built.task, built.agent.collector.codec, hub
    )
    callbacks = build_callbacks(assignment, built.task, hub, measuring)
    loggers = build_loggers(assignment)
    wandb_dir = wandb_folder(loggers)  # now: the run may not live to the end
    trainer = L.Trainer(
        accelerator=assignment.config.trainer.accelerator,
        devices=own_devices(
            list(assignment.config.agents),
            name,
            accelerator=assignment.config.trainer.accelerator,
            devices=assignment.config.trainer.devices,
        ),
        precision=assignment.agent.precision.value,
        max_epochs=1,
        logger=loggers,
        callbacks=callbacks.in_order(),
        default_root_dir=assignment.folder,
        log_every_n_steps=1,
        # Each of these has a part of ours: own table, own checkpoints, own evaluation.
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        num_sanity_val_steps=0,
        limit_val_batches=0,
        use_distributed_sampler=False,
    )
    with built.agent.clock("start"):
        hub.join(name)
    trainer.fit(built.agent, train_dataloaders=step_loader(assignment.total_steps))
    close_loggers(loggers)
    summary = summarize(built.agent, callbacks, steps=assignment.total_steps, wandb_dir=wandb_dir)
    hub.report(name, _done(summary))
    hub.finish(name, summary)


def summarize(
    agent: Agent, callbacks: AgentCallbacks, *, steps: int, wandb_dir: str | None
) -> AgentSummary:
    """Return what an agent's run came to."""
    before, after, best, mean = accuracies(callbacks.evaluation)
    saver = callbacks.saver
    return AgentSummary(
        accuracy_before=before,
        accuracy_after=after,
        accuracy_best=best,
        accuracy_mean=mean,
        rollouts=agent.spent.rollouts,
        generated_tokens=agent.spent.generated_tokens,
        trained_tokens=agent.spent.trained_tokens,
        updates=agent.spent.updates,
        steps=steps,
        seconds=dict(agent.clock.total),
        stop_reason="budget: steps",
        checkpoint=str(saver.checkpoint),
        export=str(saver.export) if saver.export else None,
        samples=str(callbacks.samples.path),
        wandb_dir=wandb_dir,
    )


def accuracies(
    evaluation: HeldOutEvaluation | None,
) -> tuple[float | None, float | None, float | None, float | None]:
    """Return accuracy before learning, after it, the best after it began, and their mean."""
    history = evaluation.history if evaluation is not None else {}
    learnt = [history[step] for step in sorted(history) if step > 0]
    if not learnt:
        return history.get(0), None, None, None
    return history.get(0), learnt[-1], max(learnt), statistics.fmean(learnt)


def _done(summary: AgentSummary) -> AgentStatus:
    return AgentStatus(
        phase=Phase.DONE,
        step=summary.steps,
        total_steps=summary.steps,
        accuracy=summary.accuracy_after,
        budget_left=0.0,
    )
