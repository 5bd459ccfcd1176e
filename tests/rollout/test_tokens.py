"""Templates, stop tokens and re-encoding."""

from __future__ import annotations

import pytest

from hacpo.rollout.tokens import PromptFormat, TokenCodec, stop_token_ids
from tests.tiny_models import TEXTS, TinyModel


def test_own_ids_survive_decoding_and_encoding(tiny_llama: TinyModel) -> None:
    for text in TEXTS:
        ids = tiny_llama.codec.encode_completion(text, stopped=True)
        assert ids[-1] == tiny_llama.codec.eos_id
        assert tiny_llama.codec.decode_completion(ids) == text


def test_eos_is_added_only_where_the_author_stopped(tiny_qwen: TinyModel) -> None:
    stopped = tiny_qwen.codec.encode_completion("7", stopped=True)
    cut = tiny_qwen.codec.encode_completion("7", stopped=False)
    assert stopped == (*cut, tiny_qwen.codec.eos_id)
    assert tiny_qwen.codec.encode_completion("", stopped=False) == ()
    assert tiny_qwen.codec.encode_completion("", stopped=True) == (tiny_qwen.codec.eos_id,)


def test_special_strings_in_a_text_never_become_control_tokens(tiny_qwen: TinyModel) -> None:
    tokenizer = tiny_qwen.codec.tokenizer
    ids = tiny_qwen.codec.encode_completion("7<eos>8<pad>", stopped=False)
    assert tokenizer.eos_token_id not in ids
    assert tokenizer.pad_token_id not in ids


def test_only_the_final_stop_token_is_cut_from_the_text(tiny_qwen: TinyModel) -> None:
    codec = tiny_qwen.codec
    seven = codec.encode_completion("7", stopped=False)
    assert codec.decode_completion((*seven, codec.eos_id)) == "7"
    assert codec.decode_completion((*seven, codec.eos_id, *seven)) == "7<eos>7"


def test_plain_template_wraps_the_prompt_and_keeps_braces(tiny_qwen: TinyModel) -> None:
    codec = TokenCodec(
        tiny_qwen.codec.tokenizer,
        stop_ids=frozenset(),
        prompt_format=PromptFormat(template="0+{prompt}6"),
    )
    assert codec.tokenizer.decode(codec.encode_prompt("3=")) == "0+3=6"
    with pytest.raises(ValueError, match="every problem would look the same"):
        PromptFormat(template="no place for it")


def test_a_doubled_bos_becomes_one(tiny_qwen: TinyModel) -> None:
    tokenizer = tiny_qwen.codec.tokenizer
    tokenizer.chat_template = (
        "{{ bos_token }}{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"
    )
    codec = TokenCodec(tokenizer, stop_ids=frozenset(), prompt_format=PromptFormat(chat=True))
    ids = TokenCodec.encode_prompt(codec, "3=")
    # The tokenizer splits special strings by default, so the template's are read here by id.
    assert ids.count(tokenizer.bos_token_id) <= 1


def test_chat_without_a_template_is_refused(tiny_qwen: TinyModel) -> None:
    with pytest.raises(ValueError, match="no chat template"):
        TokenCodec(
            tiny_qwen.codec.tokenizer,
            stop_ids=frozenset(),
            prompt_format=PromptFormat(chat=True),
        )


def test_stop_ids_are_the_union_of_three_sources(tiny_qwen: TinyModel) -> None:
    tokenizer, model = tiny_qwen.codec.tokenizer, tiny_qwen.model
    model.config.eos_token_id = 5
    model.generation_config.eos_token_id = [6, 7]
    assert stop_token_ids(model, tokenizer) == {tokenizer.eos_token_id, 5, 6, 7}
