"""Theorem 4.1 and Corollary 4.2 by simulation, with the true capability ratios."""

import math

import pytest
import torch

from hacpo.objective import joint_advantages
from tests.objective.cases import PURE

NUM_PROMPTS = 40_000
NUM_COMPLETIONS = 4
ABILITIES = (0.15, 0.4, 0.7)


def simulated(missing: float):
    """Rewards of three agents on prompts of different difficulty, their true means, a mask."""
    generator = torch.Generator().manual_seed(20260302)
    ease_P = torch.rand(NUM_PROMPTS, generator=generator, dtype=torch.float64)
    abilities_N = torch.tensor(ABILITIES, dtype=torch.float64)
    # Pass rates ability * ease^(1, 2, 3): agents differ prompt by prompt, and with ease uniform
    # in [0, 1] the true means are ability / (2, 3, 4).
    pass_NP = abilities_N[:, None] * torch.stack([ease_P, ease_P**2, ease_P**3])
    true_N = abilities_N / torch.tensor([2.0, 3.0, 4.0], dtype=torch.float64)
    shape = (len(ABILITIES), NUM_PROMPTS, NUM_COMPLETIONS)
    draws_NPG = torch.rand(shape, generator=generator, dtype=torch.float64)
    mask_NPG = torch.rand(shape, generator=generator) >= missing
    return (draws_NPG < pass_NP[:, :, None]).to(torch.float64), true_N, mask_NPG


def standard_error(values):
    return float(values.std()) / math.sqrt(len(values))


@pytest.mark.parametrize("learner", [0, 1, 2])
def test_the_baseline_is_unbiased_for_the_learner(learner):
    rewards_NPG, true_N, mask_NPG = simulated(missing=0.0)
    result = joint_advantages(
        rewards_NPG, true_N[learner] / true_N, learner=learner, mask_NPG=mask_NPG, **PURE
    )
    error = float(result.baseline_P.mean()) - float(true_N[learner])
    assert abs(error) < 4.0 * standard_error(result.baseline_P)
    # The plain joint mean is far off for every learner, so the test can tell.
    plain = joint_advantages(rewards_NPG, [1.0] * 3, learner=learner, **PURE).baseline_P
    assert abs(float(plain.mean()) - float(true_N[learner])) > 5.0 * standard_error(plain)


@pytest.mark.parametrize("learner", [0, 1, 2])
def test_the_learner_has_no_advantage_over_its_own_baseline_on_average(learner):
    rewards_NPG, true_N, _ = simulated(missing=0.0)
    result = joint_advantages(rewards_NPG, true_N[learner] / true_N, learner=learner, **PURE)
    # Before the division by sigma: R - mu, averaged over the learner's completions of a prompt.
    surplus_P = rewards_NPG[learner].mean(1) - result.baseline_P
    assert abs(float(surplus_P.mean())) < 4.0 * standard_error(surplus_P)


def test_missing_rollouts_leave_the_baseline_unbiased():
    rewards_NPG, true_N, mask_NPG = simulated(missing=0.3)
    result = joint_advantages(rewards_NPG, true_N[1] / true_N, learner=1, mask_NPG=mask_NPG, **PURE)
    present_P = result.baseline_P[mask_NPG.any(2).any(0)]
    assert abs(float(present_P.mean()) - float(true_N[1])) < 4.0 * standard_error(present_P)
