"""Supervised training on demonstrations. Legend: B rows, T tokens, V vocabulary."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional
from transformers import PreTrainedModel

from hacpo.warm_start.demonstrations import Demonstrations

Progress = Callable[[int, int, float], None]
"""Called after every step with (finished steps, total steps, loss in nats per token)."""

WARM_UP_SHARE = 0.03
"""Share of the steps over which the learning rate rises, so that Adam's first moments settle."""
GRADIENT_CLIP = 1.0
BETAS = (0.9, 0.95)


def learning_rate(step: int, total: int, peak: float) -> float:
    """Return the rate of step 0 to total - 1: a short linear rise, then a cosine to zero."""
    rise = max(1, round(WARM_UP_SHARE * total))
    if step < rise:
        return peak * (step + 1) / rise
    progress = (step + 1 - rise) / max(1, total - rise)
    return peak * 0.5 * (1 + math.cos(math.pi * progress))


def completion_loss(model: PreTrainedModel, input_ids_BT: Tensor, learnt_BT: Tensor) -> Tensor:
    """Return the mean cross-entropy of the learnt tokens, a scalar in nats per token.

    Rows are padded on the right and attention is causal: no learnt token sees padding, so no
    attention mask is needed and the fast causal kernel is used.
    """
    logits_BTV = model(input_ids=input_ids_BT, use_cache=False).logits[:, :-1]
    learnt = learnt_BT[:, 1:]
    return functional.cross_entropy(logits_BTV[learnt].float(), input_ids_BT[:, 1:][learnt])


def train(
    model: PreTrainedModel,
    demonstrations: Demonstrations,
    *,
    lr: float,
    on_progress: Progress | None = None,
) -> float:
    """Train the model in place on every batch once; return the mean loss of the last tenth.

    AdamW without weight decay, learning rate as in `learning_rate`, gradient norm limited to 1.
    Nothing random happens here unless the model has dropout: the data are drawn before.
    """
    steps = demonstrations.steps
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=lr, betas=BETAS, weight_decay=0.0, fused=True)
    losses: list[float] = []
    model.train()
    for step in range(steps):
        input_ids_BT, learnt_BT = (t.to(model.device) for t in demonstrations.batch(step))
        loss = completion_loss(model, input_ids_BT, learnt_BT)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, GRADIENT_CLIP)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, lr)
        optimizer.step()
        losses.append(loss.item())
        if on_progress is not None:
            on_progress(step + 1, steps, losses[-1])
    model.eval()  # type: ignore[no-untyped-call]
    last = losses[-max(1, steps // 10) :]
    return sum(last) / len(last)
