"""Tiny models of two architectures with different tokenizers, built in code for every test."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from hacpo.model.tokenizers import build_tokenizer
from hacpo.rollout.tokens import PromptFormat, TokenCodec, build_codec

TEXTS = ["5+7-1=", "5+7=12;12-1=11", "3+4=", "3+4=7", "9-8=", "9-8=1", "0+6=6", "2+2=4", "8+8=16"]


@dataclass(frozen=True)
class TinyModel:
    """A model with random weights and its codec."""

    model: PreTrainedModel
    codec: TokenCodec


def build_tiny(model_type: str, *, merges: int = 0, seed: int = 0) -> TinyModel:
    """Return a model of 2 layers and width 32 with a character or BPE tokenizer."""
    kind = "bpe" if merges else "characters"
    tokenizer = build_tokenizer(kind, TEXTS, merges=merges)
    config = AutoConfig.for_model(
        model_type,
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        intermediate_size=64,
        max_position_embeddings=64,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:  # sharper than the default start, so that tokens differ
                parameter.mul_(4.0)
    return TinyModel(model, build_codec(tokenizer, model, PromptFormat()))
