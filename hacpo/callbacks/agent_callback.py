"""Lightning's hooks as an agent's callbacks need them: the agent, and the number of the step."""

from __future__ import annotations

from typing import Any

import lightning as L

from hacpo.agent.module import Agent


class AgentCallback(L.Callback):
    """A callback on an `Agent`. Subclasses override what they need of the three hooks below."""

    def before_learning(self, trainer: L.Trainer, agent: Agent) -> None:
        """Run once, before the first step."""

    def before_updates(self, trainer: L.Trainer, agent: Agent) -> None:
        """Run in every step, after the agent has sampled and before it learns."""

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Run after every step; `step` is the number of finished steps, from 1."""

    def on_train_start(self, trainer: L.Trainer, pl_module: L.LightningModule) -> None:
        """Lightning's hook for `before_learning`."""
        self.before_learning(trainer, _agent(pl_module))

    def on_train_batch_start(
        self, trainer: L.Trainer, pl_module: L.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Lightning's hook for `before_updates`."""
        self.before_updates(trainer, _agent(pl_module))

    def on_train_batch_end(
        self,
        trainer: L.Trainer,
        pl_module: L.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
    ) -> None:
        """Lightning's hook for `after_step`."""
        agent = _agent(pl_module)
        self.after_step(trainer, agent, step=agent.current_batch.step + 1)


def _agent(module: L.LightningModule) -> Agent:
    if not isinstance(module, Agent):
        raise TypeError(f"this callback works on an Agent, not on {type(module).__name__}")
    return module
