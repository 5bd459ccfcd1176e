"""Builds a model with random weights from a transformers architecture."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from transformers import (
    CONFIG_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

FROM_TOKENIZER = ("vocab_size", "bos_token_id", "eos_token_id", "pad_token_id")
"""Fields of the architecture that the tokenizer decides."""


def random_model(
    architecture: Mapping[str, Any],
    tokenizer: PreTrainedTokenizerBase,
    *,
    dtype: torch.dtype,
    attn_implementation: str | None,
    seed: int,
) -> PreTrainedModel:
    """Return a model with random weights; the same seed gives the same weights.

    torch's global generator is left as it was.
    """
    config = model_config(architecture, tokenizer)
    arguments: dict[str, Any] = {"dtype": dtype}
    if attn_implementation is not None:
        arguments["attn_implementation"] = attn_implementation
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: PreTrainedModel = AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]
            config, **arguments
        )
    return model


def model_config(
    architecture: Mapping[str, Any], tokenizer: PreTrainedTokenizerBase
) -> PretrainedConfig:
    """Return the transformers config of an architecture for this tokenizer.

    Raises:
        ValueError: for an unknown model type, a field that the type does not have (transformers
            itself would keep it and ignore it), or one that the tokenizer decides.
    """
    fields = dict(architecture)
    if "model_type" not in fields:
        raise ValueError("architecture.model_type is missing, for example qwen3 or llama")
    model_type = fields.pop("model_type")
    if model_type not in CONFIG_MAPPING:
        raise ValueError(
            f"architecture.model_type {model_type!r} is unknown to transformers"
            f"{_nearest(str(model_type), list(CONFIG_MAPPING.keys()))}"
        )
    decided = [name for name in FROM_TOKENIZER if name in fields]
    if decided:
        raise ValueError(f"architecture.{decided[0]} comes from the tokenizer; leave it out")
    default = CONFIG_MAPPING[model_type]()
    known = [*default.to_dict(), *default.attribute_map, *_undeclared(default)]
    for name in fields:
        if name not in known:
            raise ValueError(
                f"architecture.{name} is no field of the model type {model_type}"
                f"{_nearest(name, known)}"
            )
    fields["vocab_size"] = len(tokenizer)
    for name in FROM_TOKENIZER[1:]:
        fields[name] = getattr(tokenizer, name)
    try:
        return AutoConfig.for_model(model_type, **fields)
    except Exception as error:  # its checks raise kinds of their own, all about these fields
        reason = " ".join(str(error).split())
        raise ValueError(f"the architecture does not fit together: {reason}") from error


def _undeclared(default: PretrainedConfig) -> tuple[str, ...]:
    """Return what a model type reads although its config does not declare it.

    Qwen2 and Qwen3-MoE are among those that take `head_dim` so; their source says it.
    """
    configuration = Path(inspect.getfile(type(default)))
    modeling = configuration.with_name(configuration.name.replace("configuration_", "modeling_"))
    reads = modeling.is_file() and 'getattr(config, "head_dim"' in modeling.read_text()
    return ("head_dim",) if reads else ()


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
