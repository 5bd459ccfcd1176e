"""How able each agent is, and by what factor: (8)-(9) of arXiv 2603.02604.

The capability P of agent k in one step is the mean reward of its completions in that step's batch;
P̂ is the mean of the last K capabilities. Everything here is plain numbers, without gradient.

Legend: P prompts, G completions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor


def mean_reward(rewards_PG: Tensor, mask_PG: Tensor | None = None) -> float:
    """Capability of one agent in one step: the mean of its rewards, in reward units.

    Args:
        rewards_PG: rewards of the agent's own completions.
        mask_PG: True where a completion exists; None means everywhere.

    Raises:
        ValueError: no completion exists, or the mean is not finite.
    """
    present = rewards_PG if mask_PG is None else rewards_PG[mask_PG]
    if present.numel() == 0:
        raise ValueError("A capability needs at least one completion, but none exists.")
    mean = float(present.detach().to(torch.float64).mean())
    if not math.isfinite(mean):
        raise ValueError(f"The mean reward is {mean}; every reward must be a finite number.")
    return mean


@dataclass(frozen=True, kw_only=True, slots=True)
class CapabilityWindow:
    """The last K capabilities of every agent. A value: `push` returns a new window.

    Example: ``CapabilityWindow(size=5, history={"a": (0.25, 0.5)}).smoothed() == {"a": 0.375}``.
    """

    size: int
    """K of the paper, in steps."""
    history: Mapping[str, tuple[float, ...]]
    """Capabilities of each agent, oldest first, at most `size` of them."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"A capability window holds at least 1 step, not {self.size}.")
        for agent, values in self.history.items():
            if not values or not all(math.isfinite(value) for value in values):
                raise ValueError(f"The capabilities of {agent!r} must be finite: {values}.")
        # A private copy, so that a later change of the caller's mapping cannot reach this value.
        trimmed = {agent: tuple(values[-self.size :]) for agent, values in self.history.items()}
        object.__setattr__(self, "history", trimmed)

    def push(self, values: Mapping[str, float]) -> CapabilityWindow:
        """The window one step later. An agent without a new value keeps its old ones."""
        added = {
            agent: (*self.history.get(agent, ()), float(value)) for agent, value in values.items()
        }
        return CapabilityWindow(size=self.size, history={**self.history, **added})

    def smoothed(self) -> dict[str, float]:
        """P̂ of every agent: the mean of what the window holds, the newest step included."""
        return {agent: math.fsum(values) / len(values) for agent, values in self.history.items()}

    def to_state(self) -> dict[str, Any]:
        """Plain values for a checkpoint."""
        return {
            "size": self.size,
            "history": {agent: list(values) for agent, values in self.history.items()},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The window that `to_state` described."""
        history = {agent: tuple(values) for agent, values in state["history"].items()}
        return cls(size=int(state["size"]), history=history)


def capability_ratio(
    of: float, over: float, *, floor: float, ratio_min: float, ratio_max: float
) -> float:
    """ω = P̂(of) / P̂(over), (8), with a floor under both and limits on the result.

    The floor keeps the ratio finite while an agent has no right answer in its window; the limits
    keep one agent from drowning the other. Neither is in the paper's formula.
    Reduces to 1 for an agent over itself and for equal capabilities.

    Raises:
        ValueError: a capability is not finite, or the guards do not leave room for a ratio of 1.
    """
    if not (math.isfinite(of) and math.isfinite(over)):
        raise ValueError(f"Capabilities must be finite, not {of} and {over}.")
    if not floor > 0.0:
        raise ValueError(f"The floor of a capability must be above 0, not {floor}.")
    if not 0.0 < ratio_min <= 1.0 <= ratio_max:
        raise ValueError(f"Ratio limits must enclose 1 and be above 0: {ratio_min}, {ratio_max}.")
    ratio = max(of, floor) / max(over, floor)
    return min(max(ratio, ratio_min), ratio_max)


def baseline_omegas(
    capabilities: Mapping[str, float],
    *,
    learner: str,
    authors: Sequence[str],
    exponent: float,
    floor: float,
    ratio_min: float,
    ratio_max: float,
) -> tuple[float, ...]:
    """ω^(k,j) = P̂_k / P̂_j of learner k for every author j, as the baseline (6) uses it.

    Args:
        capabilities: smoothed capability of every agent, in reward units.
        authors: in the order of the first axis of the rewards.
        exponent: power of each ratio, after its limits; 0 gives the plain joint mean.
        floor, ratio_min, ratio_max: as in `capability_ratio`.

    Raises:
        ValueError: the capability of an agent is missing.
    """
    own = _capability(capabilities, learner)
    limits = {"floor": floor, "ratio_min": ratio_min, "ratio_max": ratio_max}
    return tuple(
        capability_ratio(own, _capability(capabilities, author), **limits) ** exponent
        for author in authors
    )


def author_coefficients(
    capabilities: Mapping[str, float],
    *,
    learner: str,
    authors: Sequence[str],
    exponent: float,
    floor: float,
    ratio_min: float,
    ratio_max: float,
) -> tuple[float, ...]:
    """ω^(j,k) = P̂_j / P̂_k of every author j over learner k, the coefficient of (10).

    A stronger author counts more. Arguments as in `baseline_omegas`; exponent 0 weighs every
    author with 1. The learner's own coefficient is always 1.

    Raises:
        ValueError: the capability of an agent is missing.
    """
    own = _capability(capabilities, learner)
    limits = {"floor": floor, "ratio_min": ratio_min, "ratio_max": ratio_max}
    return tuple(
        capability_ratio(_capability(capabilities, author), own, **limits) ** exponent
        for author in authors
    )


def _capability(capabilities: Mapping[str, float], agent: str) -> float:
    if agent not in capabilities:
        known = ", ".join(capabilities) or "none"
        raise ValueError(f"The capability of {agent!r} is missing; known: {known}.")
    return capabilities[agent]
