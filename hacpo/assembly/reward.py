"""From the configuration to rewards. Imports no torch: the parent checks them too."""

from __future__ import annotations

import inspect
from typing import Any

from hydra.errors import HydraException
from hydra.utils import get_object

from hacpo.config.errors import ConfigError
from hacpo.config.reward import RewardPartConfig
from hacpo.config.schema import Config
from hacpo.reward import FunctionReward, RewardPart, WeightedReward
from hacpo.task.task import Task


def build_reward(config: Config, task: Task) -> WeightedReward:
    """Return the reward of training."""
    return WeightedReward(
        {name: (part.weight, build_part(part, task)) for name, part in config.reward.parts.items()}
    )


def build_part(part: RewardPartConfig, task: Task) -> RewardPart:
    """Return one part; nothing is started yet.

    Raises:
        ValueError, TypeError: its arguments do not fit.
        HydraException: the target is not there.
    """
    found: Any = get_object(part._target_)
    if isinstance(found, type) and issubclass(found, RewardPart):
        return found(task=task, time_limit_s=part.time_limit_s, **part.arguments)  # type: ignore[call-arg]
    if not callable(found):
        raise TypeError(f"{part._target_} is neither a function nor a RewardPart")
    _check_signature(found, part)
    return FunctionReward(part._target_, arguments=part.arguments, time_limit_s=part.time_limit_s)


def check_rewards(config: Config, task: Task) -> None:
    """Refuse a reward that cannot be built, before a process starts.

    Raises:
        ConfigError: with a sentence for the user.
    """
    if not config.reward.parts:
        raise ConfigError("the reward has no part", key="reward.parts", fix="reward=task")
    parts = {f"reward.parts.{name}": part for name, part in config.reward.parts.items()}
    for key, part in {**parts, "evaluation.score": config.evaluation.score}.items():
        try:
            build_part(part, task).close()
        except (ValueError, TypeError, HydraException, ImportError, AttributeError) as error:
            raise ConfigError(
                f"{part._target_} cannot be built: {error}", key=f"{key}._target_"
            ) from error


def _check_signature(function: Any, part: RewardPartConfig) -> None:
    try:
        inspect.signature(function).bind(None, "", **part.arguments)
    except TypeError as error:
        raise TypeError(
            f"it is called as {part._target_}(problem, text, **arguments), which does not fit its "
            f"parameters: {error}"
        ) from error
