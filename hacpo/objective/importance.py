"""Importance ratios across policies and tokenizers: (11) and (12) of arXiv 2603.02604.

Only the learner's current log-probabilities carry a gradient; what the author reported is a
constant.

Legend: B rows (completions), T tokens of the learner. Log-probabilities are in nats.
"""

from __future__ import annotations

import torch
from torch import Tensor


def sequence_mean_logprob(logprobs_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """(1/|y|) Σ_t log π(y_t), the length-normalised log-probability of (11), shape B.

    A row without tokens has 0. Padded positions may hold anything, NaN too.
    """
    # where() before the sum: NaN * 0 is NaN.
    total_B = torch.where(mask_BT, logprobs_BT, 0.0).sum(1)
    return total_B / mask_BT.sum(1).clamp(min=1)


def sequence_ratio(learner_B: Tensor, source_B: Tensor, *, log_ratio_limit: float) -> Tensor:
    """s = (π_k(y) / π_old_j(y))^(1/|y|), (11), the geometric mean ratio, shape B.

    Each side's mean is over its own tokens, so that two tokenizers can be compared. The log-ratio
    is limited to +- `log_ratio_limit` nats per token, with gradient 0 beyond; inf removes the
    limit. Reduces to GSPO's ratio when the learner is the author.

    Args:
        learner_B: `sequence_mean_logprob` of the learner, with gradient.
        source_B: mean log-probability under the policy that sampled; taken as a constant.
    """
    return _limited_ratio(learner_B, source_B, log_ratio_limit)


def token_ratio(logprobs_BT: Tensor, old_BT: Tensor, *, log_ratio_limit: float) -> Tensor:
    """π(y_t) / π_old(y_t) of every token, as GRPO uses it, shape BT.

    Only for own completions: two tokenizers share no tokens. The caller zeroes padded positions
    before, because exp() of NaN would reach the gradient through any later mask.
    """
    return _limited_ratio(logprobs_BT, old_BT, log_ratio_limit)


def exponential_weight(ratio: Tensor, alpha: float) -> Tensor:
    """sg[s]^α of (12), any shape, without gradient. Reduces to 1 when α is 0."""
    return ratio.detach() ** alpha


def reweight(ratio: Tensor, alpha: float) -> Tensor:
    """s̃ = s · sg[s]^α, (12), any shape. Reduces to s when α is 0.

    The gradient is s^α times that of s, not (1 + α) s^α times.
    """
    return ratio * exponential_weight(ratio, alpha)


def _limited_ratio(learner: Tensor, source: Tensor, log_ratio_limit: float) -> Tensor:
    if not log_ratio_limit > 0.0:
        raise ValueError(f"log_ratio_limit must be above 0, not {log_ratio_limit}.")
    source = source.detach()
    return (learner - source).clamp(-log_ratio_limit, log_ratio_limit).exp()
