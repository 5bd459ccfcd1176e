from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from hacpo.model.tokenizers import BOS, EOS, PAD, build_tokenizer
from hacpo.task.arithmetic import build_arithmetic

TASK = build_arithmetic(num_test=300, split_seed=0)
KINDS = {
    "characters": build_tokenizer("characters", TASK.texts()),
    "bpe": build_tokenizer("bpe", TASK.texts(), merges=12),
    "bytes": build_tokenizer("bytes", ()),
    "merged bytes": build_tokenizer("bytes", TASK.texts(), merges=12),
}
FREE_TEXTS = [
    " two  spaces, then a line break \n",
    "It's 5 , isn't it ?",
    "▁Ġé Ünïcode 😀",
    "\t\x00\x7f",
    "",
]


@pytest.fixture(params=KINDS)
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerFast:
    return KINDS[request.param]


def encode(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    return list(tokenizer(text)["input_ids"])


def decode(tokenizer: PreTrainedTokenizerBase, ids: list[int]) -> str:
    return str(tokenizer.decode(ids))


def reloaded(tokenizer: PreTrainedTokenizerFast, folder: Path) -> PreTrainedTokenizerBase:
    tokenizer.save_pretrained(folder)
    loaded: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(folder)
    return loaded


def test_sizes_are_those_of_the_recipe() -> None:
    assert len(KINDS["characters"]) == 18  # 14 characters and four special tokens
    assert len(KINDS["bpe"]) == 30
    assert len(KINDS["bytes"]) == 259
    assert len(KINDS["merged bytes"]) == 271


def test_special_tokens_are_there_and_differ(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = [tokenizer.pad_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id]
    assert tokenizer.convert_ids_to_tokens(ids) == [PAD, BOS, EOS]
    assert len(set(ids)) == 3


def test_nothing_is_added_to_a_text(tokenizer: PreTrainedTokenizerFast) -> None:
    assert not set(encode(tokenizer, "5+7=12")) & set(tokenizer.all_special_ids)


@given(st.text("0123456789+-=;"))
def test_decoding_gives_back_the_text(text: str) -> None:
    for tokenizer in KINDS.values():
        assert decode(tokenizer, encode(tokenizer, text)) == text


@pytest.mark.parametrize("text", FREE_TEXTS)
def test_bytes_give_back_any_text(text: str, tmp_path: Path) -> None:
    for kind in ("bytes", "merged bytes"):
        loaded = reloaded(KINDS[kind], tmp_path / kind)
        assert decode(loaded, encode(loaded, text)) == text


@pytest.mark.parametrize("special", [PAD, BOS, EOS, "<unk>"])
def test_special_strings_in_a_text_stay_text(
    special: str, tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    control = {tokenizer.pad_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id}
    for each in (tokenizer, reloaded(tokenizer, tmp_path)):
        ids = encode(each, f"5{special}7")
        assert not control & set(ids)
        assert len(ids) >= 2 + len(special)  # no id stands for the whole special string


def test_reading_special_strings_as_text_is_lossless_for_bytes() -> None:
    tokenizer = KINDS["bytes"]
    assert decode(tokenizer, encode(tokenizer, "5<eos>7")) == "5<eos>7"


def test_saved_tokenizer_is_the_same(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    loaded = reloaded(tokenizer, tmp_path)
    assert loaded.get_vocab() == tokenizer.get_vocab()
    assert loaded.special_tokens_map == tokenizer.special_tokens_map
    for text in TASK.texts()[::40]:
        assert encode(loaded, text) == encode(tokenizer, text)
        assert decode(loaded, encode(loaded, text)) == text


def test_unknown_characters_become_one_unknown_token_each() -> None:
    tokenizer = KINDS["characters"]
    assert encode(tokenizer, "é é") == [tokenizer.unk_token_id] * 3


def test_merges_are_learnt_from_the_texts() -> None:
    merged = {token for token in KINDS["bpe"].get_vocab() if len(token) == 2}
    assert len(merged) == 12
    assert {"5+", "2="} <= merged
    assert len(encode(KINDS["bpe"], "5+7=12;12-1=11")) < len("5+7=12;12-1=11")


def test_other_processes_build_the_same_tokenizer() -> None:
    code = (
        "from hacpo.model.tokenizers import build_tokenizer\n"
        "from hacpo.task.arithmetic import build_arithmetic\n"
        "texts = build_arithmetic(num_test=300, split_seed=0).texts()\n"
        "print(sorted(build_tokenizer('bpe', texts, merges=12).get_vocab().items()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(sorted(KINDS["bpe"].get_vocab().items()))


@pytest.mark.parametrize(
    "kind, texts, merges, sentence",
    [
        ("words", ["5+7="], 0, "choose from characters, bpe, bytes"),
        ("characters", ["5+7="], 3, "cannot learn 3 merges"),
        ("bpe", ["5+7="], 0, "at least one merge"),
        ("bpe", ["5+7="], -1, "cannot learn -1 merges"),
        ("bpe", [], 3, "got none"),
        ("characters", [""], 0, "got none"),
        ("bytes", [], 3, "got none"),
        ("bpe", ["5+7="], 12, "give only 3 merges, 12 were asked for"),
    ],
)
def test_what_cannot_be_built_is_refused(
    kind: str, texts: list[str], merges: int, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        build_tokenizer(kind, texts, merges=merges)
