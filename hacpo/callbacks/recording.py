"""Writes the metrics of every step to all loggers, on the run's own step axis."""

from __future__ import annotations

import logging
import math
import time

import lightning as L
from lightning.pytorch.loggers import CSVLogger, Logger

from hacpo.agent.module import Agent
from hacpo.callbacks.agent_callback import AgentCallback

log = logging.getLogger(__name__)

STEP_KEY = "step"


class MetricsRecorder(AgentCallback):
    """The one writer of metrics; it comes after every callback that adds some.

    Lightning's own `global_step` counts optimizer updates, so it is not used: a row's step is the
    number of finished steps of the run, and row 0 is the evaluation before learning.
    """

    def __init__(self) -> None:
        """Start with nothing written."""
        self._since = time.perf_counter()
        self._lost: set[int] = set()

    def before_learning(self, trainer: L.Trainer, agent: Agent) -> None:
        """Write what was measured before the first step."""
        self._since = time.perf_counter()
        if agent.step_metrics:
            self._write(trainer, agent, step=0)
        agent.clock.lap()

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Write the step's metrics, its seconds by phase, and what was spent so far."""
        now = time.perf_counter()
        seconds, self._since = now - self._since, now
        lengths = [
            len(own.completion.token_ids) for group in agent.current_batch.own for own in group
        ]
        agent.step_metrics |= {
            "time/step": seconds,
            **{f"time/{phase}": value for phase, value in agent.clock.lap().items()},
            "time/tokens_per_s": sum(lengths) / seconds,
        }
        self._write(trainer, agent, step=step)

    def _write(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        spent = {
            f"spent/{name}": float(getattr(agent.spent, name))
            for name in ("rollouts", "generated_tokens", "trained_tokens", "updates")
        }
        metrics = {**agent.step_metrics, **spent}
        finite = {key: value for key, value in metrics.items() if not math.isnan(value)}
        agent.last_metrics = metrics
        agent.step_metrics = {}
        with agent.clock("log"):
            for logger in trainer.loggers:
                self._log(logger, {**finite, STEP_KEY: float(step)}, step)

    def _log(self, logger: Logger, metrics: dict[str, float], step: int) -> None:
        """Log to one logger. Only the CSV file must be written: any other may die in mid run."""
        if id(logger) in self._lost:
            return
        try:
            logger.log_metrics(metrics, step=step)
        except Exception as error:
            if isinstance(logger, CSVLogger):
                raise
            self._lost.add(id(logger))
            log.warning(
                "%s failed at step %d and is done without from here; metrics.csv goes on: %s",
                type(logger).__name__,
                step,
                error,
            )
