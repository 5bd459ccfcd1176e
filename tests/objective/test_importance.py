"""Importance ratios: (11) and (12)."""

import math

import pytest
import torch

from hacpo.objective import (
    exponential_weight,
    reweight,
    sequence_mean_logprob,
    sequence_ratio,
    token_ratio,
)

LOG = math.log


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def test_mean_logprob_by_hand():
    logprobs = tensor([[-1.0, -2.0, -3.0], [-4.0, math.nan, -math.inf], [math.nan] * 3])
    mask = torch.tensor([[True] * 3, [True, False, False], [False] * 3])
    # (-1 - 2 - 3) / 3 = -2; one token: -4; no token: 0
    assert sequence_mean_logprob(logprobs, mask).tolist() == [-2.0, -4.0, 0.0]


def test_padding_of_any_value_gets_gradient_zero():
    logprobs = tensor([[-1.0, math.nan], [-math.inf, math.nan]]).requires_grad_()
    mask = torch.tensor([[True, False], [False, False]])
    sequence_mean_logprob(logprobs, mask).sum().backward()
    assert logprobs.grad.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_ratio_by_hand():
    # Learner: two tokens with probabilities 1/2 and 1/8, so the geometric mean is 1/4.
    # Author: the same text in one token of probability 1/2. s = (1/4) / (1/2) = 1/2.
    learner = sequence_mean_logprob(tensor([[LOG(1 / 2), LOG(1 / 8)]]), torch.ones(1, 2).bool())
    ratio = sequence_ratio(learner, tensor([LOG(1 / 2)]), log_ratio_limit=10.0)
    assert ratio.tolist() == pytest.approx([0.5])


def test_ratio_is_one_for_the_policy_that_sampled():
    logprobs = -torch.rand(4, 6)
    mean = sequence_mean_logprob(logprobs, torch.ones(4, 6, dtype=torch.bool))
    assert (sequence_ratio(mean, mean.clone(), log_ratio_limit=10.0) == 1.0).all()


def test_no_gradient_through_the_source():
    learner, source = tensor([-1.0]).requires_grad_(), tensor([-2.0]).requires_grad_()
    sequence_ratio(learner, source, log_ratio_limit=10.0).sum().backward()
    assert source.grad is None
    assert learner.grad.item() == pytest.approx(math.e)
    new, old = tensor([[-1.0]]).requires_grad_(), tensor([[-1.5]]).requires_grad_()
    token_ratio(new, old, log_ratio_limit=10.0).sum().backward()
    assert old.grad is None


def test_log_ratio_limit_keeps_exp_finite_and_stops_the_gradient():
    learner = tensor([0.0, -500.0, -1.0]).requires_grad_()
    ratio = sequence_ratio(learner, tensor([-500.0, 0.0, -1.5]), log_ratio_limit=10.0)
    expected = [math.exp(10.0), math.exp(-10.0), math.exp(0.5)]
    assert ratio.tolist() == pytest.approx(expected)
    ratio.sum().backward()
    assert learner.grad.tolist() == pytest.approx([0.0, 0.0, math.exp(0.5)])


def test_log_ratio_limit_can_be_removed_but_not_be_zero():
    ratio = sequence_ratio(tensor([20.0]), tensor([0.0]), log_ratio_limit=math.inf)
    assert ratio.item() == pytest.approx(math.exp(20.0))
    with pytest.raises(ValueError, match="log_ratio_limit"):
        sequence_ratio(tensor([0.0]), tensor([0.0]), log_ratio_limit=0.0)


def test_token_ratio_by_hand():
    ratio = token_ratio(
        tensor([[LOG(0.5), LOG(0.2)]]), tensor([[LOG(0.25), LOG(0.4)]]), log_ratio_limit=10.0
    )
    assert ratio.tolist() == [pytest.approx([2.0, 0.5])]


def test_reweighting_by_hand():
    # (12): 0.5 * 0.5^3 = 0.0625
    assert reweight(tensor([0.5]), 3.0).item() == pytest.approx(0.0625)
    assert exponential_weight(tensor([0.5]), 3.0).item() == pytest.approx(0.125)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 3.0])
def test_no_gradient_through_the_exponent(alpha):
    ratio = tensor([0.5, 1.5]).requires_grad_()
    reweight(ratio, alpha).sum().backward()
    # d(s * const)/ds = s^alpha. Through sg it would be (1 + alpha) * s^alpha.
    assert ratio.grad.tolist() == pytest.approx([0.5**alpha, 1.5**alpha])
    assert not exponential_weight(ratio, alpha).requires_grad


def test_alpha_zero_is_the_plain_ratio():
    ratio = tensor([0.3, 1.0, 4.0])
    assert reweight(ratio, 0.0).tolist() == ratio.tolist()


def test_dtype_is_kept():
    for dtype in (torch.float32, torch.float64):
        ratio = sequence_ratio(
            torch.zeros(2, dtype=dtype), torch.zeros(2, dtype=dtype), log_ratio_limit=10.0
        )
        assert reweight(ratio, 1.0).dtype == dtype
