"""Settings, rows and random input that several tests of the objective share."""

from __future__ import annotations

import random
from math import log
from typing import Any

import hypothesis
import torch
from torch import Tensor

from hacpo.objective import (
    LossOutput,
    LossRows,
    LossScale,
    ObjectiveSettings,
    micro_batch_loss,
)

RATIO_GUARDS = {"floor": 1e-3, "ratio_min": 0.1, "ratio_max": 10.0}
ADVANTAGE_GUARDS: dict[str, Any] = {
    "std_correction": 1,
    "std_epsilon": 1e-6,
    "uniform_tolerance": 1e-8,
    "baseline_guard": "own_mean",
}
PURE: dict[str, Any] = {
    "std_correction": 0,
    "std_epsilon": 0.0,
    "uniform_tolerance": 0.0,
    "baseline_guard": "keep",
}
"""The formulas (5)-(7) as printed."""

HACPO: dict[str, Any] = {
    "ratio_level": "sequence",
    "shared_term": "cross",
    "alpha": 1.0,
    "clip_low": 0.02,
    "clip_high": 0.03,
    "cross_delta": 0.8,
    "cross_step": 0.025,
    "cross_upper": 1.0,
    "normalization": "sequence_mean",
    "constant_length": None,
    "kl_coefficient": 0.0,
    "log_ratio_limit": 10.0,
}
NO_CLIP = {
    "clip_low": float("inf"),
    "clip_high": float("inf"),
    "cross_delta": float("inf"),
    "cross_upper": float("inf"),
}

# Derandomized: one commit, one verdict.
quickly = hypothesis.settings(deadline=None, max_examples=60, derandomize=True)


def make_settings(**overrides: Any) -> ObjectiveSettings:
    """HACPO's settings with some values replaced."""
    return ObjectiveSettings(**{**HACPO, **overrides})


def make_rows(
    logprobs: list[list[float]],
    *,
    source: list[float],
    advantages: list[float],
    shared: list[bool],
    old: list[list[float]] | None = None,
    reference: list[list[float]] | None = None,
    padding: float = 0.0,
    width: int | None = None,
) -> LossRows:
    """Rows from ragged lists in float64, with a gradient on the log-probabilities."""
    lengths = [len(row) for row in logprobs]
    width = max([*lengths, 0]) if width is None else width
    return LossRows(
        logprobs_BT=pad(logprobs, width, padding).requires_grad_(),
        mask_BT=torch.arange(width) < torch.tensor(lengths, dtype=torch.long)[:, None],
        old_logprobs_BT=pad(old or [[0.0] * length for length in lengths], width, padding),
        source_mean_logprobs_B=torch.tensor(source, dtype=torch.float64),
        advantages_B=torch.tensor(advantages, dtype=torch.float64),
        shared_B=torch.tensor(shared, dtype=torch.bool),
        reference_logprobs_BT=None if reference is None else pad(reference, width, padding),
    )


def pad(rows: list[list[float]], width: int, padding: float) -> Tensor:
    """Ragged lists as one float64 tensor."""
    padded = [row + [padding] * (width - len(row)) for row in rows]
    return torch.tensor(padded, dtype=torch.float64).reshape(len(rows), width)


def scale_of(rows: LossRows) -> LossScale:
    """The counts when these rows are a whole update."""
    return LossScale.of_lengths(rows.mask_BT.sum(1).tolist())


def random_rows(
    seed: int, *, count: int, longest: int = 7, shared: bool = True, spread: float = 0.4
) -> LossRows:
    """Random rows with ragged lengths, one empty, ratios inside and outside of every range."""
    rng = random.Random(seed)
    lengths = [rng.randint(1, longest) for _ in range(count)]
    if count > 2:
        lengths[rng.randrange(count)] = 0
    old = [[-rng.expovariate(1.0) for _ in range(length)] for length in lengths]
    new = [[value + rng.gauss(0.0, spread) for value in row] for row in old]
    return make_rows(
        new,
        old=old,
        reference=[[value + rng.gauss(0.0, spread) for value in row] for row in old],
        source=[sum(row) / max(len(row), 1) + rng.gauss(0.0, spread / 4) for row in old],
        advantages=[rng.gauss(0.0, 1.0) for _ in range(count)],
        shared=[shared and rng.random() < 0.5 for _ in range(count)],
    )


def gradient_of(rows: LossRows, loss: Tensor) -> Tensor:
    """Gradient of the loss in the log-probabilities, BT."""
    (gradient,) = torch.autograd.grad(loss, rows.logprobs_BT)
    return gradient


def loss_of(rows: LossRows, *, update_index: int = 0, **overrides: Any) -> LossOutput:
    """The loss when these rows are a whole update."""
    settings = make_settings(**overrides)
    return micro_batch_loss(rows, settings, update_index=update_index, scale=scale_of(rows))


def two_rows(**changes: Any) -> LossRows:
    """An own row at ratio 1 and a shared one at ratio 0.9, of two and one tokens."""
    arguments = {
        "logprobs": [[log(0.5), log(0.5)], [log(0.45)]],
        "source": [log(0.5), log(0.5)],
        "old": [[log(0.5), log(0.5)], [0.0]],
        "advantages": [2.0, -1.0],
        "shared": [False, True],
    }
    return make_rows(**{**arguments, **changes})
