"""Gradient checkpointing: the same gradients, less kept, and nothing of it while sampling."""

from __future__ import annotations

import pytest
import torch
from transformers import PreTrainedModel

from hacpo.model.checkpointing import CheckpointedLayers
from tests.tiny_models import build_tiny

INPUT = torch.tensor([[4, 5, 6, 7, 8]])


def gradient_and_kept(model: PreTrainedModel) -> tuple[torch.Tensor, int]:
    """Return the gradient of a loss, and how many numbers were kept for it."""
    kept = 0

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal kept
        kept += tensor.numel()
        return tensor

    model.zero_grad()
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = model(INPUT, use_cache=False).logits.square().mean()
    loss.backward()
    gradients = [p.grad.flatten() for p in model.parameters() if p.grad is not None]
    return torch.cat(gradients), kept


@pytest.mark.parametrize("model_type", ["qwen3", "llama"])
def test_the_gradient_stays_and_less_is_kept(model_type: str) -> None:
    model = build_tiny(model_type).model
    plain, all_kept = gradient_and_kept(model)
    layers = CheckpointedLayers(model)
    with layers:
        checkpointed, few_kept = gradient_and_kept(model)
        assert not model.training
        assert not any(m.training for m in model.modules() if isinstance(m, torch.nn.Linear))
    torch.testing.assert_close(checkpointed, plain, rtol=0, atol=0)
    assert few_kept < all_kept / 2
    assert gradient_and_kept(model)[1] == all_kept


def test_outside_of_the_context_the_cache_works() -> None:
    model = build_tiny("qwen3").model
    CheckpointedLayers(model)
    assert model(INPUT, use_cache=True).past_key_values.get_seq_length() == 5


def test_a_model_without_it_is_refused() -> None:
    model = build_tiny("llama").model
    type(model).supports_gradient_checkpointing, before = False, True
    try:
        with pytest.raises(ValueError, match="LlamaForCausalLM has no gradient checkpointing"):
            CheckpointedLayers(model)
    finally:
        type(model).supports_gradient_checkpointing = before
