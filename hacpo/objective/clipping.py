"""Clip ranges and surrogates: (13), (14), (47), (48) and (52) of arXiv 2603.02604.

Every bound is inclusive: a ratio exactly on it keeps its gradient.
"""

from __future__ import annotations

import torch
from torch import Tensor

FULLY_TRUSTED = 1.0
"""The lower cross bound never passes this ratio, however many updates a step has."""


def cross_clip_bounds(
    *, delta: float, step: float, upper: float, update_index: int
) -> tuple[float, float]:
    """[1 - δ + m·δ_step, upper] of shared completions in update m, (13)-(14), (52).

    The lower bound rises with every update of the step, and never passes 1 or the upper bound.
    Reduces to [1 - δ, upper] in the first update and when `step` is 0.

    Args:
        delta: largest distance below 1 that is trusted; inf means no lower bound.
        step: rise of the lower bound per update.
        upper: upper bound, 1 in the paper; inf means none.
        update_index: m, optimizer steps already made within this step.

    Raises:
        ValueError: a value is out of its range.
    """
    if not (delta >= 0.0 and step >= 0.0 and upper > 0.0 and update_index >= 0):
        raise ValueError(
            "A cross clip needs delta >= 0, step >= 0, upper > 0 and update_index >= 0, not "
            f"{delta}, {step}, {upper} and {update_index}."
        )
    low = 1.0 - delta + update_index * step
    return min(low, FULLY_TRUSTED, upper), upper


def clip_fully(ratio: Tensor, low: float, high: float) -> Tensor:
    """clip(s, low, high) of (13): gradient 0 outside on both sides, whatever the advantage.

    Infinite bounds do not clip.
    """
    return ratio.clamp(low, high)


def clipped_surrogate(ratio: Tensor, advantage: Tensor, low: float, high: float) -> Tensor:
    """min(s * A, clip(s, low, high) * A), (47), any shape that broadcasts.

    The gradient stops only where a further step would go on in the same direction: above `high`
    for a positive advantage, below `low` for a negative one.
    """
    advantage = advantage.detach()
    return torch.minimum(ratio * advantage, ratio.clamp(low, high) * advantage)
