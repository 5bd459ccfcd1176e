"""What the objective reads of one micro-batch, and what it hands back.

Legend: B rows (completions, own and shared mixed), T tokens of the learner. Nats throughout.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LossRows:
    """One micro-batch. Only `logprobs_BT` carries a gradient; the rest is taken as constant.

    Padded positions may hold anything, NaN too. A row without any token is allowed and gives 0.
    """

    logprobs_BT: Tensor
    """Current policy of the learner, at the sampling temperature."""
    mask_BT: Tensor
    """True on completion tokens, the stop token included."""
    old_logprobs_BT: Tensor
    """Policy that sampled, on own rows; 0 elsewhere. Read only by token ratios."""
    source_mean_logprobs_B: Tensor
    """Author's mean log-probability over the author's tokens; own rows too."""
    advantages_B: Tensor
    """A^(k), already multiplied by the author's coefficient (10)."""
    shared_B: Tensor
    """True where another agent is the author."""
    reference_logprobs_BT: Tensor | None = None
    """Starting model, on own rows; needed when `kl_coefficient` is above 0."""

    def __post_init__(self) -> None:
        if self.logprobs_BT.dim() != 2:
            raise ValueError("logprobs_BT must have axes [rows, tokens].")
        if self.mask_BT.dtype != torch.bool or self.shared_B.dtype != torch.bool:
            raise ValueError("mask_BT and shared_B must be bool.")
        for name in ("mask_BT", "old_logprobs_BT", "reference_logprobs_BT"):
            _check_shape(name, getattr(self, name), self.logprobs_BT.shape)
        for name in ("source_mean_logprobs_B", "advantages_B", "shared_B"):
            _check_shape(name, getattr(self, name), self.logprobs_BT.shape[:1])

    def cleaned(self) -> LossRows:
        """The same rows with 0 in place of padding, constants detached, one dtype.

        Padding is zeroed before any exp(): the gradient of a masked NaN is NaN, not 0.
        """
        dtype, mask_BT = self.logprobs_BT.dtype, self.mask_BT
        present_B = mask_BT.any(1)
        reference_BT = self.reference_logprobs_BT
        if reference_BT is not None:
            reference_BT = _constant(reference_BT, mask_BT & ~self.shared_B[:, None], dtype)
        return LossRows(
            logprobs_BT=torch.where(mask_BT, self.logprobs_BT, 0.0),
            mask_BT=mask_BT,
            old_logprobs_BT=_constant(self.old_logprobs_BT, mask_BT, dtype),
            source_mean_logprobs_B=_constant(self.source_mean_logprobs_B, present_B, dtype),
            advantages_B=_constant(self.advantages_B, present_B, dtype),
            shared_B=self.shared_B,
            reference_logprobs_BT=reference_BT,
        )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RowStatistics:
    """What happened to each row, for logging; detached."""

    ratio_B: Tensor
    """Sequence-level ratio before any clip, also for token ratios; 1 for a row without tokens."""
    clipped_low_B: Tensor
    """The clip took gradient because a ratio lies below the range (token ratios: any token)."""
    clipped_high_B: Tensor
    """The same above the range."""
    kl_sum_B: Tensor
    """KL to the starting model summed over tokens; 0 on shared rows and without a reference."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LossOutput:
    """Part of the update's loss that belongs to one micro-batch."""

    loss: Tensor
    """Scalar with gradient; the sum over the micro-batches is the update's loss."""
    statistics: RowStatistics


def _constant(values: Tensor, keep: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.where(keep, values.detach().to(dtype), 0.0)


def _check_shape(name: str, values: Tensor | None, expected: torch.Size) -> None:
    if values is not None and values.shape != expected:
        raise ValueError(f"{name} has shape {tuple(values.shape)}, not {tuple(expected)}.")
