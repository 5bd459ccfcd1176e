"""What an engine must do: sample completions with the learner's current weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hacpo.types import Completion


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplingSettings:
    """How completions are sampled."""

    completions_per_prompt: int
    max_new_tokens: int
    temperature: float = 1.0
    """0 takes the most probable token."""
    top_p: float = 1.0
    """Share of the probability that is sampled from; below 1 in evaluations only.

    In training the sampler's probabilities would be renormalised over the kept tokens, and the
    importance ratio would compare two different distributions.
    """

    def __post_init__(self) -> None:
        """Check the ranges."""
        if self.completions_per_prompt < 1 or self.max_new_tokens < 1:
            raise ValueError("completions_per_prompt and max_new_tokens are at least 1")
        if self.temperature < 0:
            raise ValueError(f"temperature is at least 0, got {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is above 0 and at most 1, got {self.top_p}")


class Engine(Protocol):
    """Samples completions for one agent."""

    def generate(
        self, prompts: Sequence[tuple[int, ...]], settings: SamplingSettings, *, seed: int
    ) -> list[list[Completion]]:
        """Return [P][G] completions of P prompts. The same seed gives the same completions."""
        ...

    def update_weights(self) -> None:
        """Make the next generation use the learner's current weights."""
        ...
