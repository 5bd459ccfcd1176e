"""The agents of the paper, loaded from local folders of the same architectures, built here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from hacpo.assembly.loading import description, load_model_and_codec
from hacpo.assembly.task import build_task
from hacpo.model.loading import load_model
from hacpo.model.source import ModelSource
from hacpo.model.tokenizers import build_tokenizer
from tests.config.composing import checked

TASK = build_task(checked())
SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "intermediate_size": 32,
    "max_position_embeddings": 256,
}
THINKS = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]"
    "{% if enable_thinking is defined and not enable_thinking %}(no thinking){% endif %}"
)
"""Reads `enable_thinking` as the template of Qwen3 does."""
DATED = (
    "{{ bos_token }}{% if not date_string is defined %}"
    "{% set date_string = strftime_now('%d %b %Y') %}{% endif %}({{ date_string }})"
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]"
)
"""Writes BOS and the date as the template of Llama 3.2 does."""


def folder_of(path: Path, model_type: str, *, template: str, tied: bool) -> Path:
    """Save a tiny model and its tokenizer."""
    tokenizer: PreTrainedTokenizerFast = build_tokenizer("bytes", ())
    if model_type == "llama":
        tokenizer.add_special_tokens({"bos_token": "<begin>"})
    # As in published tokenizers: special strings of a template are control tokens.
    tokenizer.split_special_tokens = tokenizer.init_kwargs["split_special_tokens"] = False
    tokenizer.chat_template = template
    architecture = SMALL | {"model_type": model_type, "tie_word_embeddings": tied}
    model = load_model(ModelSource(architecture=architecture), tokenizer)
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


@pytest.mark.parametrize(
    ("agent", "model_type", "tied", "prompt"),
    [
        ("qwen3_4b_base", "qwen3", True, "5+7=\n"),
        ("qwen3_8b_base", "qwen3", False, "5+7=\n"),
        ("qwen3_4b", "qwen3", True, "[user]5+7=[assistant](no thinking)"),
        ("qwen3_4b_instruct", "qwen3", True, "[user]5+7=[assistant]"),
        (
            *("llama3p2_1b_instruct", "llama", True),
            "<begin>(26 Jul 2024)[user]5+7=[assistant]",
        ),
    ],
)
def test_an_agent_loads_and_asks(
    tmp_path: Path, agent: str, model_type: str, tied: bool, prompt: str
) -> None:
    template = DATED if model_type == "llama" else THINKS
    folder = folder_of(tmp_path, model_type, template=template, tied=tied)
    config = checked(
        f"agent@agents.llama={agent}",
        "agents.llama.model.hub_id=null",
        f"agents.llama.model.path={folder}",
    )
    model, codec = load_model_and_codec(config.agents["llama"], TASK)
    assert (
        type(model).__name__
        == {"qwen3": "Qwen3ForCausalLM", "llama": "LlamaForCausalLM"}[model_type]
    )
    input_weight = model.get_input_embeddings().weight
    assert (model.get_output_embeddings().weight is input_weight) is tied
    ids = codec.encode_prompt("5+7=")
    assert codec.tokenizer.decode(ids) == prompt
    bos = codec.tokenizer.bos_token_id
    assert ids.count(bos) == (1 if model_type == "llama" else 0)
    stop = codec.tokenizer.convert_ids_to_tokens(sorted(codec.stop_ids))
    assert f"stops at {', '.join(stop)};" in description(model, codec)
