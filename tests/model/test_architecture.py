from __future__ import annotations

from typing import Any

import pytest
import torch

from hacpo.model.architecture import model_config, random_model
from hacpo.model.tokenizers import build_tokenizer

TOKENIZER = build_tokenizer("characters", ["0123456789+-=;"])
QWEN: dict[str, Any] = {
    "model_type": "qwen3",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 32,
    "intermediate_size": 192,
    "max_position_embeddings": 128,
    "tie_word_embeddings": True,
}
LLAMA = QWEN | {"model_type": "llama", "num_key_value_heads": 2}


def build(architecture: dict[str, Any], *, seed: int = 0) -> torch.nn.Module:
    return random_model(
        architecture, TOKENIZER, dtype=torch.float32, attn_implementation=None, seed=seed
    )


def weights(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


@pytest.mark.parametrize("architecture, parameters", [(QWEN, 99_904), (LLAMA, 107_968)])
def test_tiny_models_have_the_size_of_the_recipe(
    architecture: dict[str, Any], parameters: int
) -> None:
    assert weights(build(architecture)).numel() == parameters


def test_vocabulary_and_special_tokens_come_from_the_tokenizer() -> None:
    config = model_config(QWEN, TOKENIZER)
    assert config.vocab_size == 18
    assert config.eos_token_id == TOKENIZER.eos_token_id
    assert config.bos_token_id == TOKENIZER.bos_token_id
    assert config.pad_token_id == TOKENIZER.pad_token_id


def test_weights_depend_on_the_seed_alone() -> None:
    torch.manual_seed(123)
    first = weights(build(QWEN, seed=5))
    torch.rand(7)
    assert torch.equal(weights(build(QWEN, seed=5)), first)
    assert not torch.equal(weights(build(QWEN, seed=6)), first)


def test_building_leaves_the_global_generator_alone() -> None:
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    build(QWEN)
    assert torch.equal(torch.rand(3), expected)


def test_attention_implementation_is_taken() -> None:
    model = random_model(QWEN, TOKENIZER, dtype=torch.bfloat16, attn_implementation="eager", seed=0)
    assert model.config._attn_implementation == "eager"
    assert model.dtype is torch.bfloat16


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"model_type": "qwen33"}, "did you mean 'qwen3'"),
        ({"model_type": None}, "None is unknown"),
        ({"hiden_size": 64}, "hiden_size is no field of the model type qwen3; did you mean 'hid"),
        ({"vocab_size": 20}, "vocab_size comes from the tokenizer"),
        ({"eos_token_id": 2}, "eos_token_id comes from the tokenizer"),
        ({"hidden_size": "wide"}, "does not fit together"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        model_config(QWEN | change, TOKENIZER)


def test_model_type_is_needed() -> None:
    with pytest.raises(ValueError, match="model_type is missing"):
        model_config({"hidden_size": 64}, TOKENIZER)


@pytest.mark.parametrize("model_type", ["qwen3_moe", "qwen2"])
def test_a_head_size_that_a_config_does_not_declare_is_taken(model_type: str) -> None:
    small = {name: value for name, value in QWEN.items() if name != "head_dim"}
    if model_type == "qwen3_moe":
        small |= {"num_experts": 4, "moe_intermediate_size": 16}
    model = build(small | {"model_type": model_type, "head_dim": 16})
    shapes = {name: tuple(value.shape) for name, value in model.named_parameters()}
    # two heads of 16, not of 64 / 2
    assert shapes["model.layers.0.self_attn.q_proj.weight"] == (32, 64)


def test_a_head_size_that_nothing_reads_is_refused() -> None:
    with pytest.raises(ValueError, match="head_dim is no field of the model type gpt2"):
        model_config({"model_type": "gpt2", "head_dim": 16}, TOKENIZER)


def test_aliases_of_fields_are_known() -> None:
    """GPT-2 calls its width n_embd, and takes hidden_size too."""
    gpt2 = {"model_type": "gpt2", "hidden_size": 32, "n_layer": 1, "n_head": 2}
    assert model_config(gpt2, TOKENIZER).n_embd == 32
