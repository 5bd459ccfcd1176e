"""Agents around the tiny models, as small as a test needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from hacpo.agent.clock import PhaseClock
from hacpo.agent.collection import RolloutCollector
from hacpo.agent.module import Agent, ScheduleFactory
from hacpo.agent.settings import (
    AdvantageSettings,
    CapabilitySettings,
    LearningSettings,
    UpdateSettings,
)
from hacpo.objective import ObjectiveSettings
from hacpo.reward import RewardPart, WeightedReward
from hacpo.rollout.engine import SamplingSettings
from hacpo.rollout.hf import HFEngine
from hacpo.types import Problem
from tests.objectives import HACPO
from tests.tiny_models import TinyModel

PROBLEMS = tuple(
    Problem(id=f"arithmetic/{a}+{b}", prompt=f"{a}+{b}=", answer=str(a + b))
    for a in (3, 2, 5)
    for b in (4, 2)
)


def has_even_sum(problem: Problem, text: str) -> float:
    """Reward about half of what a random model writes, so that most groups carry a signal."""
    return float(sum(map(ord, text)) % 2 == 0)


class Scored(RewardPart):
    """A function of the tests as a part of a reward."""

    def __init__(self, function: Callable[[Problem, str], float]) -> None:
        self._function = function

    def grade(self, problems: Sequence[Problem], texts: Sequence[str]) -> list[float | None]:
        return [self._function(*pair) for pair in zip(problems, texts, strict=True)]


def tiny_agent(
    tiny: TinyModel,
    *,
    name: str = "qwen",
    objective: ObjectiveSettings = HACPO,
    reward: Callable[[Problem, str], float] = has_even_sum,
    sequences: int = 6,
    lr: float = 1e-3,
    seed: int = 0,
    temperature: float = 1.0,
    schedule: ScheduleFactory | None = None,
    gradient_checkpointing: bool = False,
) -> Agent:
    """Return an agent that samples 4 completions of at most 8 tokens for 3 prompts a step."""
    collector = RolloutCollector(
        name=name,
        model=tiny.model,
        codec=tiny.codec,
        engine=HFEngine(tiny.model, tiny.codec, batch_size=64),
        reward=WeightedReward({"task": (1.0, Scored(reward))}),
        sampling=SamplingSettings(
            completions_per_prompt=4, max_new_tokens=8, temperature=temperature
        ),
        token_budget=10_000,
        clock=PhaseClock(),
    )
    return Agent(
        name=name,
        collector=collector,
        problems_at=lambda step: PROBLEMS[:3] if step % 2 == 0 else PROBLEMS[3:],
        learning=LearningSettings(
            objective=objective,
            capability=CapabilitySettings(),
            advantage=AdvantageSettings(),
            update=UpdateSettings(sequences=sequences),
        ),
        optimizer=lambda parameters: torch.optim.AdamW(parameters, lr=lr, weight_decay=0.0),
        seed=seed,
        schedule=schedule,
        gradient_checkpointing=gradient_checkpointing,
    )
