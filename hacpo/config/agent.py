"""One agent: its model, its template, its optimizer, and how it is prepared."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from omegaconf import II

from hacpo.config.sealed import Sealed


class Precision(StrEnum):
    """Lightning precision of the training step."""

    fp32 = "32-true"
    bf16_mixed = "bf16-mixed"
    bf16_true = "bf16-true"


@dataclass
class ModelConfig(Sealed):
    """Where the weights come from: exactly one of `hub_id`, `path`, `architecture`."""

    hub_id: str | None = None
    revision: str | None = None
    path: str | None = None
    """A local model folder, or `package:NAME`: the folder of an installed Python package."""
    gguf_file: str | None = None
    """A GGUF file inside `path`."""
    architecture: dict[str, Any] | None = None
    """A transformers config to build with random weights: `model_type` and its fields."""
    dtype: str = "float32"
    attn_implementation: str | None = None
    trust_remote_code: bool = False


class TokenizerKind(StrEnum):
    """How a tokenizer is built in code from the task's texts."""

    characters = "characters"
    """One token per character."""
    bpe = "bpe"
    """Characters and learnt merges of them."""
    bytes = "bytes"
    """One token per UTF-8 byte, and learnt merges: any text goes in and out unchanged."""


@dataclass
class TokenizerConfig(Sealed):
    """The tokenizer; by default the model's own. A model built in code must name one."""

    path: str | None = None
    """A folder with a tokenizer."""
    kind: TokenizerKind | None = None
    """Build one from the task's texts."""
    merges: int = 0
    """`bpe` and `bytes` only: how many merges are learnt."""


@dataclass
class PromptConfig(Sealed):
    """How a problem becomes prompt tokens."""

    template: str = "{prompt}"
    """Plain template, used when `chat` is off."""
    chat: bool = False
    """Use the tokenizer's chat template."""
    system: str | None = None
    chat_arguments: dict[str, Any] = field(default_factory=dict)


@dataclass
class WarmStartConfig(Sealed):
    """Supervised first phase on an imperfect demonstrator; 0 steps means none."""

    steps: int = 0
    batch_size: int = 64
    lr: float = 3.0e-3
    demonstrator: dict[str, Any] = field(default_factory=dict)
    """Arguments of the task's demonstrator, such as which additions go wrong."""


@dataclass
class AgentConfig(Sealed):
    """One agent."""

    model: ModelConfig = field(default_factory=ModelConfig)
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)
    prompt: PromptConfig = field(default_factory=PromptConfig)
    warm_start: WarmStartConfig = field(default_factory=WarmStartConfig)
    optimizer: dict[str, Any] = field(default_factory=dict)
    """`_target_`, any torch optimizer, and its arguments; `_partial_`: it still waits for the
    parameters. Filled by the group `optimizer`: ``optimizer@agents.NAME.optimizer=sgd``."""
    gradient_clip: float = 1.0
    schedule: dict[str, Any] = field(default_factory=dict)
    """`_target_`, any torch learning rate schedule, and its arguments; `_partial_`: it still waits
    for the optimizer. It moves once a step, whatever the number of updates. Empty: constant.
    Filled by the group `schedule`: ``+schedule@agents.NAME.schedule=cosine``."""
    precision: Precision = field(default=II("trainer.precision"))
    """What is computed in; as the trainer says, unless an agent says otherwise."""
    gradient_checkpointing: bool = False
    """Keep only each layer's input for the backward pass, and compute the rest again: less memory,
    about a third more time in updates."""
    update_tokens: int = 16384
    """Token budget of one micro-batch in log-probability passes and updates, padding counted."""
    init_seed: int = 0
    """Seed of random weights and of the warm start.

    It stands apart from `seed`, so that runs share a start.
    """
