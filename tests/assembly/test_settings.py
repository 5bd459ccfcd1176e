"""From configuration to plain values: the algorithms and ablations arrive as they are meant."""

from __future__ import annotations

import math

import pytest

from hacpo.assembly.settings import learning_settings, sampling_settings
from tests.config.composing import checked


def _learning(*overrides: str):  # type: ignore[no-untyped-def]
    config = checked(*overrides)
    return learning_settings(config.algorithm, config.agents["qwen"])


def test_hacpo_carries_the_recipe_of_its_agents() -> None:
    objective = _learning().objective
    assert (objective.ratio_level, objective.shared_term) == ("sequence", "cross")
    assert (objective.alpha, objective.cross_delta, objective.cross_step) == (1.0, 0.8, 0.025)
    assert (objective.clip_low, objective.clip_high) == (0.02, 0.03)


def test_grpo_is_token_level_with_its_own_range() -> None:
    objective = _learning("algorithm=grpo").objective
    assert objective.ratio_level == "token"
    assert (objective.clip_low, objective.clip_high) == (0.2, 0.28)


def test_naive_treats_shared_completions_like_own_ones() -> None:
    learning = _learning("algorithm=naive")
    assert learning.objective.shared_term == "own"
    assert learning.capability.baseline_exponent == 0
    assert learning.capability.coefficient_exponent == 0


@pytest.mark.parametrize(
    ("ablation", "expected"),
    [
        ("no_exponential_is", {"alpha": 0.0}),
        ("no_stepwise_clip", {"cross_step": 0.0}),
        ("no_clip", {"cross_delta": math.inf, "cross_upper": math.inf, "cross_step": 0.0}),
    ],
)
def test_ablations_reach_the_objective(ablation: str, expected: dict[str, float]) -> None:
    full, ablated = _learning().objective, _learning(f"ablation={ablation}").objective
    changed = {
        name: getattr(ablated, name)
        for name in type(full).__dataclass_fields__
        if getattr(full, name) != getattr(ablated, name)
    }
    assert changed == expected


def test_gspo_x2_samples_twice_as_many() -> None:
    assert sampling_settings(checked("algorithm=gspo")).completions_per_prompt == 8
    assert sampling_settings(checked("algorithm=gspo_x2")).completions_per_prompt == 16
