from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from hacpo.model.loading import load_model, load_tokenizer
from hacpo.model.source import ModelSource
from hacpo.model.tokenizers import build_tokenizer

TEXTS = ["0123456789+-=;"]
TINY: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "tie_word_embeddings": True,
}


@dataclass(frozen=True)
class Saved:
    """A tiny model as it was, and where it was saved."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    folder: Path


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    source = ModelSource(architecture=TINY)
    tokenizer = load_tokenizer(source, kind="characters", texts=TEXTS)
    model = load_model(source, tokenizer, seed=3)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return Saved(model, tokenizer, tmp_path)


def same_weights(one: PreTrainedModel, other: PreTrainedModel) -> bool:
    first, second = one.state_dict(), other.state_dict()
    return first.keys() == second.keys() and all(
        torch.equal(first[name], second[name]) for name in first
    )


def test_a_saved_model_is_loaded_again(saved: Saved) -> None:
    source = ModelSource(path=str(saved.folder))
    tokenizer = load_tokenizer(source)
    model = load_model(source, tokenizer)
    assert same_weights(model, saved.model)
    assert tokenizer.get_vocab() == saved.tokenizer.get_vocab()
    assert not model.training
    assert model.dtype is torch.float32


def test_dtype_is_taken(saved: Saved) -> None:
    source = ModelSource(path=str(saved.folder), dtype="bfloat16")
    assert load_model(source, saved.tokenizer).dtype is torch.bfloat16


def test_transformers_alone_generates_greedily_and_stops(saved: Saved) -> None:
    """The exported folder needs no code of ours, and no arguments either."""
    eos = saved.tokenizer.eos_token_id
    with torch.no_grad():
        saved.model.model.norm.weight.zero_()  # all logits 0: the lowest id wins
    saved.model.save_pretrained(saved.folder)
    model = AutoModelForCausalLM.from_pretrained(saved.folder)
    tokenizer = AutoTokenizer.from_pretrained(saved.folder)
    inputs = tokenizer("5+7=", return_tensors="pt")
    wandering = model.generate(**inputs, max_new_tokens=4)
    assert wandering.shape[1] == 8
    assert not model.generation_config.do_sample
    assert model.generation_config.eos_token_id == eos
    # Swapping the rows of EOS and of the winner makes EOS the answer.
    with torch.no_grad():
        model.model.norm.weight.fill_(1.0)
        hidden = model.model(**inputs).last_hidden_state[0, -1]
        model.model.embed_tokens.weight[eos] = 100 * hidden
        answer = model.generate(**inputs, max_new_tokens=4)
    assert answer[0, 4:].tolist() == [eos]


def test_published_sampling_settings_are_left_out_and_stop_tokens_joined(saved: Saved) -> None:
    other_stop = saved.tokenizer.convert_tokens_to_ids(";")
    published = GenerationConfig(  # type: ignore[no-untyped-call]
        do_sample=True,
        temperature=0.6,
        top_p=0.9,
        top_k=20,
        repetition_penalty=1.1,
        eos_token_id=[other_stop, saved.tokenizer.eos_token_id],
    )
    published.save_pretrained(saved.folder)
    generation = load_model(ModelSource(path=str(saved.folder)), saved.tokenizer).generation_config
    assert generation is not None
    assert not generation.do_sample
    assert generation.eos_token_id == sorted([other_stop, saved.tokenizer.eos_token_id])
    assert generation.pad_token_id == saved.tokenizer.pad_token_id
    for name in ("temperature", "top_p", "top_k", "repetition_penalty"):
        assert getattr(generation, name) is None, name


def test_a_tokenizer_may_come_from_another_folder(saved: Saved) -> None:
    tokenizer = load_tokenizer(ModelSource(architecture=TINY), path=str(saved.folder))
    assert tokenizer.get_vocab() == saved.tokenizer.get_vocab()


def test_a_tokenizer_that_is_too_large_is_refused(saved: Saved) -> None:
    with pytest.raises(ValueError, match=r"259 tokens, but the model only knows 18"):
        load_model(ModelSource(path=str(saved.folder)), build_tokenizer("bytes", ()))


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({}, "has no tokenizer of its own"),
        ({"path": "x", "kind": "bytes"}, "not both"),
        ({"path": "/no/such/folder"}, "does not exist"),
        ({"kind": "words"}, "no tokenizer kind"),
    ],
)
def test_tokenizers_that_cannot_be_had(arguments: dict[str, str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        load_tokenizer(ModelSource(architecture=TINY), **arguments)


def test_a_tokenizer_folder_without_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has no file tokenizer_config\.json"):
        load_tokenizer(ModelSource(architecture=TINY), path=str(tmp_path))


def test_a_broken_folder_is_a_sentence(saved: Saved) -> None:
    (saved.folder / "model.safetensors").unlink()
    with pytest.raises(ValueError, match=r"cannot be loaded: .*model\.safetensors"):
        load_model(ModelSource(path=str(saved.folder)), saved.tokenizer)
    (saved.folder / "config.json").write_text(json.dumps({"model_type": "no_such_type"}))
    with pytest.raises(ValueError, match="no_such_type"):
        load_model(ModelSource(path=str(saved.folder)), saved.tokenizer)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


@pytest.mark.usefixtures("offline")
def test_a_model_that_the_hub_does_not_give_is_a_sentence(saved: Saved) -> None:
    source = ModelSource(hub_id="no-such-owner/no-such-model")
    with pytest.raises(ValueError, match="the model no-such-owner/no-such-model cannot be loaded"):
        load_model(source, saved.tokenizer)
    with pytest.raises(ValueError, match="the tokenizer of no-such-owner/no-such-model"):
        load_tokenizer(source)
