"""Log-probabilities from hidden states, a few positions at a time.

With a vocabulary of 150,000 the logits of one micro-batch, in float32 and kept for the backward,
are larger than the model. Here they exist for one chunk of positions only, and are computed again
in the backward.

Legend: S positions, H hidden size, V vocabulary.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

LOGITS_AT_ONCE = 2**24
"""Logits that may exist side by side: 64 MiB in float32, and a few times that in the backward."""

_PLAIN: WeakKeyDictionary[PreTrainedModel, bool] = WeakKeyDictionary()


def has_plain_head(model: PreTrainedModel) -> bool:
    """Return whether the logits are the output layer applied to the last hidden state.

    Found by trying, once a model: soft-capped or scaled logits, or a head with parts of its own,
    give other numbers, and such a model computes its logits itself.
    """
    if model not in _PLAIN:
        _PLAIN[model] = _tried(model)
    return _PLAIN[model]


def output_layer(model: PreTrainedModel) -> nn.Linear | None:
    """Return the layer from hidden states to logits; None where there is no single one."""
    head = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    return head if isinstance(head, nn.Linear) else None


@torch.no_grad()
def _tried(model: PreTrainedModel) -> bool:
    head, body = output_layer(model), model.base_model
    if head is None or body is model:
        return False
    ids = torch.arange(4, device=model.device).unsqueeze(0) % head.weight.shape[0]
    own = model(input_ids=ids, use_cache=False).logits
    hidden = getattr(body(input_ids=ids, use_cache=False), "last_hidden_state", None)
    return hidden is not None and torch.equal(head(hidden), own)


def chunked_logprobs(
    head: nn.Linear, hidden_SH: Tensor, ids_S: Tensor, *, temperature: float, logits_at_once: int
) -> Tensor:
    """Return the log-probability of each position's token, [S] float32.

    Args:
        head: from hidden states to logits.
        hidden_SH: last hidden states.
        ids_S: token ids.
        temperature: divides the logits.
        logits_at_once: bound of positions times vocabulary in one chunk; at least one position.
    """
    size = max(1, logits_at_once // head.weight.shape[0])
    again = torch.is_grad_enabled() and len(ids_S) > size
    parts = []
    for hidden, ids in zip(torch.split(hidden_SH, size), torch.split(ids_S, size), strict=True):
        if again:
            part = checkpoint(_chosen, head, hidden, ids, temperature, use_reentrant=False)
        else:
            part = _chosen(head, hidden, ids, temperature)
        parts.append(part)
    return torch.cat(parts) if parts else hidden_SH.new_zeros(0, dtype=torch.float32)


def _chosen(head: nn.Linear, hidden_SH: Tensor, ids_S: Tensor, temperature: float) -> Tensor:
    logits_SV: Tensor = head(hidden_SH).float() / temperature
    chosen_S = logits_SV.gather(-1, ids_S.unsqueeze(-1)).squeeze(-1)
    return chosen_S - logits_SV.logsumexp(-1)
