"""The one place that divides: how much each row of a mini-batch weighs in the loss.

A micro-batch is divided by counts of the whole update, so that gradients of micro-batches simply
add up, however the update was cut.

Legend: B rows (completions).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor

Normalization: TypeAlias = Literal["sequence_mean", "token_mean", "constant_length"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LossScale:
    """Counts of one whole update, over all of its micro-batches, own and shared together.

    Rows without tokens are not counted.

    Example: ``LossScale.of_lengths([3, 0, 2]) == LossScale(num_sequences=2, num_tokens=5)``.
    """

    num_sequences: int
    num_tokens: int

    def __post_init__(self) -> None:
        if self.num_sequences < 0 or self.num_tokens < self.num_sequences:
            raise ValueError(
                "An update has at least one token per sequence, and no negative counts: "
                f"{self.num_sequences} sequences, {self.num_tokens} tokens."
            )

    @classmethod
    def of_lengths(cls, lengths: Iterable[int]) -> LossScale:
        """Counts of an update whose rows have these many completion tokens."""
        present = [length for length in lengths if length > 0]
        return cls(num_sequences=len(present), num_tokens=sum(present))


def row_weights(
    lengths_B: Tensor,
    *,
    normalization: Normalization,
    scale: LossScale,
    constant_length: int | None,
    dtype: torch.dtype,
) -> Tensor:
    """Weight of each row's mean over tokens (or of its one sequence-level term), shape B.

    ``sequence_mean``: 1 / sequences; every completion counts the same, as in (47).
    ``token_mean``: |y| / tokens; every token counts the same.
    ``constant_length``: |y| / (sequences * constant_length); a sum over tokens whose divisor does
    not depend on what was sampled.
    A row without tokens weighs 0, and an update without any gives 0 and not a division by 0.

    Args:
        lengths_B: completion tokens of each row.
        constant_length: tokens; only for ``constant_length``.
        dtype: of the result.

    Raises:
        ValueError: an unknown normalisation, or a constant length that is missing.
    """
    check_normalization(normalization, constant_length)
    sequences, tokens = max(scale.num_sequences, 1), max(scale.num_tokens, 1)
    lengths_B = lengths_B.to(dtype)
    if normalization == "sequence_mean":
        return (lengths_B > 0).to(dtype) / sequences
    if normalization == "token_mean":
        return lengths_B / tokens
    return lengths_B / (sequences * (constant_length or 1))


def check_normalization(normalization: str, constant_length: int | None) -> None:
    """Raise ValueError unless the two settings fit each other."""
    if normalization not in get_args(Normalization):
        names = ", ".join(get_args(Normalization))
        raise ValueError(f"The normalization must be one of {names}, not {normalization!r}.")
    if normalization == "constant_length":
        fits = constant_length is not None and constant_length > 0
    else:
        fits = constant_length is None
    if not fits:
        raise ValueError(
            "constant_length is a positive number of tokens for the normalization "
            f"constant_length and none for the others; {normalization} has {constant_length}."
        )
