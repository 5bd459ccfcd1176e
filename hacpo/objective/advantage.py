"""Capability-aware advantages of one learner over a joint group: (5)-(7) and (10).

Source: arXiv 2603.02604. Nothing here carries a gradient: an advantage is a constant of the loss.

Legend: N authors, P prompts, G completions. A mask is True where a completion exists; a missing
one (an author that lost a rollout) enters no mean and gets advantage 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor

BaselineGuard: TypeAlias = Literal["own_mean", "keep"]
Weights: TypeAlias = Tensor | Sequence[float]
"""One factor per author, as a tensor or as plain numbers."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Advantages:
    """Advantages of one learner for one step, and how they came about. No gradients."""

    values_NPG: Tensor
    """(R - μ) / (σ + ε); 0 where a group is uniform or a completion is missing."""
    baseline_P: Tensor
    """μ in reward units, after the guard."""
    std_P: Tensor
    """σ of the raw rewards of the joint group, without ε."""
    uniform_P: Tensor
    """True where all rewards of the joint group are equal, so that there is no signal."""
    guarded_P: Tensor
    """True where the guard replaced the baseline."""


def joint_baseline(
    rewards_NPG: Tensor, omegas_N: Weights, mask_NPG: Tensor | None = None
) -> Tensor:
    """μ^(k) = 1/(nG) Σ_j Σ_i ω^(k,j) R(y_i^(j)), (6), in reward units, shape P.

    Missing completions leave both the sum and the count; a prompt without any has baseline 0.
    Reduces to the plain mean of the joint group when every ω is 1, and to the group mean of
    GRPO for one author.

    Raises:
        ValueError: shapes do not fit, or a reward or factor is not finite.
    """
    rewards_NPG, mask_NPG = _present(rewards_NPG, mask_NPG)
    omegas_N = _per_author(omegas_N, rewards_NPG)
    total_P = torch.einsum("n,npg->p", omegas_N, rewards_NPG)
    return total_P / mask_NPG.sum((0, 2)).clamp(min=1)


def joint_std(
    rewards_NPG: Tensor, mask_NPG: Tensor | None = None, *, std_correction: int
) -> Tensor:
    """σ_joint of (5)-(7): deviation of the raw rewards of a joint group, shape P.

    Two passes, so that rounding cannot make the variance negative. A group with no more
    completions than `std_correction` has deviation 0, not NaN.

    Args:
        std_correction: 1 divides by count - 1 (Bessel), 0 by the count.
    """
    if std_correction not in (0, 1):
        raise ValueError(f"std_correction must be 0 or 1, not {std_correction}.")
    rewards_NPG, mask_NPG = _present(rewards_NPG, mask_NPG)
    count_P = mask_NPG.sum((0, 2))
    mean_P = rewards_NPG.sum((0, 2)) / count_P.clamp(min=1)
    deviation_NPG = torch.where(mask_NPG, rewards_NPG - mean_P[None, :, None], 0.0)
    variance_P = deviation_NPG.square().sum((0, 2)) / (count_P - std_correction).clamp(min=1)
    return variance_P.sqrt()


def joint_advantages(
    rewards_NPG: Tensor,
    omegas_N: Weights,
    *,
    learner: int,
    mask_NPG: Tensor | None = None,
    std_correction: int,
    std_epsilon: float,
    uniform_tolerance: float,
    baseline_guard: BaselineGuard,
) -> Advantages:
    """A^(k) = (R - μ^(k)) / σ_joint, (5)-(7), of learner k for all completions.

    Reduces to GRPO's group advantage for one author, and to the plain joint group when every
    ω is 1.

    Args:
        rewards_NPG: raw rewards, the learner's own included.
        omegas_N: `baseline_omegas` of the learner; the learner's own entry is 1.
        learner: index of the learner on the first axis.
        mask_NPG: True where a completion exists; None means everywhere.
        std_correction: see `joint_std`.
        std_epsilon: added to σ, in reward units.
        uniform_tolerance: a group whose rewards differ by no more has advantage exactly 0.
        baseline_guard: "own_mean" replaces a baseline above the largest reward of its group,
            which would punish even the best answer, by the learner's own mean; "keep" is the
            pure formula.

    Raises:
        ValueError: shapes or settings do not fit, a reward is not finite, or the learner's own
            ω is not 1.
    """
    _check(std_epsilon, uniform_tolerance, baseline_guard)
    rewards_NPG, mask_NPG = _present(rewards_NPG, mask_NPG)
    _check_learner(learner, _per_author(omegas_N, rewards_NPG))
    lowest_P, highest_P = _range(rewards_NPG, mask_NPG)
    # Not "std == 0": rounding makes the deviation of equal rewards tiny, not zero.
    uniform_P = ~(highest_P - lowest_P > uniform_tolerance)
    baseline_P = joint_baseline(rewards_NPG, omegas_N, mask_NPG)
    guarded_P = torch.zeros_like(uniform_P)
    if baseline_guard == "own_mean":
        guarded_P = (baseline_P > highest_P) & ~uniform_P
        baseline_P = torch.where(guarded_P, _own_mean(rewards_NPG, mask_NPG, learner), baseline_P)
    std_P = joint_std(rewards_NPG, mask_NPG, std_correction=std_correction)
    values_NPG = (rewards_NPG - baseline_P[None, :, None]) / (std_P + std_epsilon)[None, :, None]
    return Advantages(
        values_NPG=torch.where(mask_NPG & ~uniform_P[None, :, None], values_NPG, 0.0),
        baseline_P=baseline_P,
        std_P=std_P,
        uniform_P=uniform_P,
        guarded_P=guarded_P,
    )


def author_weighted(advantages_NPG: Tensor, coefficients_N: Weights) -> Tensor:
    """ω^(j,k) A^(k) of (10): completions of a stronger author j weigh more, shape NPG.

    Reduces to the advantages themselves when every coefficient is 1.

    Args:
        coefficients_N: `author_coefficients` of the learner.
    """
    return advantages_NPG.detach() * _per_author(coefficients_N, advantages_NPG)[:, None, None]


def _present(rewards_NPG: Tensor, mask_NPG: Tensor | None) -> tuple[Tensor, Tensor]:
    """Rewards with 0 for missing completions, and the mask itself."""
    rewards_NPG = rewards_NPG.detach()
    if rewards_NPG.dim() != 3 or not rewards_NPG.is_floating_point():
        raise ValueError(
            "Rewards must be floating point with axes [authors, prompts, completions], "
            f"not {rewards_NPG.dtype} with shape {tuple(rewards_NPG.shape)}."
        )
    if mask_NPG is None:
        mask_NPG = torch.ones_like(rewards_NPG, dtype=torch.bool)
    if mask_NPG.dtype != torch.bool or mask_NPG.shape != rewards_NPG.shape:
        raise ValueError(
            f"The mask must be bool with shape {tuple(rewards_NPG.shape)}, "
            f"not {mask_NPG.dtype} with shape {tuple(mask_NPG.shape)}."
        )
    # A missing reward may be anything, NaN too; it must not reach a sum.
    rewards_NPG = torch.where(mask_NPG, rewards_NPG, 0.0)
    if not bool(rewards_NPG.isfinite().all()):
        raise ValueError("Every reward must be a finite number.")
    return rewards_NPG, mask_NPG


def _per_author(weights_N: Weights, values_NPG: Tensor) -> Tensor:
    """The factors as a tensor like `values_NPG`, shape N, without gradient."""
    weights_N = torch.as_tensor(weights_N, dtype=values_NPG.dtype, device=values_NPG.device)
    if weights_N.shape != values_NPG.shape[:1]:
        raise ValueError(
            f"One factor per author is needed: {values_NPG.shape[0]} authors, "
            f"factors with shape {tuple(weights_N.shape)}."
        )
    if not bool(weights_N.isfinite().all()):
        raise ValueError("The factor of every author must be a finite number.")
    return weights_N.detach()


def _range(rewards_NPG: Tensor, mask_NPG: Tensor) -> tuple[Tensor, Tensor]:
    """Lowest and highest reward that exists, shape P each; inf and -inf where none does."""
    lowest_P = torch.where(mask_NPG, rewards_NPG, math.inf).amin((0, 2))
    highest_P = torch.where(mask_NPG, rewards_NPG, -math.inf).amax((0, 2))
    return lowest_P, highest_P


def _own_mean(rewards_NPG: Tensor, mask_NPG: Tensor, learner: int) -> Tensor:
    """The learner's own mean reward, shape P; the joint mean where it has no completion."""
    own_count_P = mask_NPG[learner].sum(1)
    own_P = rewards_NPG[learner].sum(1) / own_count_P.clamp(min=1)
    joint_P = rewards_NPG.sum((0, 2)) / mask_NPG.sum((0, 2)).clamp(min=1)
    return torch.where(own_count_P > 0, own_P, joint_P)


def _check(std_epsilon: float, uniform_tolerance: float, baseline_guard: str) -> None:
    if not (std_epsilon >= 0.0 and uniform_tolerance >= 0.0):
        raise ValueError(
            "std_epsilon and uniform_tolerance must not be negative: "
            f"{std_epsilon}, {uniform_tolerance}."
        )
    if baseline_guard not in get_args(BaselineGuard):
        raise ValueError(f"baseline_guard must be own_mean or keep, not {baseline_guard!r}.")


def _check_learner(learner: int, omegas_N: Tensor) -> None:
    if not 0 <= learner < len(omegas_N):
        raise ValueError(f"Learner {learner} is not among the {len(omegas_N)} authors.")
    # Catches omegas of another learner, or in another order.
    if not math.isclose(float(omegas_N[learner]), 1.0, rel_tol=1e-3):
        raise ValueError(f"The learner's own omega must be 1, not {float(omegas_N[learner])}.")
