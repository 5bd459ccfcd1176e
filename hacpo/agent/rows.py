"""From the joint groups of one step to rows that carry an advantage.

Legend: N authors (the learner first), P prompts, G completions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from hacpo.agent.settings import CapabilitySettings, LearningSettings
from hacpo.objective import (
    Advantages,
    author_coefficients,
    author_weighted,
    baseline_omegas,
    chosen_share,
    joint_advantages,
    without_unwanted,
)
from hacpo.rollout.logprobs import TokenRow
from hacpo.types import Rollout, StepBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainingRow:
    """One completion as the learner trains on it."""

    author: str
    shared: bool
    tokens: TokenRow
    advantage: float
    """The learner's advantage times the capability coefficient of the author, (10)."""
    old_logprobs: tuple[float, ...]  # [T] of the sampling policy; empty for shared rows
    source_mean_logprob: float
    """The author's mean log-probability over the author's own tokens, in nats."""


@dataclass(frozen=True, kw_only=True)
class JointGroups:
    """Rewards and advantages of all authors for the prompts of one step."""

    authors: tuple[str, ...]  # [N], the learner first
    rewards_NPG: Tensor
    mask_NPG: Tensor
    """True where a rollout exists; authors may differ in G."""
    advantages: Advantages
    weighted_NPG: Tensor
    """Advantages times the author's coefficient; 0 for shared completions that are not wanted."""
    learnt_NPG: Tensor
    """True for the completions that become rows; without a share ratio the same as the mask."""
    omegas_N: tuple[float, ...]
    coefficients_N: tuple[float, ...]


def joint_groups(
    batch: StepBatch, *, learner: str, settings: LearningSettings, share_seed: int = 0
) -> JointGroups:
    """Return rewards, baselines and advantages of one step, (5)-(10).

    `share_seed` draws which shared completions are learnt from, where not all are.
    """
    authors = (learner, *sorted(batch.shared))
    groups = [
        [[own.rollout for own in group] for group in batch.own],
        *([[s.rollout for s in group] for group in batch.shared[name]] for name in authors[1:]),
    ]
    rewards_NPG, mask_NPG = _rewards(groups)
    omegas_N, coefficients_N = _capability_weights(
        batch.capabilities, learner=learner, authors=authors, settings=settings.capability
    )
    advantages = joint_advantages(
        rewards_NPG,
        omegas_N,
        learner=0,
        mask_NPG=mask_NPG,
        std_correction=settings.advantage.std_correction,
        std_epsilon=settings.advantage.std_epsilon,
        uniform_tolerance=settings.advantage.uniform_tolerance,
        baseline_guard=settings.advantage.baseline_guard,
    )
    return JointGroups(
        authors=authors,
        rewards_NPG=rewards_NPG,
        mask_NPG=mask_NPG,
        advantages=advantages,
        weighted_NPG=without_unwanted(
            author_weighted(advantages.values_NPG, coefficients_N),
            rewards_NPG,
            smallest_reward=settings.sharing.smallest_reward,
            smallest_advantage=settings.sharing.smallest_advantage,
        ),
        learnt_NPG=chosen_share(
            mask_NPG,
            ratio=settings.sharing.ratio,
            generator=torch.Generator().manual_seed(share_seed),
        ),
        omegas_N=omegas_N,
        coefficients_N=coefficients_N,
    )


def _capability_weights(
    capabilities: Mapping[str, float],
    *,
    learner: str,
    authors: Sequence[str],
    settings: CapabilitySettings,
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the ratios of the baseline and the coefficients of the gradient, both [N]."""
    bounds = {
        "floor": settings.floor,
        "ratio_min": settings.ratio_min,
        "ratio_max": settings.ratio_max,
    }
    omegas_N = baseline_omegas(
        capabilities,
        learner=learner,
        authors=authors,
        exponent=settings.baseline_exponent,
        **bounds,
    )
    coefficients_N = author_coefficients(
        capabilities,
        learner=learner,
        authors=authors,
        exponent=settings.coefficient_exponent,
        **bounds,
    )
    return omegas_N, coefficients_N


def _rewards(groups: Sequence[Sequence[Sequence[Rollout]]]) -> tuple[Tensor, Tensor]:
    widest = max(len(group) for author in groups for group in author)
    shape = (len(groups), len(groups[0]), widest)
    rewards_NPG = torch.zeros(shape, dtype=torch.float64)
    mask_NPG = torch.zeros(shape, dtype=torch.bool)
    for n, author in enumerate(groups):
        for p, group in enumerate(author):
            rewards_NPG[n, p, : len(group)] = torch.tensor(
                [rollout.reward for rollout in group], dtype=torch.float64
            )
            mask_NPG[n, p, : len(group)] = True
    return rewards_NPG, mask_NPG


def training_rows(batch: StepBatch, joint: JointGroups) -> list[TrainingRow]:
    """Return one row for every completion that has tokens to learn from."""
    rows = []
    for p, group in enumerate(batch.own):
        for g, own in enumerate(group):
            rows.append(
                TrainingRow(
                    author=joint.authors[0],
                    shared=False,
                    tokens=(own.prompt_ids, own.completion.token_ids),
                    advantage=float(joint.weighted_NPG[0, p, g]),
                    old_logprobs=own.old_logprobs,
                    source_mean_logprob=own.rollout.mean_logprob,
                )
            )
    for n, author in enumerate(joint.authors[1:], start=1):
        for p, shared_group in enumerate(batch.shared[author]):
            for g, shared in enumerate(shared_group):
                if not shared.token_ids or not joint.learnt_NPG[n, p, g]:
                    continue
                rows.append(
                    TrainingRow(
                        author=author,
                        shared=True,
                        tokens=(shared.prompt_ids, shared.token_ids),
                        advantage=float(joint.weighted_NPG[n, p, g]),
                        old_logprobs=(),
                        source_mean_logprob=shared.rollout.mean_logprob,
                    )
                )
    return rows
