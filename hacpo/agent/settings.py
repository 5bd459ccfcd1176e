"""How an agent learns, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from hacpo.objective import ObjectiveSettings


@dataclass(frozen=True, kw_only=True, slots=True)
class CapabilitySettings:
    """Exponents and limits of capability ratios, (8)-(10)."""

    baseline_exponent: float = 1.0
    coefficient_exponent: float = 1.0
    floor: float = 1e-3
    ratio_min: float = 0.1
    ratio_max: float = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class AdvantageSettings:
    """Guards of the advantage, (5)-(7)."""

    std_correction: int = 1
    std_epsilon: float = 1e-6
    uniform_tolerance: float = 1e-8
    baseline_guard: Literal["own_mean", "keep"] = "own_mean"


@dataclass(frozen=True, kw_only=True, slots=True)
class SharingSettings:
    """Which completions of other agents are learnt from; by default all, as in the paper."""

    ratio: float = math.inf
    """Shared completions per own one that are learnt from; inf: all."""
    smallest_reward: float = -math.inf
    smallest_advantage: float = -math.inf


@dataclass(frozen=True, kw_only=True, slots=True)
class UpdateSettings:
    """How a step is cut into optimizer updates, and each update into micro-batches."""

    sequences: int
    """Sequences in one update."""
    order: Literal["mixed", "own_first"] = "mixed"
    token_budget: int = 16384
    """Tokens of one micro-batch, padding counted."""
    gradient_clip: float = 1.0
    """Largest gradient norm."""
    max_skipped: int = 5
    """Updates in a row that may be skipped for a gradient that is not finite."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningSettings:
    """Everything that shapes one step of learning."""

    objective: ObjectiveSettings
    capability: CapabilitySettings
    advantage: AdvantageSettings
    update: UpdateSettings
    sharing: SharingSettings = field(default_factory=SharingSettings)
