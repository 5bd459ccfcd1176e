"""Counts what an agent spends, and ends the run after the step in which the budget is spent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import lightning as L

from hacpo.agent.metrics import Metrics
from hacpo.agent.module import Agent
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.callbacks.hub import Hub
from hacpo.callbacks.limits import Limits
from hacpo.types import Expenses

SECONDS_PER_HOUR = 3600.0


class BudgetMeter(AgentCallback):
    """The meter of one agent. It comes before every callback that acts on the last step.

    Where more than steps are limited, agents meet at the end of every step, before any of them
    evaluates: whoever evaluates longer holds up nobody there.
    """

    def __init__(
        self,
        hub: Hub,
        *,
        limits: Limits,
        gpus: float = 1.0,
        price_per_gpu_hour: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
        started: float | None = None,
    ) -> None:
        """Count from `started` on, a time of `clock`; None: now.

        Args:
            hub: where agents learn what the others have spent.
            limits: what may be spent.
            gpus: devices of this agent; less than 1 where agents share one.
            price_per_gpu_hour: in any currency; None: money is not counted.
            clock: tells the time in seconds.
            started: when the agent's process began to work.
        """
        self._hub = hub
        self._limits = limits
        self._gpus = gpus
        self._price = price_per_gpu_hour
        self._clock = clock
        self._started = clock() if started is None else started
        self.current = Expenses()
        """At the end of the last step, before its evaluation."""
        self.history: dict[int, Expenses] = {}
        """By finished steps; 0 is before learning."""
        self.left = 1.0
        """Share of the budget, in [0, 1]."""

    @property
    def has_price(self) -> bool:
        """Whether money is counted."""
        return self._price is not None

    def before_learning(self, trainer: L.Trainer, agent: Agent) -> None:
        """Count what the start has cost."""
        self._count(agent, step=max(self.history, default=0))
        self.left = self._limits.left({agent.name: self.current})

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Count the step, and stop the agent when the budget is spent."""
        self._count(agent, step=step)
        everyone = {agent.name: self.current}
        if self._limits.shared:
            with agent.clock("exchange"):
                everyone = self._hub.settle(agent.name, self.current)
        self.left = self._limits.left(everyone)
        unit = self._limits.reached(everyone)
        if unit is not None:
            agent.stop_reason = f"budget: {unit}"
            trainer.should_stop = True

    def costs(self) -> Metrics:
        """Return the expenses that depend on the clock; the others are the agent's own count."""
        costs = {"time/spent": self.current.seconds, "time/gpu_hours": self.current.gpu_hours}
        return costs | ({} if self._price is None else {"time/money": self.current.money})

    def now(self, agent: Agent) -> Expenses:
        """Return what has been spent up to this moment, evaluations included."""
        return self._measure(agent, step=self.current.steps)

    def _count(self, agent: Agent, *, step: int) -> None:
        self.current = self._measure(agent, step=step)
        self.history[step] = self.current

    def _measure(self, agent: Agent, *, step: int) -> Expenses:
        seconds = self._clock() - self._started
        gpu_hours = self._gpus * seconds / SECONDS_PER_HOUR
        return Expenses(
            steps=step,
            rollouts=agent.spent.rollouts,
            generated_tokens=agent.spent.generated_tokens,
            trained_tokens=agent.spent.trained_tokens,
            seconds=seconds,
            gpu_hours=gpu_hours,
            money=gpu_hours * (self._price or 0.0),
        )

    def state_dict(self) -> dict[str, Any]:
        """Return the expenses so far for the checkpoint."""
        return {
            "seconds": self._clock() - self._started,
            "history": {step: asdict(expenses) for step, expenses in self.history.items()},
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue counting where a checkpoint stopped: its seconds are spent already."""
        self._started -= state_dict["seconds"]
        self.history = {
            int(step): Expenses(**expenses) for step, expenses in state_dict["history"].items()
        }
