"""Loads or builds one agent's model, tokenizer and codec from its configuration."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from hacpo.config.agent import AgentConfig
from hacpo.model.loading import load_model, load_tokenizer
from hacpo.model.source import ModelSource
from hacpo.rollout.tokens import PromptFormat, TokenCodec, build_codec
from hacpo.task.task import Task


def load_model_and_codec(agent: AgentConfig, task: Task) -> tuple[PreTrainedModel, TokenCodec]:
    """Return an agent's model and codec; `task` gives the texts of a tokenizer built in code.

    Raises:
        ValueError: with a sentence for the user when a part cannot be had or does not fit.
    """
    source = ModelSource(
        hub_id=agent.model.hub_id,
        revision=agent.model.revision,
        path=agent.model.path,
        gguf_file=agent.model.gguf_file,
        architecture=agent.model.architecture,
        dtype=agent.model.dtype,
        attn_implementation=agent.model.attn_implementation,
        trust_remote_code=agent.model.trust_remote_code,
    )
    kind = agent.tokenizer.kind
    tokenizer = load_tokenizer(
        source,
        path=agent.tokenizer.path,
        kind=kind.value if kind else None,
        merges=agent.tokenizer.merges,
        texts=task.texts() if kind else (),
    )
    model = load_model(source, tokenizer, seed=agent.init_seed)
    prompt = agent.prompt
    prompt_format = PromptFormat(
        template=prompt.template,
        chat=prompt.chat,
        system=prompt.system,
        chat_arguments=prompt.chat_arguments,
    )
    return model, build_codec(tokenizer, model, prompt_format)


def description(model: PreTrainedModel, codec: TokenCodec) -> str:
    """Return what the log says of an agent at its start."""
    parameters = sum(parameter.numel() for parameter in model.parameters())
    tokens = codec.tokenizer.convert_ids_to_tokens(sorted(codec.stop_ids))
    return (
        f"{type(model).__name__}, {parameters:,} parameters, {model.dtype}, {model.device}; "
        f"{len(codec.tokenizer)} tokens, stops at {', '.join(map(str, tokens))}; "
        f"{torch.get_num_threads()} threads"
    )


def own_devices(
    names: Sequence[str], name: str, *, accelerator: str, devices: int
) -> list[int] | int:
    """Return what Lightning's `devices` is for one agent: on several GPUs each takes its own.

    Agents take them in their order, and begin again when there are fewer GPUs than agents.
    """
    present = torch.cuda.device_count() if accelerator in ("gpu", "cuda", "auto") else 0
    return devices if present < 2 else [names.index(name) % present]


def check_accelerator(accelerator: str) -> None:
    """Raise ValueError, before any work, when the machine does not have what is asked for."""
    if accelerator == "gpu" and not torch.cuda.is_available():
        raise ValueError(
            "trainer.accelerator=gpu, but torch sees no GPU here: say trainer=cpu, or install a "
            "CUDA build of torch"
        )
