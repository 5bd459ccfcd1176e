"""An agent's optimizer and schedule, tried before anything expensive starts."""

from __future__ import annotations

import torch
from hydra.errors import HydraException
from hydra.utils import instantiate
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from hacpo.agent.module import OptimizerFactory, ScheduleFactory
from hacpo.config.agent import AgentConfig

MISTAKES = (HydraException, TypeError, ValueError, RuntimeError, AttributeError, ImportError)
"""What targets raise for arguments that they do not take."""


def build_optimizer(agent: AgentConfig) -> OptimizerFactory:
    """Return what makes an optimizer from parameters, after it has made one.

    Raises:
        ValueError: with a sentence for the user when it does not take its arguments.
    """
    target = agent.optimizer.get("_target_")
    try:
        factory: OptimizerFactory = instantiate(agent.optimizer)
        made = factory(_some_parameters())
    except MISTAKES as error:
        raise ValueError(f"the optimizer {target} cannot be made: {_reason(error)}") from error
    if not isinstance(made, Optimizer):
        raise ValueError(f"{target} makes a {type(made).__name__}, which is no torch optimizer")
    return factory


def build_schedule(agent: AgentConfig, optimizer: OptimizerFactory) -> ScheduleFactory | None:
    """Return what makes a schedule from an optimizer, after it has made one; None: constant.

    Raises:
        ValueError: with a sentence for the user when it does not take its arguments.
    """
    if not agent.schedule:
        return None
    target = agent.schedule.get("_target_")
    try:
        factory: ScheduleFactory = instantiate(agent.schedule)
        made = factory(optimizer(_some_parameters()))
    except MISTAKES as error:
        raise ValueError(f"the schedule {target} cannot be made: {_reason(error)}") from error
    if not isinstance(made, LRScheduler):
        raise ValueError(f"{target} makes a {type(made).__name__}, which is no torch schedule")
    return factory


def _some_parameters() -> list[torch.nn.Parameter]:
    return [torch.nn.Parameter(torch.zeros(2, 2))]  # some optimizers take matrices alone


def _reason(error: Exception) -> str:
    cause = error.__cause__ or error  # hydra wraps what a target raises
    return " ".join(str(cause).split())
