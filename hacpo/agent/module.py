"""The LightningModule of one agent. It knows only itself; agents meet in `RolloutExchange`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Self

import lightning as L
import torch
from lightning.pytorch.core.optimizer import LightningOptimizer
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler
from transformers import PreTrainedModel

from hacpo.agent import metrics
from hacpo.agent.collection import RolloutCollector
from hacpo.agent.rows import JointGroups, joint_groups, training_rows
from hacpo.agent.schedule import deal, num_updates
from hacpo.agent.settings import LearningSettings
from hacpo.agent.update import GradientPass, UpdateOutcome, clip_gradient, is_usable
from hacpo.model.checkpointing import CheckpointedLayers
from hacpo.rollout.seeds import derived_seed
from hacpo.types import Problem, SharedRollout, StepBatch

OptimizerFactory = Callable[[Iterable[torch.nn.Parameter]], Optimizer]
ScheduleFactory = Callable[[Optimizer], LRScheduler]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What an agent has spent since its run began."""

    rollouts: int = 0
    generated_tokens: int = 0
    trained_tokens: int = 0
    updates: int = 0


class Agent(L.LightningModule):
    """Samples, is rewarded, and learns; with an exchange callback also from other agents.

    The loader yields step numbers. `on_after_batch_transfer` makes the step's own rollouts,
    `accept` adds those of other agents, `training_step` learns from all of them in several
    optimizer updates. Metrics of the step collect in `step_metrics`; one callback writes them.
    """

    def __init__(
        self,
        *,
        name: str,
        collector: RolloutCollector,
        problems_at: Callable[[int], Sequence[Problem]],
        learning: LearningSettings,
        optimizer: OptimizerFactory,
        seed: int,
        schedule: ScheduleFactory | None = None,
        gradient_checkpointing: bool = False,
    ) -> None:
        """Build an agent around the collector's model.

        Args:
            name: unique among the agents of the run.
            collector: makes own rollouts with the model, codec and engine.
            problems_at: the problems of a step, the same for every agent.
            learning: how a step is learnt from.
            optimizer: makes an optimizer from the trainable parameters.
            seed: of the run; sampling and shuffling derive from (seed, step, agent).
            schedule: makes a learning rate schedule from the optimizer; None: constant.
            gradient_checkpointing: compute activations again in the backward pass.
        """
        super().__init__()
        self.automatic_optimization = False
        self.name = name
        self.language_model = collector.model
        self.collector = collector
        self.clock = collector.clock
        self.spent = Spent()
        self.step_metrics: metrics.Metrics = {}
        self.last_metrics: metrics.Metrics = {}
        self.step_batch: StepBatch | None = None
        self.joint: JointGroups | None = None
        self._problems_at = problems_at
        self._learning = learning
        self._optimizer = optimizer
        self._schedule = schedule
        self._seed = seed
        self._skipped_in_a_row = 0
        self._layers = CheckpointedLayers(self.language_model) if gradient_checkpointing else None
        self._gradient = GradientPass(
            model=self.language_model,
            reference=_starting_model(self.language_model, learning.objective.kl_coefficient),
            objective=learning.objective,
            pad_id=collector.codec.pad_id,
            temperature=collector.sampling.temperature,
            token_budget=learning.update.token_budget,
            backward=self.manual_backward,
        )

    def train(self, mode: bool = True) -> Self:
        """Keep the language model deterministic: dropout would move the ratio away from 1."""
        super().train(mode)
        self.language_model.train(False)
        return self

    def configure_optimizers(self) -> tuple[list[Optimizer], list[LRScheduler]]:
        """Return the optimizer over the trainable parameters, and its schedule if there is one."""
        trainable = [p for p in self.language_model.parameters() if p.requires_grad]
        optimizer = self._optimizer(trainable)
        return [optimizer], [self._schedule(optimizer)] if self._schedule else []

    def on_fit_start(self) -> None:
        """Take the starting model, no part of the module, to the device and type of the learner.

        In another type its log-probabilities would differ from the start, and the penalty with
        them.
        """
        if self._gradient.reference is not None:
            torch.nn.Module.to(
                self._gradient.reference, device=self.device, dtype=self.language_model.dtype
            )

    def on_after_batch_transfer(self, batch: Any, dataloader_idx: int) -> StepBatch:
        """Turn a step number into the step's own rollouts."""
        step = int(batch)
        problems = tuple(self._problems_at(step))
        with self.precision():
            collected = self.collector.collect(
                problems,
                seed=derived_seed(self._seed, step, self.name, "sample"),
                policy_version=self.spent.updates,
            )
        own = collected.own
        rollouts = [rollout for group in own for rollout in group]
        self.spent = replace(
            self.spent,
            rollouts=self.spent.rollouts + len(rollouts),
            generated_tokens=self.spent.generated_tokens
            + sum(len(rollout.completion.token_ids) for rollout in rollouts),
        )
        mean_reward = sum(rollout.rollout.reward for rollout in rollouts) / len(rollouts)
        self.step_batch = StepBatch(
            step=step,
            problems=problems,
            own=own,
            shared={},
            capabilities={self.name: mean_reward},
        )
        self.step_metrics |= metrics.rollout_metrics(self.step_batch)
        self.step_metrics |= metrics.reward_metrics(collected.graded)
        return self.step_batch

    @property
    def current_batch(self) -> StepBatch:
        """The batch of the step, with what other agents shared so far.

        Raises:
            RuntimeError: the agent has not sampled yet.
        """
        if self.step_batch is None:
            raise RuntimeError("a step's batch was asked for before the agent had sampled it")
        return self.step_batch

    def accept(
        self,
        shared: Mapping[str, tuple[tuple[SharedRollout, ...], ...]],
        capabilities: Mapping[str, float],
    ) -> None:
        """Add other agents' rollouts, and everyone's smoothed capability, to the current step."""
        self.step_batch = replace(self.current_batch, shared=shared, capabilities=capabilities)

    def training_step(self, batch: StepBatch, batch_idx: int) -> None:
        """Learn from the current step in several optimizer updates."""
        with self.clock("update"):
            self._learn(self.current_batch)
            self._move_schedule()
        with self.clock("sync"):
            self.collector.engine.update_weights()

    def _move_schedule(self) -> None:
        schedule = self.lr_schedulers()  # Lightning moves none in manual optimization
        if schedule is not None:
            assert isinstance(schedule, LRScheduler)
            schedule.step()

    def _learn(self, batch: StepBatch) -> None:
        joint = joint_groups(
            batch,
            learner=self.name,
            settings=self._learning,
            share_seed=derived_seed(self._seed, batch.step, self.name, "share"),
        )
        rows = training_rows(batch, joint)
        update = self._learning.update
        dealt = deal(
            rows,
            updates=num_updates(int(joint.learnt_NPG.sum()), sequences=update.sequences),
            order=update.order,
            seed=derived_seed(self._seed, batch.step, self.name, "deal"),
        )
        outcomes, norms = [], []
        for update_index, chosen in enumerate(dealt):
            outcome, norm = self._update(chosen, update_index)
            outcomes.append(outcome)
            norms.append(norm)
        self.joint = joint
        self.step_metrics |= metrics.signal_metrics(joint, rows)
        self.step_metrics |= metrics.capability_metrics(batch, joint)
        learnt = [row for outcome in outcomes for row in outcome.rows]
        self.step_metrics |= metrics.ratio_metrics(learnt, joint.authors)
        self.step_metrics |= self._update_metrics(outcomes, norms)

    def _update(self, rows: Sequence[Any], update_index: int) -> tuple[UpdateOutcome, float]:
        optimizer = self._only_optimizer()
        optimizer.zero_grad()
        with self._layers or nullcontext():
            outcome = self._gradient.accumulate(rows, update_index=update_index)
        norm = clip_gradient(self.language_model, largest_norm=self._learning.update.gradient_clip)
        if is_usable(norm):
            optimizer.step()
            self._skipped_in_a_row = 0
        else:
            self._count_skipped(norm)
        self.spent = replace(
            self.spent,
            updates=self.spent.updates + 1,
            trained_tokens=self.spent.trained_tokens + outcome.trained_tokens,
        )
        return outcome, norm

    def _count_skipped(self, norm: float) -> None:
        self._skipped_in_a_row += 1
        limit = self._learning.update.max_skipped
        if self._skipped_in_a_row >= limit:
            raise FloatingPointError(
                f"{limit} updates in a row had a gradient norm of {norm}; the learning rate "
                "may be too high, or the model's weights are damaged"
            )

    def _update_metrics(
        self, outcomes: Sequence[UpdateOutcome], norms: Sequence[float]
    ) -> metrics.Metrics:
        return {
            "update/count": float(len(outcomes)),
            "update/loss": sum(outcome.loss for outcome in outcomes) / len(outcomes),
            "update/gradient_norm": sum(norms) / len(norms),
            "update/gradient_norm_max": max(norms),
            "update/skipped": float(sum(not is_usable(norm) for norm in norms)),
            "update/micro_batches": float(sum(outcome.micro_batches for outcome in outcomes)),
            "update/lr": self._only_optimizer().param_groups[0]["lr"],
        }

    def _only_optimizer(self) -> LightningOptimizer:
        optimizer = self.optimizers()
        assert isinstance(optimizer, LightningOptimizer)
        return optimizer

    def precision(self) -> AbstractContextManager[Any]:
        """Return the context of the update's precision: sampling in it makes ratios start at 1."""
        if self._trainer is None:
            return nullcontext()
        return self.trainer.precision_plugin.forward_context()

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Keep what was spent beside the weights."""
        checkpoint["spent"] = {
            name: getattr(self.spent, name) for name in Spent.__dataclass_fields__
        }

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Continue counting where the checkpoint stopped."""
        self.spent = Spent(**checkpoint["spent"])


def _starting_model(model: PreTrainedModel, kl_coefficient: float) -> PreTrainedModel | None:
    if kl_coefficient == 0:
        return None
    reference = copy.deepcopy(model)
    reference.requires_grad_(False)
    reference.train(False)
    return reference
