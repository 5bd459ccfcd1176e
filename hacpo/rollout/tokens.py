"""Text to tokens and back, for one agent: templates, stop tokens, re-encoding.

An agent's own completions keep the ids that were sampled. Completions of other agents arrive as
text and are encoded here once, in the learner's tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerBase

PROMPT_FIELD = "{prompt}"


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptFormat:
    """How a problem's text becomes a prompt."""

    template: str = PROMPT_FIELD
    """Plain template; used when `chat` is off."""
    chat: bool = False
    system: str | None = None
    chat_arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a template that would drop the problem."""
        if PROMPT_FIELD not in self.template:
            raise ValueError(
                f"the prompt template {self.template!r} has no {PROMPT_FIELD}: "
                "every problem would look the same"
            )


class TokenCodec:
    """Encodes prompts and completions of one agent, and decodes what it sampled."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        *,
        stop_ids: frozenset[int],
        prompt_format: PromptFormat,
    ) -> None:
        """Take a tokenizer with an EOS token; `stop_ids` end a completion."""
        if tokenizer.eos_token_id is None:
            raise ValueError(
                f"the tokenizer {tokenizer.name_or_path!r} has no EOS token, so completions could "
                "never stop; set one in its tokenizer_config.json"
            )
        if prompt_format.chat and not tokenizer.chat_template:
            raise ValueError(
                f"the tokenizer {tokenizer.name_or_path!r} has no chat template; "
                "set prompt.chat=false and give a plain prompt.template"
            )
        self.tokenizer = tokenizer
        self.prompt_format = prompt_format
        self.eos_id: int = tokenizer.eos_token_id
        self.stop_ids = stop_ids | {self.eos_id}
        pad_id = tokenizer.pad_token_id
        # Masks come from lengths, never from this id, so sharing EOS is harmless.
        self.pad_id: int = self.eos_id if pad_id is None else pad_id

    def encode_prompt(self, prompt: str) -> tuple[int, ...]:
        """Return the prompt's ids with at most one BOS, ready for a completion."""
        if self.prompt_format.chat:
            ids = self._encode_chat(prompt)
        else:
            text = self.prompt_format.template.replace(PROMPT_FIELD, prompt)
            ids = list(self.tokenizer(text)["input_ids"])
            while ids and ids[-1] in self.stop_ids:
                ids.pop()
        bos = self.tokenizer.bos_token_id
        if bos is not None and bos not in self.stop_ids:
            while len(ids) > 1 and ids[0] == bos and ids[1] == bos:
                ids.pop(0)
        if not ids:
            raise ValueError(f"the prompt {prompt!r} encodes to no tokens")
        return tuple(ids)

    def _encode_chat(self, prompt: str) -> list[int]:
        messages = [{"role": "user", "content": prompt}]
        if self.prompt_format.system is not None:
            messages.insert(0, {"role": "system", "content": self.prompt_format.system})
        text = self.tokenizer.apply_chat_template(
            messages,
            tokenize=False,
            add_generation_prompt=True,
            **self.prompt_format.chat_arguments,
        )
        # The template writes its own special tokens; adding them again would double the BOS.
        return list(self.tokenizer(str(text), add_special_tokens=False)["input_ids"])

    def encode_completion(self, text: str, *, stopped: bool) -> tuple[int, ...]:
        """Return a completion's ids; EOS is appended when its author `stopped`.

        Special-token strings inside the text stay text: they never become control tokens.
        """
        return self.encode_completions([(text, stopped)])[0]

    def encode_completions(self, completions: Iterable[tuple[str, bool]]) -> list[tuple[int, ...]]:
        """Encode many (text, stopped) pairs in one call of the tokenizer."""
        pairs = list(completions)
        if not pairs:
            return []
        encoded = self.tokenizer(
            [text for text, _ in pairs], add_special_tokens=False, split_special_tokens=True
        )["input_ids"]
        return [
            (*ids, self.eos_id) if stopped else tuple(ids)
            for ids, (_, stopped) in zip(encoded, pairs, strict=True)
        ]

    def decode_completion(self, token_ids: Iterable[int]) -> str:
        """Return a completion's text without its final stop token."""
        ids = list(token_ids)
        if ids and ids[-1] in self.stop_ids:
            ids.pop()
        text = self.tokenizer.decode(
            ids, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return str(text)


def stop_token_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Return the union of EOS ids of tokenizer, model config and generation config.

    The three differ in many published base models; a model that ignores one runs to the limit.
    """
    generation = getattr(model, "generation_config", None)
    sources = (
        tokenizer.eos_token_id,
        getattr(model.config, "eos_token_id", None),
        getattr(generation, "eos_token_id", None),
    )
    stop_ids: set[int] = set()
    for source in sources:
        if isinstance(source, int):
            stop_ids.add(source)
        elif source is not None:
            stop_ids.update(source)
    return frozenset(stop_ids)


def build_codec(
    tokenizer: PreTrainedTokenizerBase, model: PreTrainedModel, prompt_format: PromptFormat
) -> TokenCodec:
    """Return the codec of an agent from its tokenizer, model and prompt format."""
    return TokenCodec(
        tokenizer, stop_ids=stop_token_ids(model, tokenizer), prompt_format=prompt_format
    )
