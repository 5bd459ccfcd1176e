"""Log-probabilities of completions under the learner's model.

Legend: B rows, T completion tokens, L prompt tokens, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from hacpo.rollout.batching import micro_batches
from hacpo.rollout.output_layer import (
    LOGITS_AT_ONCE,
    chunked_logprobs,
    has_plain_head,
    output_layer,
)

TokenRow = tuple[tuple[int, ...], tuple[int, ...]]
"""Prompt ids and completion ids of one row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PaddedRows:
    """Prompts padded on the left and completions on the right, so that completions line up."""

    input_ids_BLT: Tensor  # [B, L + T]
    attention_mask_BLT: Tensor  # [B, L + T] int64
    position_ids_BLT: Tensor  # [B, L + T]
    mask_BT: Tensor  # [B, T] bool

    @property
    def completion_ids_BT(self) -> Tensor:
        """Completion ids, [B, T]."""
        return self.input_ids_BLT[:, -self.mask_BT.shape[1] :]


def pad_rows(rows: Sequence[TokenRow], *, pad_id: int, device: torch.device) -> PaddedRows:
    """Return rows of different lengths as rectangular tensors. Masks come from lengths."""
    prompt_length = max(len(prompt) for prompt, _ in rows)
    completion_length = max(len(completion) for _, completion in rows)
    ids, attention, mask = [], [], []
    for prompt, completion in rows:
        left, right = prompt_length - len(prompt), completion_length - len(completion)
        ids.append([pad_id] * left + [*prompt, *completion] + [pad_id] * right)
        attention.append([0] * left + [1] * (len(prompt) + len(completion)) + [0] * right)
        mask.append([True] * len(completion) + [False] * right)
    attention_mask_BLT = torch.tensor(attention, device=device)
    return PaddedRows(
        input_ids_BLT=torch.tensor(ids, device=device),
        attention_mask_BLT=attention_mask_BLT,
        position_ids_BLT=(attention_mask_BLT.cumsum(1) - 1).clamp(min=0),
        mask_BT=torch.tensor(mask, device=device),
    )


def completion_logprobs(
    model: PreTrainedModel,
    padded: PaddedRows,
    *,
    temperature: float,
    logits_at_once: int = LOGITS_AT_ONCE,
) -> Tensor:
    """Return log-probabilities of the completion tokens, [B, T] float32, 0 where masked.

    Logits are divided by the sampling temperature, so that they describe the distribution that
    was sampled from. More than `logits_at_once` of them are never there at the same time, neither
    now nor for the backward, if the model's output layer allows it (`has_plain_head`).
    """
    head = output_layer(model)
    num_logits = 0 if head is None else padded.mask_BT.numel() * head.weight.shape[0]
    if head is not None and num_logits > logits_at_once and has_plain_head(model):
        return _in_chunks(model, head, padded, temperature, logits_at_once)
    output = model(
        input_ids=padded.input_ids_BLT,
        attention_mask=padded.attention_mask_BLT,
        position_ids=padded.position_ids_BLT,
        use_cache=False,
        logits_to_keep=padded.mask_BT.shape[1] + 1,
    )
    logits_BTV = output.logits[:, :-1].float() / temperature
    chosen_BT = logits_BTV.gather(-1, padded.completion_ids_BT.unsqueeze(-1)).squeeze(-1)
    logprobs_BT = chosen_BT - logits_BTV.logsumexp(-1)
    masked_BT: Tensor = logprobs_BT.masked_fill(~padded.mask_BT, 0.0)
    return masked_BT


def _in_chunks(
    model: PreTrainedModel,
    head: nn.Linear,
    padded: PaddedRows,
    temperature: float,
    logits_at_once: int,
) -> Tensor:
    mask_BT = padded.mask_BT
    hidden_BLTH = model.base_model(
        input_ids=padded.input_ids_BLT,
        attention_mask=padded.attention_mask_BLT,
        position_ids=padded.position_ids_BLT,
        use_cache=False,
    ).last_hidden_state
    before_BTH = hidden_BLTH[:, -mask_BT.shape[1] - 1 : -1]  # what precedes a token predicts it
    logprobs_S = chunked_logprobs(
        head,
        before_BTH[mask_BT],
        padded.completion_ids_BT[mask_BT],
        temperature=temperature,
        logits_at_once=logits_at_once,
    )
    zeros_BT = logprobs_S.new_zeros(mask_BT.shape)
    return zeros_BT.masked_scatter(mask_BT, logprobs_S)


@torch.no_grad()
def frozen_logprobs(
    model: PreTrainedModel,
    rows: Sequence[TokenRow],
    *,
    pad_id: int,
    temperature: float,
    token_budget: int,
) -> list[tuple[float, ...]]:
    """Return per-token log-probabilities of every row, without gradients, in the rows' order."""
    results: list[tuple[float, ...]] = [()] * len(rows)
    lengths = [(len(prompt), len(completion)) for prompt, completion in rows]
    for batch in micro_batches(lengths, token_budget=token_budget):
        padded = pad_rows([rows[row] for row in batch], pad_id=pad_id, device=model.device)
        logprobs = completion_logprobs(model, padded, temperature=temperature).tolist()
        for row, values in zip(batch, logprobs, strict=True):
            results[row] = tuple(values[: lengths[row][1]])
    return results
