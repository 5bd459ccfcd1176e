"""Rewards: how what a model wrote becomes a number, in one call for all completions of a step."""

from hacpo.reward.exact_boxed import ExactBoxedReward
from hacpo.reward.function_reward import FunctionReward
from hacpo.reward.math_reward import MathReward
from hacpo.reward.part import RewardPart
from hacpo.reward.task_reward import TaskReward
from hacpo.reward.weighted import GradedTexts, WeightedReward

__all__ = [
    "ExactBoxedReward",
    "FunctionReward",
    "GradedTexts",
    "MathReward",
    "RewardPart",
    "TaskReward",
    "WeightedReward",
]
