"""Mistakes in a task are found in the parent, before any agent's process starts."""

from __future__ import annotations

import pytest

from hacpo.assembly.task import build_task, check_task
from hacpo.config.errors import ConfigError
from tests.config.composing import checked

WRONG = [
    (["task.num_test=99999"], "99999"),
    (["rollout.prompts_per_step=5000"], "rollout.prompts_per_step=2460"),
    (["+agents.qwen.warm_start.demonstrator.hole_modulo=3"], "hole_modulus"),
    (["+task.arguments.digits=3"], "digits"),
]


@pytest.mark.parametrize(("overrides", "named"), WRONG)
def test_a_wrong_task_is_a_mistake_in_the_settings(overrides: list[str], named: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_task(checked(*overrides))
    assert named in str(caught.value)


def test_the_default_task_is_split_the_same_for_every_agent() -> None:
    config = checked()
    check_task(config)
    first, second = build_task(config), build_task(config)
    assert first.train == second.train
    assert len(first.test) == config.task.num_test
    assert not {p.prompt for p in first.train} & {p.prompt for p in first.test}
