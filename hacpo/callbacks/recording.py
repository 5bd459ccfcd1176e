"""Writes the metrics of every step to all loggers, on the run's own step axis."""

from __future__ import annotations

import math
import time
from typing import Any

import lightning as L

from hacpo.agent.module import Agent

STEP_KEY = "step"


class MetricsRecorder(L.Callback):
    """The one writer of metrics; it comes after every callback that adds some.

    Lightning's own `global_step` counts optimizer updates, so it is not used: a row's step is the
    number of finished steps of the run, and row 0 is the evaluation before learning.
    """

    def __init__(self) -> None:
        """Start with nothing written."""
        self._since = time.perf_counter()

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        """Write what was measured before the first step."""
        assert isinstance(pl_module, Agent)
        self._since = time.perf_counter()
        if pl_module.step_metrics:
            self._write(trainer, pl_module, step=0)
        pl_module.clock.lap()

    def on_train_batch_end(
        self,
        trainer: L.Trainer,
        pl_module: L.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Write the step's metrics, its seconds by phase, and what was spent so far."""
        assert isinstance(pl_module, Agent)
        now = time.perf_counter()
        seconds, self._since = now - self._since, now
        lengths = [
            len(own.completion.token_ids)
            for group in (pl_module.step_batch or batch).own
            for own in group
        ]
        pl_module.step_metrics |= {
            "time/step": seconds,
            **{f"time/{phase}": value for phase, value in pl_module.clock.lap().items()},
            "time/tokens_per_s": sum(lengths) / seconds,
        }
        self._write(trainer, pl_module, step=batch.step + 1)

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
                logger.log_metrics({**finite, STEP_KEY: float(step)}, step=step)
