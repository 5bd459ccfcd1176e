"""One optimizer update: micro-batches, one loss, one gradient, one step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel

from hacpo.agent.rows import TrainingRow
from hacpo.objective import (
    LossRows,
    LossScale,
    ObjectiveSettings,
    RowStatistics,
    micro_batch_loss,
)
from hacpo.rollout.batching import micro_batches
from hacpo.rollout.logprobs import completion_logprobs, pad_rows


@dataclass(frozen=True, kw_only=True, slots=True)
class LearntRow:
    """What one row showed in one update; detached numbers."""

    author: str
    shared: bool
    ratio: float
    """Raw importance ratio, before any clip."""
    clipped_low: bool
    clipped_high: bool
    kl_sum: float


@dataclass(frozen=True, kw_only=True, slots=True)
class UpdateOutcome:
    """What one update came to."""

    loss: float
    rows: tuple[LearntRow, ...]
    trained_tokens: int
    micro_batches: int


@dataclass(frozen=True, kw_only=True)
class GradientPass:
    """Accumulates the gradient of one update over its micro-batches."""

    model: PreTrainedModel
    reference: PreTrainedModel | None
    """The starting model; only when the KL coefficient is not 0."""
    objective: ObjectiveSettings
    pad_id: int
    temperature: float
    token_budget: int
    backward: Callable[[Tensor], None]

    def accumulate(self, rows: Sequence[TrainingRow], *, update_index: int) -> UpdateOutcome:
        """Add the update's gradient to the parameters.

        The loss is divided by the counts of the whole update, so the gradient does not depend on
        how it is cut. Rows with advantage exactly 0 add nothing and are not computed, unless a KL
        penalty acts on them; they stay in the counts.
        """
        scale = LossScale(
            num_sequences=len(rows), num_tokens=sum(len(row.tokens[1]) for row in rows)
        )
        active = [row for row in rows if row.advantage != 0 or self._has_penalty(row)]
        lengths = [(len(prompt), len(completion)) for prompt, completion in _tokens(active)]
        batches = micro_batches(lengths, token_budget=self.token_budget)
        loss, learnt = 0.0, []
        for batch in batches:
            chosen = [active[row] for row in batch]
            value, statistics = self._micro_batch(chosen, scale, update_index)
            loss += value
            learnt += _learnt_rows(chosen, statistics)
        if not batches:
            _set_zero_gradients(self.model)
        return UpdateOutcome(
            loss=loss,
            rows=tuple(learnt),
            trained_tokens=scale.num_tokens,
            micro_batches=len(batches),
        )

    def _has_penalty(self, row: TrainingRow) -> bool:
        return self.objective.kl_coefficient != 0 and not row.shared

    def _micro_batch(
        self, rows: Sequence[TrainingRow], scale: LossScale, update_index: int
    ) -> tuple[float, RowStatistics]:
        device = self.model.device
        padded = pad_rows(_tokens(rows), pad_id=self.pad_id, device=device)
        logprobs_BT = completion_logprobs(self.model, padded, temperature=self.temperature)
        reference_BT = None
        if self.reference is not None:
            with torch.no_grad():
                reference_BT = completion_logprobs(
                    self.reference, padded, temperature=self.temperature
                )
        output = micro_batch_loss(
            LossRows(
                logprobs_BT=logprobs_BT,
                mask_BT=padded.mask_BT,
                old_logprobs_BT=_padded_values(rows, padded.mask_BT),
                source_mean_logprobs_B=torch.tensor(
                    [row.source_mean_logprob for row in rows], device=device, dtype=torch.float32
                ),
                advantages_B=torch.tensor(
                    [row.advantage for row in rows], device=device, dtype=torch.float32
                ),
                shared_B=torch.tensor([row.shared for row in rows], device=device),
                reference_logprobs_BT=reference_BT,
            ),
            self.objective,
            update_index=update_index,
            scale=scale,
        )
        self.backward(output.loss)
        return float(output.loss.detach()), output.statistics


def _tokens(rows: Sequence[TrainingRow]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [row.tokens for row in rows]


def _padded_values(rows: Sequence[TrainingRow], mask_BT: Tensor) -> Tensor:
    width = mask_BT.shape[1]
    values = []
    for row in rows:
        if row.old_logprobs and len(row.old_logprobs) != len(row.tokens[1]):
            raise ValueError(
                f"{len(row.old_logprobs)} log-probabilities for {len(row.tokens[1])} tokens"
            )
        values.append([*row.old_logprobs] + [0.0] * (width - len(row.old_logprobs)))
    return torch.tensor(values, device=mask_BT.device, dtype=torch.float32)


def _learnt_rows(rows: Sequence[TrainingRow], statistics: RowStatistics) -> list[LearntRow]:
    return [
        LearntRow(
            author=row.author,
            shared=row.shared,
            ratio=ratio,
            clipped_low=low,
            clipped_high=high,
            kl_sum=kl,
        )
        for row, ratio, low, high, kl in zip(
            rows,
            statistics.ratio_B.tolist(),
            statistics.clipped_low_B.tolist(),
            statistics.clipped_high_B.tolist(),
            statistics.kl_sum_B.tolist(),
            strict=True,
        )
    ]


def _set_zero_gradients(model: PreTrainedModel) -> None:
    # An update without signal still steps: momentum acts as it would for computed zeros.
    for parameter in model.parameters():
        if parameter.requires_grad and parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)


def clip_gradient(model: PreTrainedModel, *, largest_norm: float) -> float:
    """Clip the gradient's norm in place and return the norm before the clip."""
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), largest_norm)
    return float(norm)


def is_usable(norm: float) -> bool:
    """Return whether an update with this gradient norm may be applied."""
    return math.isfinite(norm)
