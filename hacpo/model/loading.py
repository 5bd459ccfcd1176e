"""Loads a model and its tokenizer from the hub, a folder, a GGUF file, or builds both in code."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from hacpo.model.architecture import random_model
from hacpo.model.folders import file_in_folder, model_folder
from hacpo.model.source import ModelSource
from hacpo.model.tokenizers import build_tokenizer
from hacpo.rollout.tokens import stop_token_ids


def load_tokenizer(
    source: ModelSource,
    *,
    path: str | None = None,
    kind: str | None = None,
    merges: int = 0,
    texts: Sequence[str] = (),
) -> PreTrainedTokenizerBase:
    """Return an agent's tokenizer: built in code, from a folder of its own, or the model's.

    Args:
        source: where the model comes from; used when neither `path` nor `kind` is given.
        path: a tokenizer folder (see `hacpo.model.folders`).
        kind: build one in code, see `hacpo.model.tokenizers.build_tokenizer`.
        merges: for `kind`.
        texts: what a tokenizer built in code must cover: `Task.texts()`.

    Raises:
        ValueError: with a sentence for the user when it cannot be had.
    """
    if path is not None and kind is not None:
        raise ValueError("a tokenizer has a path or a kind, not both")
    if kind is not None:
        return build_tokenizer(kind, texts, merges=merges)
    if path is not None:
        folder = model_folder(path)
        file_in_folder(folder, "tokenizer_config.json")
        location, arguments = str(folder), {"trust_remote_code": source.trust_remote_code}
    elif source.architecture is not None:
        raise ValueError(
            "a model given by its architecture has no tokenizer of its own; "
            "set tokenizer.kind or tokenizer.path"
        )
    else:
        location, arguments = source.location(), source.arguments()
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(location, **arguments)
    except (OSError, ImportError) as error:
        raise ValueError(f"the tokenizer of {location} cannot be loaded: {error}") from error
    return tokenizer


def load_model(
    source: ModelSource, tokenizer: PreTrainedTokenizerBase, *, seed: int = 0
) -> PreTrainedModel:
    """Return a causal language model in evaluation mode, ready to be trained and saved.

    Args:
        source: where it comes from.
        tokenizer: gives vocabulary size and special ids of an architecture, and the stop tokens
            of every model.
        seed: of random weights; only for an architecture.

    Raises:
        ValueError: with a sentence for the user when it cannot be had or does not fit.
    """
    if source.architecture is not None:
        model = random_model(
            source.architecture,
            tokenizer,
            dtype=getattr(torch, source.dtype),
            attn_implementation=source.attn_implementation,
            seed=seed,
        )
    else:
        model = _pretrained(source)
    embeddings = model.get_input_embeddings()
    assert isinstance(embeddings.weight, torch.Tensor)
    rows = embeddings.weight.shape[0]
    if len(tokenizer) > rows:
        raise ValueError(
            f"the tokenizer has {len(tokenizer)} tokens, but the model only knows {rows}: "
            "they do not belong together"
        )
    model.generation_config = greedy_generation(model, tokenizer)
    model.eval()  # type: ignore[no-untyped-call]
    return model


def greedy_generation(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> GenerationConfig:
    """Return the generation settings that an agent's model is saved with.

    Greedy, and stopping at every token that ends a completion here. Published settings such as a
    repetition penalty or top-p are left out: they would change the distribution that rewards and
    log-probabilities belong to.
    """
    stop_ids = sorted(stop_token_ids(model, tokenizer))
    pad_id = tokenizer.pad_token_id
    return GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=False,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=stop_ids[0] if len(stop_ids) == 1 else stop_ids,
        pad_token_id=tokenizer.eos_token_id if pad_id is None else pad_id,
    )


def _pretrained(source: ModelSource) -> PreTrainedModel:
    location = source.location()
    arguments = source.arguments()
    if source.attn_implementation is not None:
        arguments["attn_implementation"] = source.attn_implementation
    try:
        model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
            location, dtype=getattr(torch, source.dtype), **arguments
        )
    except (OSError, ImportError) as error:
        raise ValueError(f"the model {location} cannot be loaded: {error}") from error
    if source.gguf_file is not None:
        _forget_quantization(model)
    return model


def _forget_quantization(model: PreTrainedModel) -> None:
    """Make a model that was read from GGUF an ordinary one.

    Its weights are dequantised while loading, but the marks that stay behind make transformers
    refuse to save it.
    """
    for name in ("hf_quantizer", "is_quantized", "quantization_method"):
        if hasattr(model, name):
            delattr(model, name)
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
