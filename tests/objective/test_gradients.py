"""Gradients of the whole loss: (29), and what must not be differentiated."""

import math

import pytest
import torch

from hacpo.objective import LossRows, micro_batch_loss
from tests.objective.cases import gradient_of, make_rows, make_settings, random_rows, scale_of


def gradient(rows, *, update_index=0, **overrides):
    settings = make_settings(**overrides)
    output = micro_batch_loss(rows, settings, update_index=update_index, scale=scale_of(rows))
    return gradient_of(rows, output.loss)


def shared_row(ratio, advantage, length=4):
    """One shared row whose sequence ratio is exactly `ratio`, with uneven tokens."""
    mean = math.log(0.3)
    tokens = [mean - 0.1 * t for t in range(length)]
    source = sum(tokens) / length - math.log(ratio)
    return make_rows([tokens], source=[source], advantages=[advantage], shared=[True])


@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("advantage", [-1.7, 1.7])
@pytest.mark.parametrize("ratio", [0.85, 0.97])
def test_cross_gradient_inside_the_range_is_equation_29(alpha, advantage, ratio):
    # omega * s^(1 + alpha) * A / |y| in each of the |y| tokens; omega = 0.6 is in the advantage.
    omega, length = 0.6, 4
    rows = shared_row(ratio, omega * advantage, length)
    expected = -omega * ratio ** (1 + alpha) * advantage / length
    found = gradient(rows, alpha=alpha, cross_delta=0.2)
    assert found.tolist() == [pytest.approx([expected] * length, rel=1e-9)]


@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("advantage", [-1.7, 1.7])
@pytest.mark.parametrize("ratio", [0.1, 0.79, 1.001, 5.0])
def test_cross_gradient_is_exactly_zero_outside_on_both_sides(alpha, advantage, ratio):
    found = gradient(shared_row(ratio, advantage), alpha=alpha, cross_delta=0.2)
    assert (found == 0.0).all()


def test_naive_lets_a_clipped_answer_come_back():
    # What tells (47) from (50): below the range a good answer still pulls, above a bad one pushes.
    assert (gradient(shared_row(0.5, 1.0), shared_term="own") < 0.0).all()
    assert (gradient(shared_row(1.5, -1.0), shared_term="own") > 0.0).all()
    assert (gradient(shared_row(0.5, -1.0), shared_term="own") == 0.0).all()


def test_own_gradient_at_ratio_one_is_the_policy_gradient():
    rows = make_rows([[-1.0, -3.0]], source=[-2.0], advantages=[1.5], shared=[False])
    assert gradient(rows).tolist() == [pytest.approx([-0.75, -0.75])]  # -A / |y|


def test_nothing_but_the_current_logprobs_gets_a_gradient():
    rows = random_rows(5, count=8)
    constants = (
        "old_logprobs_BT",
        "source_mean_logprobs_B",
        "advantages_B",
        "reference_logprobs_BT",
    )
    values = {name: getattr(rows, name).clone().requires_grad_() for name in constants}
    watched = LossRows(
        logprobs_BT=rows.logprobs_BT, mask_BT=rows.mask_BT, shared_B=rows.shared_B, **values
    )
    settings = make_settings(kl_coefficient=0.1)
    output = micro_batch_loss(watched, settings, update_index=1, scale=scale_of(rows))
    output.loss.backward()
    assert rows.logprobs_BT.grad.abs().sum() > 0.0
    for value in values.values():
        assert value.grad is None


@pytest.mark.parametrize("shared_term", ["cross", "own"])
def test_rows_with_advantage_zero_give_no_gradient(shared_term):
    rows = random_rows(6, count=10)
    silent = LossRows(
        logprobs_BT=rows.logprobs_BT,
        mask_BT=rows.mask_BT,
        old_logprobs_BT=rows.old_logprobs_BT,
        source_mean_logprobs_B=rows.source_mean_logprobs_B,
        advantages_B=torch.zeros_like(rows.advantages_B),
        shared_B=rows.shared_B,
    )
    assert (gradient(silent, shared_term=shared_term) == 0.0).all()


def test_grpo_gradient_is_per_token():
    # Ratios 2 (clipped, A > 0), 0.5 and 1: -A * r / |y| where not clipped
    log = math.log
    rows = make_rows(
        [[log(0.8), log(0.1), log(0.3)]],
        old=[[log(0.4), log(0.2), log(0.3)]],
        source=[-1.0],
        advantages=[3.0],
        shared=[False],
    )
    found = gradient(rows, ratio_level="token", clip_low=0.2, clip_high=0.2)
    assert found.tolist() == [pytest.approx([0.0, -0.5, -1.0])]


def test_extreme_rows_stay_finite_in_float32():
    rows = LossRows(
        logprobs_BT=torch.tensor([[0.0, 0.0], [-900.0, -900.0]], requires_grad=True),
        mask_BT=torch.ones(2, 2, dtype=torch.bool),
        old_logprobs_BT=torch.zeros(2, 2),
        source_mean_logprobs_B=torch.tensor([-900.0, 0.0]),
        advantages_B=torch.tensor([1.0, -1.0]),
        shared_B=torch.tensor([True, True]),
    )
    settings = make_settings(alpha=3.0, cross_delta=math.inf, cross_upper=math.inf)
    output = micro_batch_loss(rows, settings, update_index=0, scale=scale_of(rows))
    assert output.loss.isfinite()
    assert gradient_of(rows, output.loss).isfinite().all()
