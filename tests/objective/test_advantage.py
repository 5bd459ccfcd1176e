"""Capability-aware advantages: (5)-(7), (10), and their guards."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hacpo.objective import author_weighted, joint_advantages, joint_baseline, joint_std
from tests.objective.cases import ADVANTAGE_GUARDS, PURE, quickly


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


# Two authors, one prompt, two completions each; author 0 is twice as able as author 1.
TWO = tensor([[[1.0, 0.0]], [[1.0, 0.0]]])


def test_baseline_by_hand():
    # (6): (1*1 + 1*0 + 0.5*1 + 0.5*0) / 4 = 1.5 / 4 for omegas (1, 0.5)
    assert joint_baseline(TWO, [1.0, 0.5]).tolist() == [0.375]
    # (1 + 2) / 4 = 0.75: a stronger learner has the higher baseline
    assert joint_baseline(TWO, [1.0, 2.0]).tolist() == [0.75]


def test_baseline_of_a_single_completion_is_its_weighted_reward():
    assert joint_baseline(tensor([[[0.7]]]), [1.0]).tolist() == [0.7]


def test_deviation_by_hand():
    # Mean 0.5, four squares of 0.25: 1/4 -> 0.5 (population), 1/3 -> 0.57735 (Bessel)
    assert joint_std(TWO, std_correction=0).tolist() == pytest.approx([0.5])
    assert joint_std(TWO, std_correction=1).tolist() == pytest.approx([math.sqrt(1 / 3)])


def test_advantage_by_hand():
    # mu = 0.75, sigma = 0.5: (1 - 0.75) / 0.5 = 0.5 and (0 - 0.75) / 0.5 = -1.5
    result = joint_advantages(TWO, [1.0, 2.0], learner=0, **PURE)
    assert result.values_NPG.tolist() == [[[0.5, -1.5]], [[0.5, -1.5]]]
    assert result.baseline_P.tolist() == [0.75]
    assert result.std_P.tolist() == [0.5]
    assert not result.uniform_P.any()
    assert not result.guarded_P.any()


def test_epsilon_is_added_to_the_deviation():
    result = joint_advantages(TWO, [1.0, 2.0], learner=0, **{**PURE, "std_epsilon": 0.5})
    # 0.25 / (0.5 + 0.5) and -0.75 / 1
    assert result.values_NPG[0, 0].tolist() == [0.25, -0.75]


def test_coefficient_by_hand():
    # (10): the stronger author's completion counts twice
    weighted = author_weighted(tensor([[[0.5, -1.5]], [[0.5, -1.5]]]), [1.0, 2.0])
    assert weighted.tolist() == [[[0.5, -1.5]], [[1.0, -3.0]]]


def test_one_author_is_the_group_advantage_of_grpo():
    # Rewards 1, 0, 0, 0: mean 0.25; squares 0.5625 + 3*0.0625 = 0.75; /4 -> sigma = sqrt(3)/4
    result = joint_advantages(tensor([[[1.0, 0.0, 0.0, 0.0]]]), [1.0], learner=0, **PURE)
    root = math.sqrt(3.0)
    expected = [0.75 / (root / 4)] + [-0.25 / (root / 4)] * 3
    assert result.values_NPG[0, 0].tolist() == pytest.approx(expected)


def test_equal_capabilities_give_the_plain_joint_group():
    rewards = torch.rand(3, 4, 5, dtype=torch.float64)
    joint = joint_advantages(rewards, [1.0] * 3, learner=1, **ADVANTAGE_GUARDS)
    # The same completions as one author's group of 15.
    as_one = rewards.transpose(0, 1).reshape(1, 4, 15)
    alone = joint_advantages(as_one, [1.0], learner=0, **ADVANTAGE_GUARDS)
    torch.testing.assert_close(
        joint.values_NPG.transpose(0, 1).reshape(4, 15), alone.values_NPG.reshape(4, 15)
    )
    torch.testing.assert_close(joint.baseline_P, rewards.mean((0, 2)))


@quickly
@given(st.data())
def test_missing_rollouts_are_as_if_never_made(data):
    kept, lost = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    seed = data.draw(st.integers(0, 10_000))
    short = torch.rand(2, 3, kept, generator=torch.manual_seed(seed), dtype=torch.float64)
    long = torch.cat([short, torch.full((2, 3, lost), math.nan, dtype=torch.float64)], dim=2)
    mask = torch.arange(kept + lost).expand(2, 3, -1) < kept
    with_gaps = joint_advantages(long, [1.0, 0.7], learner=0, mask_NPG=mask, **ADVANTAGE_GUARDS)
    without = joint_advantages(short, [1.0, 0.7], learner=0, **ADVANTAGE_GUARDS)
    torch.testing.assert_close(with_gaps.values_NPG[:, :, :kept], without.values_NPG)
    assert (with_gaps.values_NPG[:, :, kept:] == 0.0).all()


@quickly
@given(st.integers(1, 4), st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_agents_and_completions_does_not_matter(num_authors, seed, rng):
    torch.manual_seed(seed)
    rewards = torch.rand(num_authors, 3, 4, dtype=torch.float64)
    mask = torch.rand(num_authors, 3, 4) < 0.8
    learner = seed % num_authors
    omegas = torch.rand(num_authors, dtype=torch.float64) + 0.5
    omegas[learner] = 1.0
    authors, completions = list(range(num_authors)), list(range(4))
    rng.shuffle(authors)
    rng.shuffle(completions)
    plain = joint_advantages(rewards, omegas, learner=learner, mask_NPG=mask, **ADVANTAGE_GUARDS)
    moved = joint_advantages(
        rewards[authors][:, :, completions],
        omegas[authors],
        learner=authors.index(learner),
        mask_NPG=mask[authors][:, :, completions],
        **ADVANTAGE_GUARDS,
    )
    torch.testing.assert_close(moved.values_NPG, plain.values_NPG[authors][:, :, completions])
    torch.testing.assert_close(moved.baseline_P, plain.baseline_P)


@quickly
@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=8, max_size=8),
    st.floats(min_value=0.1, max_value=10.0),
    st.sampled_from(["own_mean", "keep"]),
)
def test_advantages_are_finite_and_keep_the_order_of_rewards(values, omega, guard):
    rewards = torch.tensor(values).reshape(2, 1, 4)
    settings = {**ADVANTAGE_GUARDS, "baseline_guard": guard}
    result = joint_advantages(rewards, [1.0, omega], learner=0, **settings)
    assert result.values_NPG.isfinite().all()
    assert result.values_NPG.dtype == torch.float32
    order = torch.tensor(values).argsort(stable=True)
    assert (result.values_NPG.flatten()[order].diff() >= 0.0).all()
    if guard == "own_mean" and not result.uniform_P.any():
        # No best answer is ever punished.
        assert result.values_NPG.max() >= 0.0


def test_advantages_carry_no_gradient():
    rewards = torch.rand(2, 2, 3, requires_grad=True)
    omegas = torch.tensor([1.0, 2.0], requires_grad=True)
    result = joint_advantages(rewards, omegas, learner=0, **ADVANTAGE_GUARDS)
    weighted = author_weighted(rewards, torch.tensor([1.0, 2.0], requires_grad=True))
    for value in (result.values_NPG, result.baseline_P, result.std_P, weighted):
        assert not value.requires_grad


@pytest.mark.parametrize(
    "change, message",
    [
        ({"rewards_NPG": torch.ones(2, 3)}, "axes"),
        ({"rewards_NPG": torch.ones(2, 1, 2, dtype=torch.long)}, "floating point"),
        ({"rewards_NPG": torch.full((2, 1, 2), math.nan)}, "finite"),
        ({"mask_NPG": torch.ones(2, 1, 2)}, "mask must be bool"),
        ({"omegas_N": [1.0]}, "One factor per author"),
        ({"omegas_N": [1.0, math.inf]}, "finite"),
        ({"omegas_N": [2.0, 1.0]}, "own omega must be 1"),
        ({"learner": 2}, "not among the 2 authors"),
        ({"std_correction": 2}, "std_correction"),
        ({"std_epsilon": -1.0}, "std_epsilon"),
        ({"uniform_tolerance": math.nan}, "uniform_tolerance"),
        ({"baseline_guard": "zero"}, "baseline_guard"),
    ],
)
def test_senseless_input_is_refused(change, message):
    arguments = {
        "rewards_NPG": TWO,
        "omegas_N": [1.0, 2.0],
        "learner": 0,
        **ADVANTAGE_GUARDS,
        **change,
    }
    with pytest.raises(ValueError, match=message):
        joint_advantages(**arguments)
