"""Tells the hub where an agent stands, for the live table."""

from __future__ import annotations

import time
from typing import Any

import lightning as L

from hacpo.agent.module import Agent
from hacpo.callbacks.hub import Hub
from hacpo.types import AgentStatus, Phase


class ProgressReporter(L.Callback):
    """Reports an agent's status at every step."""

    def __init__(self, hub: Hub, *, total_steps: int) -> None:
        """Report through `hub`; the budget is `total_steps` steps."""
        self._hub = hub
        self._total_steps = total_steps
        self._started = time.perf_counter()
        self._first_step = 0
        self.accuracy: float | None = None

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        """Start the clock of the remaining time."""
        assert isinstance(pl_module, Agent)
        self._started = time.perf_counter()
        self._report(pl_module, Phase.TRAIN, step=0)

    def on_train_batch_end(
        self,
        trainer: L.Trainer,
        pl_module: L.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Report the finished step."""
        assert isinstance(pl_module, Agent)
        self._report(pl_module, Phase.TRAIN, step=batch.step + 1)

    def _report(self, agent: Agent, phase: Phase, *, step: int) -> None:
        done = step - self._first_step
        pace = (time.perf_counter() - self._started) / done if done else None
        metrics = agent.last_metrics
        self._hub.report(
            agent.name,
            AgentStatus(
                phase=phase,
                step=step,
                total_steps=self._total_steps,
                reward=metrics.get("reward/mean"),
                accuracy=self.accuracy,
                tokens_per_s=metrics.get("time/tokens_per_s"),
                no_signal=metrics.get("signal/no_signal_share"),
                budget_left=1.0 - step / self._total_steps,
                seconds_left=pace * (self._total_steps - step) if pace is not None else None,
            ),
        )
