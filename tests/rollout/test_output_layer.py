"""Chunked log-probabilities: the same numbers and gradients, without the whole of the logits."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from hacpo.rollout.logprobs import completion_logprobs, pad_rows
from hacpo.rollout.output_layer import chunked_logprobs, has_plain_head

ROWS = [((3, 4, 5), (6, 7, 8, 9)), ((5,), (6, 2)), ((4, 4), (11,))]


def _model(model_type: str, **options: object) -> PreTrainedModel:
    config = AutoConfig.for_model(
        model_type,
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        intermediate_size=32,
        max_position_embeddings=32,
        pad_token_id=0,
        **options,
    )
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()


def _gradients(model: PreTrainedModel, logits_at_once: int) -> tuple[torch.Tensor, torch.Tensor]:
    model.zero_grad()
    padded = pad_rows(ROWS, pad_id=0, device=torch.device("cpu"))
    logprobs_BT = completion_logprobs(model, padded, temperature=0.7, logits_at_once=logits_at_once)
    weights_BT = torch.arange(1, 1 + logprobs_BT.numel()).view_as(logprobs_BT)
    (logprobs_BT * weights_BT).sum().backward()
    flat = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
    return logprobs_BT.detach(), flat


@pytest.mark.parametrize("logits_at_once", [1, 50, 150, 400])
@pytest.mark.parametrize(
    ("model_type", "options"),
    [
        ("qwen3", {"tie_word_embeddings": True}),
        ("llama", {"tie_word_embeddings": False}),
        ("gpt2", {"n_embd": 16, "n_head": 2, "n_layer": 2, "n_positions": 32}),
    ],
)
def test_values_and_gradients_are_those_of_the_whole(
    model_type: str, options: dict[str, object], logits_at_once: int
) -> None:
    model = _model(model_type, **options)
    assert has_plain_head(model)
    whole, whole_gradient = _gradients(model, 10**9)
    parts, parts_gradient = _gradients(model, logits_at_once)
    assert torch.allclose(parts, whole, atol=1e-6)
    assert torch.allclose(parts_gradient, whole_gradient, atol=1e-5)
    assert (parts[1, 2:] == 0).all()


def test_soft_capped_logits_are_left_to_their_model() -> None:
    model = _model("gemma2", final_logit_softcapping=2.0)
    assert not has_plain_head(model)
    whole, whole_gradient = _gradients(model, 10**9)
    same, same_gradient = _gradients(model, 50)
    assert torch.equal(whole, same)
    assert torch.equal(whole_gradient, same_gradient)


def test_bfloat16_agrees_under_autocast() -> None:
    model = _model("qwen3")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        whole, whole_gradient = _gradients(model, 10**9)
        parts, parts_gradient = _gradients(model, 100)
    assert torch.allclose(parts, whole, atol=0.05)
    assert torch.allclose(parts_gradient, whole_gradient, rtol=0.05, atol=0.5)


def test_no_more_logits_exist_than_are_allowed() -> None:
    seen: list[int] = []
    head = nn.Linear(8, 30)
    head.register_forward_hook(lambda module, given, logits: seen.append(logits.numel()))
    hidden_SH = torch.randn(20, 8, requires_grad=True)
    logprobs_S = chunked_logprobs(
        head, hidden_SH, torch.arange(20), temperature=1.0, logits_at_once=100
    )
    logprobs_S.sum().backward()
    assert max(seen) == 90  # 3 positions of 30
    assert len(seen) == 14  # 7 chunks, and once more in the backward
    assert chunked_logprobs(
        head, hidden_SH[:0], torch.arange(0), temperature=1.0, logits_at_once=100
    ).shape == (0,)
