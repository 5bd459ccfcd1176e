"""Tells the hub where an agent stands, for the live table."""

from __future__ import annotations

import time

import lightning as L

from hacpo.agent.module import Agent
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.callbacks.hub import Hub
from hacpo.types import AgentStatus, Phase


class ProgressReporter(AgentCallback):
    """Reports an agent's status at every step."""

    def __init__(self, hub: Hub, *, total_steps: int) -> None:
        """Report through `hub`; the budget is `total_steps` steps."""
        self._hub = hub
        self._total_steps = total_steps
        self._started = time.perf_counter()
        self.accuracy: float | None = None

    def before_learning(self, trainer: L.Trainer, agent: Agent) -> None:
        """Start the clock of the remaining time."""
        self._started = time.perf_counter()
        self._report(agent, step=0)

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Report the finished step."""
        self._report(agent, step=step)

    def _report(self, agent: Agent, *, step: int) -> None:
        pace = (time.perf_counter() - self._started) / step if step else None
        metrics = agent.last_metrics
        self._hub.report(
            agent.name,
            AgentStatus(
                phase=Phase.TRAIN,
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
