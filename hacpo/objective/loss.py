"""The whole objective of one learner, (50) and (53) of arXiv 2603.02604, as a loss to minimise.

HACPO, Naive, GSPO and GRPO are values of `ObjectiveSettings`; none has a branch of its own.

Legend: B rows (completions, own and shared mixed), T tokens of the learner. Nats throughout.
"""

from __future__ import annotations

import torch
from torch import Tensor

from hacpo.objective.clipping import cross_clip_bounds
from hacpo.objective.importance import sequence_mean_logprob, sequence_ratio, token_ratio
from hacpo.objective.kl import low_variance_kl
from hacpo.objective.normalization import LossScale, row_weights
from hacpo.objective.rows import LossOutput, LossRows, RowStatistics
from hacpo.objective.settings import ObjectiveSettings
from hacpo.objective.terms import Term, over_tokens, own_term, shared_term


def micro_batch_loss(
    rows: LossRows, settings: ObjectiveSettings, *, update_index: int, scale: LossScale
) -> LossOutput:
    """-(J_homo + J_hete) of (50), (53) over one micro-batch, plus the optional KL penalty.

    One mean over the mixed mini-batch. The division uses `scale`, the counts of the whole update,
    so losses and gradients of its micro-batches add up, however it was cut. Reduces to GSPO when
    no row is shared, and to GRPO with token ratios.

    Args:
        update_index: m of (52), optimizer steps already made within this step.
        scale: counts of the whole update.

    Raises:
        ValueError: token ratios meet a shared row, or a KL penalty lacks its reference.
    """
    _check(rows, settings)
    rows = rows.cleaned()
    ratio_B = _sequence_ratio(rows, settings)
    term = _policy_term(rows, ratio_B, settings, update_index)
    kl_sum_B = _own_kl(rows, settings)
    lengths_B = rows.mask_BT.sum(1)
    objective_B = term.values
    if settings.kl_coefficient > 0.0:
        objective_B = objective_B - settings.kl_coefficient * kl_sum_B / lengths_B.clamp(min=1)
    weights_B = row_weights(
        lengths_B,
        normalization=settings.normalization,
        scale=scale,
        constant_length=settings.constant_length,
        dtype=rows.logprobs_BT.dtype,
    )
    present_B = lengths_B > 0
    return LossOutput(
        loss=-(weights_B * objective_B).sum(),
        statistics=RowStatistics(
            ratio_B=ratio_B.detach(),
            clipped_low_B=term.clipped_low & present_B,
            clipped_high_B=term.clipped_high & present_B,
            kl_sum_B=kl_sum_B.detach(),
        ),
    )


def _policy_term(
    rows: LossRows, ratio_B: Tensor, settings: ObjectiveSettings, update_index: int
) -> Term:
    """Own term on own rows, shared term on shared rows."""
    clip = {"clip_low": settings.clip_low, "clip_high": settings.clip_high}
    if settings.ratio_level == "token":
        ratio_BT = token_ratio(
            rows.logprobs_BT, rows.old_logprobs_BT, log_ratio_limit=settings.log_ratio_limit
        )
        return over_tokens(own_term(ratio_BT, rows.advantages_B[:, None], **clip), rows.mask_BT)
    own = own_term(ratio_B, rows.advantages_B, **clip)
    if settings.shared_term == "own":
        return own
    low, high = cross_clip_bounds(
        delta=settings.cross_delta,
        step=settings.cross_step,
        upper=settings.cross_upper,
        update_index=update_index,
    )
    cross = shared_term(ratio_B, rows.advantages_B, alpha=settings.alpha, low=low, high=high)
    return cross.where(rows.shared_B, own)


def _sequence_ratio(rows: LossRows, settings: ObjectiveSettings) -> Tensor:
    return sequence_ratio(
        sequence_mean_logprob(rows.logprobs_BT, rows.mask_BT),
        rows.source_mean_logprobs_B,
        log_ratio_limit=settings.log_ratio_limit,
    )


def _own_kl(rows: LossRows, settings: ObjectiveSettings) -> Tensor:
    """KL to the starting model summed over the tokens of each own row, shape B."""
    if rows.reference_logprobs_BT is None:
        return torch.zeros_like(rows.advantages_B)
    kl_BT = low_variance_kl(
        rows.logprobs_BT, rows.reference_logprobs_BT, log_ratio_limit=settings.log_ratio_limit
    )
    return torch.where(rows.mask_BT & ~rows.shared_B[:, None], kl_BT, 0.0).sum(1)


def _check(rows: LossRows, settings: ObjectiveSettings) -> None:
    if settings.ratio_level == "token" and bool(rows.shared_B.any()):
        raise ValueError("Token ratios need the learner's own tokens; no row may be shared.")
    no_reference = rows.reference_logprobs_BT is None
    if settings.kl_coefficient > 0.0 and no_reference and not bool(rows.shared_B.all()):
        raise ValueError("A KL penalty needs the log-probabilities of the starting model.")
