"""What an algorithm is: values of the parameters of one objective (arXiv 2603.02604)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import inf

from omegaconf import MISSING

from hacpo.config.sealed import Sealed


class Exchange(StrEnum):
    """What agents hand to each other in every step."""

    rollouts = "rollouts"
    successes_only = "successes_only"
    """Failures count in baseline and capability, but nobody else learns from them."""
    none = "none"


class RatioLevel(StrEnum):
    """The unit that an own importance ratio belongs to."""

    sequence = "sequence"
    token = "token"


class SharedTerm(StrEnum):
    """Which surrogate the learner applies to completions of other agents."""

    cross = "cross"
    """(50): clip(s) * sg[s]^alpha * coefficient * A, one-sided plain clip."""
    own = "own"
    """(47): the min() surrogate of own completions (the Naive baseline)."""


class LossNormalization(StrEnum):
    """What the sum over a mini-batch is divided by."""

    sequence_mean = "sequence_mean"
    token_mean = "token_mean"
    constant_length = "constant_length"


class UpdateOrder(StrEnum):
    """How rows are dealt to the updates of one step."""

    mixed = "mixed"
    own_first = "own_first"


class BaselineGuard(StrEnum):
    """What happens when the capability-aware baseline exceeds the largest reward of its group."""

    own_mean = "own_mean"
    keep = "keep"


@dataclass
class OwnClipConfig(Sealed):
    """Clip range of own completions, (48): [1 - low, 1 + high]."""

    low: float = MISSING
    high: float = MISSING


@dataclass
class CrossClipConfig(Sealed):
    """Clip range of shared completions, (52): [1 - delta + m * step, upper]."""

    delta: float = MISSING
    step: float = MISSING
    upper: float = 1.0


@dataclass
class CapabilityConfig(Sealed):
    """Capabilities, (8)-(10)."""

    window: int = 5
    """K: steps that the capability is averaged over."""
    baseline_exponent: float = 1.0
    """Power of omega in the baseline (6); 0 gives the plain joint mean."""
    coefficient_exponent: float = 1.0
    """Power of omega in the gradient (10); 0 gives weight 1 to every author."""
    floor: float = 1.0e-3
    """Smallest capability that enters a ratio."""
    ratio_min: float = 0.1
    ratio_max: float = 10.0


@dataclass
class AdvantageConfig(Sealed):
    """Guards of the advantage, (5)-(7)."""

    std_correction: int = 1
    """1: Bessel's correction, as the authors' code; 0: the population formula."""
    std_epsilon: float = 1.0e-6
    uniform_tolerance: float = 1.0e-8
    """A joint group whose rewards differ by no more than this has advantage exactly 0."""
    baseline_guard: BaselineGuard = BaselineGuard.own_mean


@dataclass
class UpdateConfig(Sealed):
    """How a step is cut into optimizer updates."""

    sequences: int = MISSING
    """Sequences in one update."""
    order: UpdateOrder = UpdateOrder.mixed


@dataclass
class LossConfig(Sealed):
    """Normalisation of the loss, and the optional penalty towards the starting model."""

    normalization: LossNormalization = LossNormalization.sequence_mean
    constant_length: int | None = None
    """Tokens; only for constant_length."""
    kl_coefficient: float = 0.0
    """Weight of the low-variance KL to the starting model, on own completions."""
    log_ratio_limit: float = 10.0
    """Log-ratios are limited to +- this, so that exp() stays finite."""


@dataclass
class SharingConfig(Sealed):
    """Which completions of others are learnt from. Not in the paper; by default all are."""

    ratio: float = inf
    """Shared completions per own one that are learnt from, drawn anew for every prompt."""
    success_reward: float = 1.0
    """Only for `exchange: successes_only`: the smallest reward of a success."""
    smallest_advantage: float = -inf
    """Shared completions with a smaller advantage teach nothing; 0 vetoes negative ones."""
    learns_from: dict[str, list[str]] = field(default_factory=dict)
    """Learner: the authors that it learns from. A learner that is not named learns from all."""


@dataclass
class AlgorithmConfig(Sealed):
    """One algorithm as values: hacpo, naive, gspo, gspo_x2, grpo."""

    name: str = MISSING
    exchange: Exchange = Exchange.rollouts
    ratio: RatioLevel = RatioLevel.sequence
    shared_term: SharedTerm = SharedTerm.cross
    rollout_factor: int = 1
    """Completions per prompt are multiplied by this (gspo_x2: 2)."""
    alpha: float = MISSING
    """Exponent of the stop-gradient ratio on shared completions, (12)."""
    clip: OwnClipConfig = field(default_factory=OwnClipConfig)
    cross_clip: CrossClipConfig = field(default_factory=CrossClipConfig)
    sharing: SharingConfig = field(default_factory=SharingConfig)
    capability: CapabilityConfig = field(default_factory=CapabilityConfig)
    advantage: AdvantageConfig = field(default_factory=AdvantageConfig)
    update: UpdateConfig = field(default_factory=UpdateConfig)
    loss: LossConfig = field(default_factory=LossConfig)
