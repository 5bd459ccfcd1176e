"""Prompts are never cut, and a model must have positions for what it is asked to write."""

from __future__ import annotations

import pytest

from hacpo.assembly.agent import check_lengths
from hacpo.assembly.task import build_task
from tests.config.composing import checked
from tests.tiny_models import TinyModel


def test_a_prompt_over_the_limit_is_refused_by_name(tiny_qwen: TinyModel) -> None:
    config = checked("rollout.max_prompt_tokens=4")
    with pytest.raises(ValueError, match=r"arithmetic/.* has 6 tokens, more than"):
        check_lengths(build_task(config), tiny_qwen.codec, tiny_qwen.model, config)


def test_completions_longer_than_the_context_are_refused(tiny_qwen: TinyModel) -> None:
    config = checked("rollout.max_new_tokens=60")
    with pytest.raises(ValueError, match="has 64 positions"):
        check_lengths(build_task(config), tiny_qwen.codec, tiny_qwen.model, config)


def test_what_fits_passes(tiny_qwen: TinyModel) -> None:
    config = checked()
    check_lengths(build_task(config), tiny_qwen.codec, tiny_qwen.model, config)
