"""The only place where agents meet: every step it swaps rollouts through the hub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lightning as L
import torch

from hacpo.agent.collection import travelling
from hacpo.agent.metrics import Metrics
from hacpo.agent.module import Agent
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.callbacks.hub import Hub
from hacpo.objective import CapabilityWindow, mean_reward
from hacpo.rollout.reencoding import SharedGroups, author_drift, own_drift, reencode
from hacpo.types import AgentRollouts, StepBatch


class RolloutExchange(AgentCallback):
    """Gives an agent everyone's rollouts and smoothed capabilities before it learns.

    Without this callback the same agent learns from itself alone. The capability window is the
    callback's state, so it is saved in the agent's checkpoint and restored from it.
    """

    def __init__(
        self, hub: Hub, *, authors: Sequence[str], window: int, max_shared_tokens: int
    ) -> None:
        """Exchange through `hub`.

        Args:
            hub: where the agents of the run meet.
            authors: the other agents that this one learns from.
            window: K, the steps that a capability is averaged over.
            max_shared_tokens: a shared completion longer than this in the learner's tokens is
                dropped and counted.
        """
        self._hub = hub
        self._authors = frozenset(authors)
        self._max_shared_tokens = max_shared_tokens
        self.window = CapabilityWindow(size=window, history={})

    def before_updates(self, trainer: L.Trainer, agent: Agent) -> None:
        """Swap the step's rollouts; see the class."""
        own_batch = agent.current_batch
        mine = travelling(own_batch.own, step=own_batch.step, author=agent.name)
        with agent.clock("exchange"):
            everyone = self._hub.swap(mine)
        with agent.clock("encode"):
            shared = self._shared(agent, own_batch, everyone)
        self.window = self.window.push(
            {author: _capability(rollouts) for author, rollouts in everyone.items()}
        )
        agent.accept(shared, self.window.smoothed())
        agent.step_metrics |= _drift_metrics(agent, own_batch, shared)

    def _shared(
        self, agent: Agent, own_batch: StepBatch, everyone: dict[str, AgentRollouts]
    ) -> dict[str, SharedGroups]:
        prompts = {
            problem.id: group[0].prompt_ids
            for problem, group in zip(own_batch.problems, own_batch.own, strict=True)
        }
        return {
            author: reencode(
                rollouts,
                codec=agent.collector.codec,
                prompts=prompts,
                max_tokens=self._max_shared_tokens,
            )
            for author, rollouts in sorted(everyone.items())
            if author in self._authors
        }

    def state_dict(self) -> dict[str, Any]:
        """Return the capability window for the checkpoint."""
        return self.window.to_state()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue with the window of a checkpoint."""
        self.window = CapabilityWindow.from_state(state_dict)


def _capability(rollouts: AgentRollouts) -> float:
    rewards = [rollout.reward for group in rollouts.groups for rollout in group.rollouts]
    return mean_reward(torch.tensor([rewards], dtype=torch.float64))


def _drift_metrics(agent: Agent, own_batch: StepBatch, shared: dict[str, SharedGroups]) -> Metrics:
    # Every agent logs the keys of all authors, its own included, so that runs compare.
    drifts = {author: author_drift(groups) for author, groups in shared.items()}
    own = own_drift(own_batch.own, agent.collector.codec)
    drifts[agent.name] = {key: value for key, value in own.items() if key != "ids_changed"}
    metrics = {
        f"author/{author}/drift_{key}": value
        for author, drift in drifts.items()
        for key, value in drift.items()
    }
    return metrics | {"drift/own_ids_changed": own["ids_changed"]}
