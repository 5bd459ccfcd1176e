"""The values that make one algorithm out of the one objective of arXiv 2603.02604."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from hacpo.objective.clipping import cross_clip_bounds
from hacpo.objective.normalization import Normalization, check_normalization

RatioLevel: TypeAlias = Literal["sequence", "token"]
SharedTerm: TypeAlias = Literal["cross", "own"]

LARGEST_EXPONENT = 80.0
"""exp() of this is finite in float32, with room for an advantage and a coefficient."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ObjectiveSettings:
    """Hyper-parameters of the objective; the names are those of the config.

    Raises ValueError with a sentence when a value is out of its range.
    """

    ratio_level: RatioLevel
    """Of own completions: one ratio per sequence (GSPO) or per token (GRPO)."""
    shared_term: SharedTerm
    """Of shared completions: (50), or the own term (the Naive baseline)."""
    alpha: float
    """Exponent of the stop-gradient ratio, (12)."""
    clip_low: float
    """eps_low of own completions; inf means none."""
    clip_high: float
    """eps_high of own completions; inf means none."""
    cross_delta: float
    """delta of (52); inf means no lower bound."""
    cross_step: float
    """delta_step of (52)."""
    cross_upper: float
    """Upper bound of (52), 1 in the paper; inf means none."""
    normalization: Normalization
    constant_length: int | None
    """Tokens; only for the normalization ``constant_length``."""
    kl_coefficient: float
    """Weight of the KL to the starting model, on own completions."""
    log_ratio_limit: float
    """Log-ratios are limited to +- this, in nats."""

    def __post_init__(self) -> None:
        _check_choice("ratio_level", self.ratio_level, get_args(RatioLevel))
        _check_choice("shared_term", self.shared_term, get_args(SharedTerm))
        check_normalization(self.normalization, self.constant_length)
        for name in ("alpha", "clip_low", "clip_high", "kl_coefficient"):
            if not getattr(self, name) >= 0.0:
                raise ValueError(f"{name} must not be negative: {getattr(self, name)}.")
        if not (math.isfinite(self.alpha) and math.isfinite(self.kl_coefficient)):
            raise ValueError("alpha and kl_coefficient must be finite.")
        if not self.log_ratio_limit > 0.0:
            raise ValueError(f"log_ratio_limit must be above 0, not {self.log_ratio_limit}.")
        if LARGEST_EXPONENT < (1.0 + self.alpha) * self.log_ratio_limit < math.inf:
            raise ValueError(
                f"s^(1 + alpha) could overflow: (1 + {self.alpha}) * log_ratio_limit "
                f"{self.log_ratio_limit} is above {LARGEST_EXPONENT:g}; lower one of the two."
            )
        cross_clip_bounds(
            delta=self.cross_delta, step=self.cross_step, upper=self.cross_upper, update_index=0
        )


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}.")
