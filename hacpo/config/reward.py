"""Rewards: named parts and their weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING

from hacpo.config.sealed import Sealed


@dataclass
class RewardPartConfig(Sealed):
    """One part: a class of `hacpo.reward`, or any function of yours."""

    _target_: str = MISSING
    """`hacpo.reward.TaskReward`, `.MathReward`, `.ExactBoxedReward`, another `RewardPart`, or a
    function ``(problem, text, **arguments) -> float``, which runs in a process of its own."""
    weight: float = 1.0
    time_limit_s: float = 5.0
    """For one completion; a longer one counts 0 and is counted as rejected."""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass
class RewardConfig(Sealed):
    """The reward of a completion: the sum of weight times value over the parts."""

    name: str = MISSING
    parts: dict[str, RewardPartConfig] = field(default_factory=dict)
