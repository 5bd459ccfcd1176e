"""Which completions of other agents a learner uses. None of this is in the paper; all is off.

Legend: N authors (the learner first), P prompts, G completions.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def without_unwanted(
    weighted_NPG: Tensor,
    rewards_NPG: Tensor,
    *,
    smallest_reward: float = -math.inf,
    smallest_advantage: float = -math.inf,
) -> Tensor:
    """Return the advantages with 0 for shared completions that are not wanted.

    They stay in the baseline, in the deviation and in the divisor of the loss: only their gradient
    goes. The learner's own completions are left alone.

    Args:
        weighted_NPG: advantages of the learner, weighted by author, (10).
        rewards_NPG: rewards.
        smallest_reward: shared completions below it teach nothing; -inf: all do.
        smallest_advantage: shared completions whose advantage is below it teach nothing; 0 is a
            veto of negative shared advantages; -inf: none is vetoed.
    """
    unwanted_NPG = (rewards_NPG < smallest_reward) | (weighted_NPG < smallest_advantage)
    unwanted_NPG[0] = False
    return weighted_NPG.masked_fill(unwanted_NPG, 0.0)


def chosen_share(mask_NPG: Tensor, *, ratio: float, generator: torch.Generator) -> Tensor:
    """Return which completions are learnt from when only a part of the shared ones is, [N][P][G].

    For every prompt `ratio` shared completions per own one are drawn without replacement from all
    other authors' together, rounded to whole completions; own ones are all kept.

    Args:
        mask_NPG: bool, True where a rollout exists.
        ratio: shared completions per own one, not negative; inf keeps all.
        generator: on the CPU; the same state draws the same completions.

    Raises:
        ValueError: the ratio is negative or not a number.
    """
    if not ratio >= 0:
        raise ValueError(f"the share ratio must not be negative, and is {ratio}")
    kept_NPG = mask_NPG.clone()
    # Drawn for every place whatever exists, so that a missing rollout does not move the others.
    draws_NPG = torch.rand(mask_NPG.shape, generator=generator, dtype=torch.float64)
    if math.isinf(ratio):
        return kept_NPG
    for p in range(mask_NPG.shape[1]):
        wanted = round(ratio * int(mask_NPG[0, p].sum()))
        draws = draws_NPG[1:, p].masked_fill(~mask_NPG[1:, p], math.inf)
        order = draws.flatten().argsort()
        dropped = torch.ones_like(order, dtype=torch.bool)
        dropped[order[:wanted]] = False
        kept_NPG[1:, p] &= ~dropped.view_as(draws)
    return kept_NPG
