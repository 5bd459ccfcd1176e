"""The task that a configuration names. Imports no torch: the parent builds it too, to check it."""

from __future__ import annotations

from hydra.errors import HydraException
from hydra.utils import get_object

from hacpo.assembly.reward import check_rewards
from hacpo.config.errors import ConfigError
from hacpo.config.schema import Config
from hacpo.task.task import Task


def build_task(config: Config) -> Task:
    """Return the task that the configuration names.

    Raises:
        ValueError: with a sentence for the user when its arguments do not fit.
    """
    build = get_object(config.task._target_)
    task: Task = build(
        num_test=config.task.num_test,
        split_seed=config.task.split_seed,
        **config.task.arguments,
    )
    return task


def check_task(config: Config) -> None:
    """Refuse a task or a reward that cannot be built or does not fit, before a process starts.

    Raises:
        ConfigError: with a sentence for the user.
    """
    try:
        task = build_task(config)
    except (ValueError, TypeError, HydraException) as error:
        raise ConfigError(
            f"the task {config.task.name} cannot be built: {error}", key="task"
        ) from error
    wanted = config.rollout.prompts_per_step
    if wanted > len(task.train):
        raise ConfigError(
            f"a step asks for {wanted} prompts, and the task {config.task.name} has "
            f"{len(task.train)} training problems",
            key="rollout.prompts_per_step",
            fix=f"rollout.prompts_per_step={len(task.train)} or less",
        )
    check_rewards(config, task)
    for name, agent in config.agents.items():
        if agent.warm_start.steps == 0:
            continue
        try:
            task.demonstrator(**agent.warm_start.demonstrator)
        except (ValueError, TypeError) as error:
            raise ConfigError(
                f"the warm start of {name} cannot be made for the task {config.task.name}: {error}",
                key=f"agents.{name}.warm_start.demonstrator",
            ) from error
