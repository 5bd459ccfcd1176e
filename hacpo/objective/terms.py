"""What one completion contributes: the own term (47)-(49) and the shared term (50), (52).

Source: arXiv 2603.02604. Both are objectives, to be maximised.

Legend: B rows (completions), T tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hacpo.objective.clipping import clip_fully, clipped_surrogate
from hacpo.objective.importance import exponential_weight


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Term:
    """Contributions with their clip flags, all of one shape."""

    values: Tensor
    """With gradient."""
    clipped_low: Tensor
    """True where the clip took the gradient because the ratio lies below the range."""
    clipped_high: Tensor
    """The same above the range."""

    def where(self, choose_B: Tensor, other: Term) -> Term:
        """Rows of this term where `choose_B` is True, and of the other elsewhere."""
        return Term(
            values=torch.where(choose_B, self.values, other.values),
            clipped_low=torch.where(choose_B, self.clipped_low, other.clipped_low),
            clipped_high=torch.where(choose_B, self.clipped_high, other.clipped_high),
        )


def own_term(ratio: Tensor, advantages: Tensor, *, clip_low: float, clip_high: float) -> Term:
    """min(s·A, clip(s, 1 - ε_low, 1 + ε_high)·A), (47)-(48), GSPO's surrogate.

    With token ratios [B, T] and advantages [B, 1] it is GRPO's. The flags tell where the min()
    chose the clipped side, so they depend on the sign of the advantage.

    Args:
        clip_low: ε_low, distance below 1.
        clip_high: ε_high, distance above 1.
    """
    low, high = 1.0 - clip_low, 1.0 + clip_high
    return Term(
        values=clipped_surrogate(ratio, advantages, low, high),
        clipped_low=(ratio.detach() < low) & (advantages < 0),
        clipped_high=(ratio.detach() > high) & (advantages > 0),
    )


def shared_term(
    ratio_B: Tensor, advantages_B: Tensor, *, alpha: float, low: float, high: float
) -> Term:
    """clip(s, low, high) · sg[s]^α · ω^(j,k) · A^(k), (50) with (52), shape B.

    A plain clip without min(): outside the range the gradient is 0 for either sign of the
    advantage. Inside, the gradient is ω s^(1+α) A ∇(mean log π), (29).
    sg[s] is the ratio before the clip, as (50) reads; taking it after would change values outside
    the range and no gradient. Reduces to clip(s)·ω·A when α is 0.

    Args:
        advantages_B: already multiplied by the author's coefficient (10).
        low, high: `cross_clip_bounds`.
    """
    weight_B = exponential_weight(ratio_B, alpha)
    return Term(
        values=clip_fully(ratio_B, low, high) * weight_B * advantages_B.detach(),
        clipped_low=ratio_B.detach() < low,
        clipped_high=ratio_B.detach() > high,
    )


def over_tokens(term_BT: Term, mask_BT: Tensor) -> Term:
    """Token terms as one term per row: the mean over its tokens, and whether any was clipped."""
    values_BT = torch.where(mask_BT, term_BT.values, 0.0)
    return Term(
        values=values_BT.sum(1) / mask_BT.sum(1).clamp(min=1),
        clipped_low=(term_BT.clipped_low & mask_BT).any(1),
        clipped_high=(term_BT.clipped_high & mask_BT).any(1),
    )
