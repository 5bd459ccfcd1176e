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


def test_completions_of_others_that_are_too_long_are_refused(tiny_qwen: TinyModel) -> None:
    # 6 + 40 own tokens fit into 64 positions, 6 + 2 x 40 shared ones do not.
    task = build_task(checked())
    sharing = checked("rollout.max_new_tokens=40")
    with pytest.raises(ValueError, match=r"may have 86 tokens.*shared_length_factor"):
        check_lengths(task, tiny_qwen.codec, tiny_qwen.model, sharing)
    alone = checked("rollout.max_new_tokens=40", "algorithm=gspo")
    check_lengths(task, tiny_qwen.codec, tiny_qwen.model, alone)
    short = checked("rollout.max_new_tokens=40", "rollout.shared_length_factor=1.4")
    check_lengths(task, tiny_qwen.codec, tiny_qwen.model, short)


def test_what_fits_passes(tiny_qwen: TinyModel) -> None:
    config = checked()
    check_lengths(build_task(config), tiny_qwen.codec, tiny_qwen.model, config)
