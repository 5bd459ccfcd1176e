"""Frozen records that travel between the parts of the framework.

They hold plain Python values, so they can be pickled between processes and read without torch.

Words: a *rollout* is one completion with its reward; a *group* holds the G rollouts of one agent
for one prompt; a *joint group* holds those of all agents. A *learner* is trained on rollouts of
one or more *authors*, itself included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class FinishReason(StrEnum):
    """Why a completion ended."""

    STOP = "stop"
    """The author emitted a stop token."""
    LENGTH = "length"
    """The token limit cut it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One verifiable task.

    Example: ``Problem(id="arithmetic/17", prompt="5+7-1=", answer="11")``.
    """

    id: str
    """Stable and unique within its task; the hub compares these."""
    prompt: str
    """What the user would ask; each agent wraps it in its own template."""
    answer: str
    """The gold answer that the reward compares with."""


Reward = Callable[[Problem, str], float]
"""The verdict on a completion's text: pure, bounded in time, safe on hostile text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """What an engine sampled for one prompt, in the author's own tokens.

    Example: ``Completion(token_ids=(5, 9, 1), text="11", finish_reason=FinishReason.STOP)``.
    """

    token_ids: tuple[int, ...]
    """Sampled ids, the stop token included when the author emitted one. Never empty."""
    text: str
    """The decoded completion without its final stop token."""
    finish_reason: FinishReason


@dataclass(frozen=True, kw_only=True, slots=True)
class Rollout:
    """One completion with its reward, as it travels to the other agents.

    The author's tokens mean nothing to a learner with another tokenizer, so only the text and the
    author's log-probability (sum and token count) travel.
    """

    problem_id: str
    author: str
    text: str
    reward: float
    logprob_sum: float
    """Sum of the author's log-probabilities under the policy that sampled, in nats."""
    num_tokens: int
    """The author's tokens in that sum, the stop token included."""
    finish_reason: FinishReason
    policy_version: int
    """Optimizer steps that the sampling policy had seen."""

    @property
    def mean_logprob(self) -> float:
        """Length-normalised log-probability, in nats per token of the author."""
        return self.logprob_sum / self.num_tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class RolloutGroup:
    """The G rollouts of one author for one problem."""

    problem_id: str
    author: str
    rollouts: tuple[Rollout, ...]  # [G]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRollouts:
    """Everything one agent hands to the hub in one step."""

    step: int
    author: str
    groups: tuple[RolloutGroup, ...]  # [P]

    @property
    def problem_ids(self) -> tuple[str, ...]:
        """The problems, in the order in which the groups stand."""
        return tuple(group.problem_id for group in self.groups)


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnRollout:
    """A learner's own rollout with what it needs to train on it exactly as sampled."""

    rollout: Rollout
    prompt_ids: tuple[int, ...]
    completion: Completion
    old_logprobs: tuple[float, ...]  # [T] under the sampling policy, at the sampling temperature


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedRollout:
    """Another agent's rollout, re-encoded once in the learner's tokens."""

    rollout: Rollout
    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    """Empty when nothing was left to learn from; the row is then dropped and counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StepBatch:
    """All that one learner trains on in one step."""

    step: int
    problems: tuple[Problem, ...]  # [P]
    own: tuple[tuple[OwnRollout, ...], ...]  # [P][G]
    shared: Mapping[str, tuple[tuple[SharedRollout, ...], ...]]  # author -> [P][G]
    capabilities: Mapping[str, float]
    """Smoothed capability of the learner and of every author, in reward units."""


class Phase(StrEnum):
    """What an agent is doing, as the live table shows it."""

    LOAD = "loading"
    WARM_START = "warm start"
    EVALUATE = "evaluating"
    TRAIN = "training"
    DONE = "done"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentStatus:
    """What the live table shows of one agent. None: not known yet."""

    phase: Phase
    step: int = 0
    """Finished steps of the phase."""
    total_steps: int = 0
    reward: float | None = None
    accuracy: float | None = None
    tokens_per_s: float | None = None
    """Generated tokens per second of the last step's wall time."""
    no_signal: float | None = None
    """Share of joint groups whose rewards are all equal."""
    budget_left: float | None = None
    """Share of the budget that is left, in [0, 1]."""
    seconds_left: float | None = None
    message: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSummary:
    """What one agent's run came to; the source of `summary.json` and of the final table."""

    accuracy_before: float | None
    accuracy_after: float | None
    accuracy_best: float | None
    accuracy_mean: float | None
    """Mean of the evaluations after step 0."""
    rollouts: int
    generated_tokens: int
    trained_tokens: int
    updates: int
    steps: int
    seconds: Mapping[str, float]
    """Wall time by phase, in seconds."""
    stop_reason: str
    checkpoint: str | None
    export: str | None
    samples: str | None
    wandb_dir: str | None
