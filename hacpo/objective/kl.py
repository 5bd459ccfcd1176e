"""Optional penalty towards the starting model. Not in the paper's formulas; off by default.

Legend: B rows (completions), T tokens. Log-probabilities are in nats.
"""

from __future__ import annotations

import math

from torch import Tensor


def low_variance_kl(
    logprobs_BT: Tensor, reference_BT: Tensor, *, log_ratio_limit: float = math.inf
) -> Tensor:
    """r - log r - 1 with r = π_ref / π, an estimate of KL(π || π_ref) per token, shape BT.

    Never negative, and 0 with gradient 0 where both models agree. From token log-probabilities,
    never from a sequence ratio. Source: J. Schulman, "Approximating KL divergence" (2020), k3.

    Args:
        logprobs_BT: current policy, with gradient.
        reference_BT: starting model; taken as a constant.
        log_ratio_limit: log r is limited to +- this, with gradient 0 beyond, so that one token
            that the policy has left for good cannot make the loss infinite.
    """
    reference_BT = reference_BT.detach()
    log_ratio_BT = (reference_BT - logprobs_BT).clamp(-log_ratio_limit, log_ratio_limit)
    return log_ratio_BT.expm1() - log_ratio_BT
