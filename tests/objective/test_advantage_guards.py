"""Guards of the advantage: groups without signal, high baselines, missing rollouts."""

import math

import pytest
import torch

from hacpo.objective import joint_advantages, joint_std
from tests.objective.cases import ADVANTAGE_GUARDS, PURE


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize("omega", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("guard", ["own_mean", "keep"])
@pytest.mark.parametrize("reward", [0.0, 0.1, 1.0])
def test_equal_rewards_give_exactly_zero(omega, guard, reward):
    rewards = torch.full((2, 3, 7), reward, dtype=torch.float32)
    settings = {**ADVANTAGE_GUARDS, "baseline_guard": guard}
    result = joint_advantages(rewards, [1.0, omega], learner=0, **settings)
    assert (result.values_NPG == 0.0).all()
    assert result.uniform_P.all()
    assert not result.guarded_P.any()


def test_uniform_is_max_minus_min_and_not_a_zero_deviation():
    # In float32 the mean of seven times 0.1 is not 0.1, so the deviation is not 0 either.
    rewards = torch.full((1, 1, 7), 0.1)
    assert joint_std(rewards, std_correction=1).item() > 0.0
    pure_epsilon = {**ADVANTAGE_GUARDS, "std_epsilon": 0.0, "uniform_tolerance": 0.0}
    result = joint_advantages(rewards, [1.0], learner=0, **pure_epsilon)
    assert (result.values_NPG == 0.0).all()


def test_uniform_tolerance_is_inclusive():
    rewards = tensor([[[0.0, 0.25]]])
    for tolerance, uniform in ((0.25, True), (0.2, False)):
        settings = {**ADVANTAGE_GUARDS, "uniform_tolerance": tolerance}
        assert joint_advantages(rewards, [1.0], learner=0, **settings).uniform_P.item() is uniform


# A strong learner: its two answers are right, and one of the two of an author a third as able.
STRONG = tensor([[[1.0, 1.0]], [[1.0, 0.0]]])


def test_guard_on_a_baseline_above_the_largest_reward():
    # mu = (1 + 1 + 3*1 + 0) / 4 = 1.25 > 1, so the learner's own mean 1 takes its place.
    # sigma (Bessel) of 1, 1, 1, 0: (3 * 0.0625 + 0.5625) / 3 = 0.25 -> 0.5
    settings = {**PURE, "std_correction": 1, "baseline_guard": "own_mean"}
    result = joint_advantages(STRONG, [1.0, 3.0], learner=0, **settings)
    assert result.baseline_P.tolist() == [1.0]
    assert result.guarded_P.tolist() == [True]
    assert result.values_NPG.tolist() == [[[0.0, 0.0]], [[0.0, -2.0]]]


def test_guard_off_is_the_pure_formula():
    # Even right answers get (1 - 1.25) / 0.5 = -0.5; the wrong one -1.25 / 0.5 = -2.5
    settings = {**PURE, "std_correction": 1}
    result = joint_advantages(STRONG, [1.0, 3.0], learner=0, **settings)
    assert result.baseline_P.tolist() == [1.25]
    assert result.guarded_P.tolist() == [False]
    assert result.values_NPG.tolist() == [[[-0.5, -0.5]], [[-0.5, -2.5]]]


def test_guard_leaves_a_baseline_at_the_largest_reward():
    # mu = (2 + 2) / 4 = 1, which is the largest reward and not above it
    result = joint_advantages(STRONG, [1.0, 2.0], learner=0, **ADVANTAGE_GUARDS)
    assert result.baseline_P.tolist() == [1.0]
    assert not result.guarded_P.any()


def test_guard_without_own_rollouts_takes_the_joint_mean():
    # The learner lost its group: mu = 3 * (1 + 0) / 2 = 1.5 > 1; joint mean 0.5
    mask = torch.tensor([[[False, False]], [[True, True]]])
    result = joint_advantages(STRONG, [1.0, 3.0], learner=0, mask_NPG=mask, **ADVANTAGE_GUARDS)
    assert result.baseline_P.tolist() == [0.5]
    assert result.guarded_P.tolist() == [True]


@pytest.mark.parametrize("correction", [0, 1])
def test_a_joint_group_of_one_completion_has_no_signal(correction):
    rewards = tensor([[[0.7]]])
    settings = {**PURE, "std_correction": correction}
    result = joint_advantages(rewards, [1.0], learner=0, **settings)
    assert result.values_NPG.tolist() == [[[0.0]]]
    assert result.std_P.tolist() == [0.0]


def test_one_completion_per_author_still_makes_a_joint_group():
    # mu = (1 + 0) / 2, sigma = 0.5: +1 and -1
    result = joint_advantages(tensor([[[1.0]], [[0.0]]]), [1.0, 1.0], learner=0, **PURE)
    assert result.values_NPG.flatten().tolist() == [1.0, -1.0]


def test_missing_rollouts_enter_nothing():
    rewards = tensor([[[1.0, math.nan]], [[1.0, 0.0]]])
    mask = torch.tensor([[[True, False]], [[True, True]]])
    result = joint_advantages(rewards, [1.0, 2.0], learner=0, mask_NPG=mask, **PURE)
    # mu = (1 + 2*1 + 0) / 3 = 1; sigma of 1, 1, 0: mean 2/3, (2/9 + 4/9) / 3 = 2/9
    assert result.baseline_P.tolist() == pytest.approx([1.0])
    assert result.std_P.tolist() == pytest.approx([math.sqrt(2 / 9)])
    # (1 - 1) = 0, missing 0, and (0 - 1) / sqrt(2/9)
    expected = [0.0, 0.0, 0.0, -1.0 / math.sqrt(2 / 9)]
    assert result.values_NPG.flatten().tolist() == pytest.approx(expected)


def test_a_prompt_without_any_rollout_is_uniform_and_finite():
    mask = torch.ones(2, 2, 3, dtype=torch.bool)
    mask[:, 1] = False
    rewards = torch.where(mask, torch.rand(2, 2, 3), math.nan)
    result = joint_advantages(rewards, [1.0, 5.0], learner=0, mask_NPG=mask, **ADVANTAGE_GUARDS)
    assert (result.values_NPG[:, 1] == 0.0).all()
    assert result.uniform_P.tolist() == [False, True]
    assert result.baseline_P[1] == 0.0
    assert result.std_P[1] == 0.0
