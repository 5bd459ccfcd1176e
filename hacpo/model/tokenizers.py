"""Small tokenizers built in code: real fast tokenizers that transformers saves and loads.

Decoding gives back exactly the text that was encoded: nothing is normalised, no spaces are added
or cleaned up. Special strings such as ``<eos>`` inside a text are read as plain characters, so no
completion can smuggle in a control token.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

PAD, BOS, EOS, UNKNOWN = "<pad>", "<bos>", "<eos>", "<unk>"


class TokenizerKind(StrEnum):
    """What a token of a tokenizer built in code is."""

    CHARACTERS = "characters"
    """One character of the texts."""
    BPE = "bpe"
    """Characters of the texts, of which the commonest neighbours are merged."""
    BYTES = "bytes"
    """One byte of UTF-8, optionally merged: covers every text, also what a chat model writes."""


def build_tokenizer(kind: str, texts: Sequence[str], *, merges: int = 0) -> PreTrainedTokenizerFast:
    """Return a tokenizer with BOS, EOS and PAD that covers `texts`; it adds none of them itself.

    Args:
        kind: a `TokenizerKind`. Except for `bytes`, characters outside `texts` become ``<unk>``.
        texts: give the alphabet and the counts from which merges are learnt.
        merges: how many merges are learnt; a merge may join anything within a text.

    The result depends on the arguments only: the same ids in every process.

    Raises:
        ValueError: for an unknown kind, merges that do not fit it, or too few texts to learn from.
    """
    chosen = _check(kind, texts, merges)
    tokenizer = _learn(chosen, texts, merges)
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=BOS,
        eos_token=EOS,
        unk_token=None if chosen is TokenizerKind.BYTES else UNKNOWN,
        split_special_tokens=True,
        clean_up_tokenization_spaces=False,
    )


def _check(kind: str, texts: Sequence[str], merges: int) -> TokenizerKind:
    if kind not in set(TokenizerKind):
        raise ValueError(
            f"there is no tokenizer kind {kind!r}; choose from {', '.join(TokenizerKind)}"
        )
    chosen = TokenizerKind(kind)
    if merges < 0 or (chosen is TokenizerKind.CHARACTERS and merges > 0):
        raise ValueError(f"a tokenizer of kind {kind} cannot learn {merges} merges")
    if chosen is TokenizerKind.BPE and merges == 0:
        raise ValueError("a tokenizer of kind bpe learns at least one merge; set tokenizer.merges")
    if not any(texts) and (chosen is not TokenizerKind.BYTES or merges > 0):
        raise ValueError(f"a tokenizer of kind {kind} needs texts to learn from, and got none")
    return chosen


def _learn(kind: TokenizerKind, texts: Sequence[str], merges: int) -> Tokenizer:
    if kind is TokenizerKind.BYTES:
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        special = [PAD, BOS, EOS]
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.decoder = decoders.ByteLevel()
    else:
        alphabet = sorted(set("".join(texts)))
        special = [PAD, BOS, EOS, UNKNOWN]
        tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN))
        # Without a decoder, tokens would be joined by spaces.
        tokenizer.decoder = decoders.Fuse()
    size = len(special) + len(alphabet) + merges
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=special,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() != size:
        learnt = merges - (size - tokenizer.get_vocab_size())
        raise ValueError(f"the texts give only {learnt} merges, {merges} were asked for")
    return tokenizer
