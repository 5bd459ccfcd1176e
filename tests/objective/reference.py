"""The algorithm once more, as slow loops over plain Python numbers, written from the equations.

No torch and no code of `hacpo`: what the tensor code is compared with must not share its faults.
Missing rollouts are None, ragged rows are lists of different lengths, and gradients with respect
to every log-probability are written out by hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Rewards = list[list[list[float | None]]]  # [author][prompt][completion]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One completion; lists have one entry per token of the learner."""

    logprobs: list[float]
    old_logprobs: list[float]
    reference_logprobs: list[float]
    source_mean: float
    advantage: float
    shared: bool


def ratio(of: float, over: float, floor: float, low: float, high: float) -> float:
    """(8) with its guards."""
    return min(max(max(of, floor) / max(over, floor), low), high)


def baseline(group: list[list[float | None]], omegas: list[float]) -> float:
    """(6) for one prompt: `group` is [author][completion]."""
    total, count = 0.0, 0
    for rewards, omega in zip(group, omegas, strict=True):
        for reward in rewards:
            if reward is not None:
                total += omega * reward
                count += 1
    return total / count if count else 0.0


def deviation(group: list[list[float | None]], correction: int) -> float:
    """Standard deviation of the raw rewards of one joint group."""
    present = [reward for rewards in group for reward in rewards if reward is not None]
    if len(present) <= correction:
        return 0.0
    mean = sum(present) / len(present)
    return math.sqrt(sum((r - mean) ** 2 for r in present) / (len(present) - correction))


def advantages(
    rewards: Rewards,
    omegas: list[float],
    coefficients: list[float],
    *,
    learner: int,
    correction: int,
    epsilon: float,
    tolerance: float,
    guard: bool,
) -> list[list[list[float]]]:
    """(5)-(7) and (10) with their guards; 0 for what is missing or carries no signal."""
    result = [[[0.0 for _ in group] for group in author] for author in rewards]
    for p in range(len(rewards[0])):
        group = [author[p] for author in rewards]
        present = [r for author in group for r in author if r is not None]
        if not present or max(present) - min(present) <= tolerance:
            continue
        mu = baseline(group, omegas)
        if guard and mu > max(present):
            own = [r for r in group[learner] if r is not None] or present
            mu = sum(own) / len(own)
        sigma = deviation(group, correction)
        for n, author in enumerate(group):
            for g, reward in enumerate(author):
                if reward is not None:
                    result[n][p][g] = coefficients[n] * (reward - mu) / (sigma + epsilon)
    return result


def loss_and_gradient(rows: list[Row], s: dict, update_index: int) -> tuple[float, list]:
    """(50), (53) with the optional KL: the loss of one update and its gradient per token."""
    sequences = sum(1 for row in rows if row.logprobs)
    tokens = sum(len(row.logprobs) for row in rows)
    loss, gradient = 0.0, []
    for row in rows:
        if not row.logprobs:
            gradient.append([])
            continue
        weight = row_weight(len(row.logprobs), sequences, tokens, s)
        value, slopes = row_term(row, s, update_index)
        if s["kl_coefficient"] > 0.0 and not row.shared:
            kl_value, kl_slopes = row_kl(row, s)
            value -= s["kl_coefficient"] * kl_value
            slopes = [a - s["kl_coefficient"] * b for a, b in zip(slopes, kl_slopes, strict=True)]
        loss -= weight * value
        gradient.append([-weight * slope for slope in slopes])
    return loss, gradient


def row_weight(length: int, sequences: int, tokens: int, s: dict) -> float:
    """The three normalisations."""
    if s["normalization"] == "sequence_mean":
        return 1.0 / sequences
    if s["normalization"] == "token_mean":
        return length / tokens
    return length / (sequences * s["constant_length"])


def row_term(row: Row, s: dict, update_index: int) -> tuple[float, list[float]]:
    """Value of one row's term and its slope in each log-probability."""
    length = len(row.logprobs)
    if s["ratio_level"] == "token":
        value, slopes = 0.0, []
        for new, old in zip(row.logprobs, row.old_logprobs, strict=True):
            term, slope = own_surrogate(new - old, row.advantage, s)
            value += term / length
            slopes.append(slope / length)
        return value, slopes
    log_ratio = sum(row.logprobs) / length - row.source_mean
    if row.shared and s["shared_term"] == "cross":
        value, slope = cross_surrogate(log_ratio, row.advantage, s, update_index)
    else:
        value, slope = own_surrogate(log_ratio, row.advantage, s)
    return value, [slope / length] * length


def own_surrogate(log_ratio: float, advantage: float, s: dict) -> tuple[float, float]:
    """(47): value, and slope in the log-ratio."""
    limit = s["log_ratio_limit"]
    ratio_ = math.exp(min(max(log_ratio, -limit), limit))
    inside_limit = -limit <= log_ratio <= limit
    low, high = 1.0 - s["clip_low"], 1.0 + s["clip_high"]
    plain, clipped = ratio_ * advantage, min(max(ratio_, low), high) * advantage
    if plain <= clipped:
        return plain, ratio_ * advantage if inside_limit else 0.0
    return clipped, 0.0


def cross_surrogate(log_ratio: float, advantage: float, s: dict, m: int) -> tuple[float, float]:
    """(50) with (52): value, and slope (29) in the log-ratio."""
    limit, alpha = s["log_ratio_limit"], s["alpha"]
    ratio_ = math.exp(min(max(log_ratio, -limit), limit))
    inside_limit = -limit <= log_ratio <= limit
    high = s["cross_upper"]
    low = min(1.0 - s["cross_delta"] + m * s["cross_step"], 1.0, high)
    value = min(max(ratio_, low), high) * ratio_**alpha * advantage
    inside = low <= ratio_ <= high and inside_limit
    return value, ratio_ ** (1.0 + alpha) * advantage if inside else 0.0


def row_kl(row: Row, s: dict) -> tuple[float, list[float]]:
    """Mean over tokens of r - log r - 1, and its slopes."""
    length, limit = len(row.logprobs), s["log_ratio_limit"]
    value, slopes = 0.0, []
    for new, reference in zip(row.logprobs, row.reference_logprobs, strict=True):
        log_r = min(max(reference - new, -limit), limit)
        value += (math.exp(log_r) - log_r - 1.0) / length
        inside = -limit <= reference - new <= limit
        slopes.append((1.0 - math.exp(log_r)) / length if inside else 0.0)
    return value, slopes
