"""Rewards from the configuration: every option, users' functions, and mistakes before the start."""

from __future__ import annotations

import pytest

from hacpo.assembly.reward import build_reward, check_rewards
from hacpo.assembly.task import build_task
from hacpo.config.errors import ConfigError
from tests.config.composing import checked


def _mine(name: str, **values: object) -> list[str]:
    given = {"_target_": f"tests.reward.my_rewards.{name}", **values}
    return [
        "+reward_part@reward.parts.mine=function",
        *(f"reward.parts.mine.{key}={value}" for key, value in given.items()),
    ]


@pytest.mark.parametrize("option", ["task", "math", "exact_boxed"])
def test_every_option_is_built(option: str) -> None:
    config = checked(f"reward={option}")
    task = build_task(config)
    check_rewards(config, task)
    reward = build_reward(config, task)
    problem = task.train[0]
    assert reward.grade([problem], ["nothing"]).rewards == (0.0,)
    reward.close()


def test_a_users_function_stands_beside_the_others() -> None:
    config = checked(*_mine("shortness", weight=0.1))
    task = build_task(config)
    check_rewards(config, task)
    reward = build_reward(config, task)
    problem = task.train[0]
    graded = reward.grade([problem], [f"={problem.answer}"])
    reward.close()
    short = 1 - (1 + len(problem.answer)) / 10
    assert graded.rewards[0] == pytest.approx(1 + 0.1 * short)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (_mine("nothing"), "my_rewards.nothing"),
        (_mine("wrong_parameters"), "does not fit its parameters"),
        ([*_mine("shortness"), "+reward.parts.mine.arguments.shortest=1"], "does not fit"),
        (["reward=math", "+reward.parts.math.arguments.fallback=[hash]"], "no option fallback"),
        (["+evaluation.score.arguments.x=1"], "cannot be built"),
    ],
)
def test_mistakes_are_told_before_the_start(overrides: list[str], words: str) -> None:
    config = checked(*overrides)
    with pytest.raises(ConfigError, match=words):
        check_rewards(config, build_task(config))
