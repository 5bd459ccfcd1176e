"""From configuration to the plain values that the lower layers take."""

from __future__ import annotations

import math

from hacpo.agent.settings import (
    AdvantageSettings,
    CapabilitySettings,
    LearningSettings,
    SharingSettings,
    UpdateSettings,
)
from hacpo.config.agent import AgentConfig
from hacpo.config.algorithm import AlgorithmConfig, Exchange
from hacpo.config.schema import Config, RolloutConfig
from hacpo.objective import ObjectiveSettings
from hacpo.rollout.engine import SamplingSettings


def objective_settings(algorithm: AlgorithmConfig) -> ObjectiveSettings:
    """Return the parameters of the objective."""
    return ObjectiveSettings(
        ratio_level=algorithm.ratio.value,
        shared_term=algorithm.shared_term.value,
        alpha=algorithm.alpha,
        clip_low=algorithm.clip.low,
        clip_high=algorithm.clip.high,
        cross_delta=algorithm.cross_clip.delta,
        cross_step=algorithm.cross_clip.step,
        cross_upper=algorithm.cross_clip.upper,
        normalization=algorithm.loss.normalization.value,
        constant_length=algorithm.loss.constant_length,
        kl_coefficient=algorithm.loss.kl_coefficient,
        log_ratio_limit=algorithm.loss.log_ratio_limit,
    )


def learning_settings(algorithm: AlgorithmConfig, agent: AgentConfig) -> LearningSettings:
    """Return how one agent learns from a step."""
    capability, advantage = algorithm.capability, algorithm.advantage
    return LearningSettings(
        objective=objective_settings(algorithm),
        capability=CapabilitySettings(
            baseline_exponent=capability.baseline_exponent,
            coefficient_exponent=capability.coefficient_exponent,
            floor=capability.floor,
            ratio_min=capability.ratio_min,
            ratio_max=capability.ratio_max,
        ),
        advantage=AdvantageSettings(
            std_correction=advantage.std_correction,
            std_epsilon=advantage.std_epsilon,
            uniform_tolerance=advantage.uniform_tolerance,
            baseline_guard=advantage.baseline_guard.value,
        ),
        update=UpdateSettings(
            sequences=algorithm.update.sequences,
            order=algorithm.update.order.value,
            token_budget=agent.update_tokens,
            gradient_clip=agent.gradient_clip,
        ),
        sharing=sharing_settings(algorithm),
    )


def sharing_settings(algorithm: AlgorithmConfig) -> SharingSettings:
    """Return which completions of other agents are learnt from."""
    sharing = algorithm.sharing
    successes = algorithm.exchange is Exchange.successes_only
    return SharingSettings(
        ratio=sharing.ratio,
        smallest_reward=sharing.success_reward if successes else -math.inf,
        smallest_advantage=sharing.smallest_advantage,
    )


def largest_shared(rollout: RolloutConfig) -> int:
    """Return the most tokens that a shared completion may have, in the learner's tokens."""
    return int(rollout.max_new_tokens * rollout.shared_length_factor)


def sampling_settings(config: Config) -> SamplingSettings:
    """Return how every agent samples in training."""
    rollout = config.rollout
    return SamplingSettings(
        completions_per_prompt=rollout.completions_per_prompt * config.algorithm.rollout_factor,
        max_new_tokens=rollout.max_new_tokens,
        temperature=rollout.temperature,
    )
