"""Every number has a range, every range is kept, and the sentences say so."""

from __future__ import annotations

import math
import typing
from dataclasses import fields, is_dataclass

import pytest

from hacpo.config import agent, algorithm, benchmark, reward, schema
from hacpo.config.ranges import CHOICES, RANGES, Range
from hacpo.config.sealed import Sealed
from tests.config.composing import checked, refused

SCHEMAS = sorted(
    {
        found
        for module in (agent, algorithm, benchmark, reward, schema)
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, Sealed) and is_dataclass(found)
    },
    key=lambda found: found.__name__,
)


def numeric_fields(owner: type) -> set[str]:
    hints = typing.get_type_hints(owner)
    numeric = {int, float, int | None, float | None}
    return {field.name for field in fields(owner) if hints[field.name] in numeric}


@pytest.mark.parametrize("owner", SCHEMAS, ids=lambda owner: owner.__name__)
def test_every_number_has_a_range(owner: type) -> None:
    assert numeric_fields(owner) == set(RANGES.get(owner, {}))


def test_choices_belong_to_fields_of_text() -> None:
    for owner, words in CHOICES.items():
        hints = typing.get_type_hints(owner)
        assert {hints[name] for name in words} == {str}


@pytest.mark.parametrize(
    ("allowed", "value", "holds"),
    [
        (Range(), 0, True),
        (Range(), -0.1, False),
        (Range(above_low=True), 0, False),
        (Range(low=1, high=3), 3, True),
        (Range(low=1, high=3), 3.5, False),
        (Range(), math.inf, False),
        (Range(infinite=True), math.inf, True),
        (Range(infinite=True), -math.inf, False),
        (Range(infinite=True), math.nan, False),
    ],
)
def test_range_holds_its_values(allowed: Range, value: float, holds: bool) -> None:
    assert allowed.holds(value) is holds


def test_range_in_words() -> None:
    assert str(Range(low=1)) == "at least 1"
    assert str(Range(above_low=True, high=0.5)) == "above 0 and at most 0.5"
    assert str(Range(infinite=True)) == "at least 0 (or inf: no limit)"


@pytest.mark.parametrize(
    "override",
    [
        "seed=-1",
        "algorithm.alpha=-0.5",
        "algorithm.alpha=inf",
        "algorithm.alpha=nan",
        "algorithm.clip.low=1.5",
        "algorithm.cross_clip.step=-0.1",
        "algorithm.cross_clip.upper=0",
        "algorithm.capability.window=0",
        "algorithm.capability.ratio_min=2",
        "algorithm.loss.kl_coefficient=-1",
        "algorithm.loss.log_ratio_limit=100",
        "rollout.temperature=0",
        "rollout.prompts_per_step=0",
        "task.num_test=0",
        "runtime.swap_timeout_s=0",
        "runtime.threads_per_agent=0",
        "evaluation.every_steps=0",
        "agents.qwen.gradient_clip=0",
        "agents.llama.warm_start.batch_size=0",
        "agents.llama.init_seed=-3",
    ],
)
def test_value_out_of_range_is_refused_by_name(override: str) -> None:
    key, _, value = override.partition("=")
    told = refused(override)
    assert told.startswith(f"{key} must be ")
    assert f"and is {float(value):g}" in told or f"and is {value}" in told


def test_word_out_of_a_closed_set_is_refused_with_the_nearest() -> None:
    assert refused("logger.mode=onlin").endswith("try:   logger.mode=online")
    assert "must be one of float32, bfloat16, float16" in refused("agents.qwen.model.dtype=fp32")


def test_infinity_switches_a_limit_off() -> None:
    config = checked("algorithm.cross_clip.delta=inf", "agents.qwen.gradient_clip=inf")
    assert math.isinf(config.algorithm.cross_clip.delta)
    assert math.isinf(config.agents["qwen"].gradient_clip)
