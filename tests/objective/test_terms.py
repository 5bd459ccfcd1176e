"""Own term (47)-(49) and shared term (50), (52)."""

import math

import pytest
import torch

from hacpo.objective import Term, over_tokens, own_term, reweight, shared_term


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def test_own_term_by_hand():
    ratio, advantages = tensor([1.0, 1.5, 1.5, 0.5, 0.5]), tensor([2.0, 2.0, -2.0, 2.0, -2.0])
    term = own_term(ratio, advantages, clip_low=0.02, clip_high=0.03)
    # As in test_clipping: 1*2; 1.03*2; 1.5*-2; 0.5*2; 0.98*-2
    assert term.values.tolist() == pytest.approx([2.0, 2.06, -3.0, 1.0, -1.96])
    assert term.clipped_low.tolist() == [False, False, False, False, True]
    assert term.clipped_high.tolist() == [False, True, False, False, False]


def test_shared_term_by_hand():
    # alpha 2, range [0.8, 1]: 0.9 * 0.9^2 * 3 = 2.187; below: 0.8 * 0.5^2 * 3 = 0.6;
    # above: 1 * 1.2^2 * -3 = -4.32
    term = shared_term(
        tensor([0.9, 0.5, 1.2]), tensor([3.0, 3.0, -3.0]), alpha=2.0, low=0.8, high=1.0
    )
    assert term.values.tolist() == pytest.approx([2.187, 0.6, -4.32])
    assert term.clipped_low.tolist() == [False, True, False]
    assert term.clipped_high.tolist() == [False, False, True]


@pytest.mark.parametrize("alpha", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("advantage", [-2.0, 2.0])
def test_shared_gradient_is_zero_outside_and_s_to_alpha_inside(alpha, advantage):
    ratio = tensor([0.5, 0.9, 1.2]).requires_grad_()
    term = shared_term(ratio, tensor([advantage] * 3), alpha=alpha, low=0.8, high=1.0)
    term.values.sum().backward()
    assert ratio.grad.tolist() == [0.0, pytest.approx(0.9**alpha * advantage), 0.0]


def test_without_bounds_the_shared_term_is_the_reweighted_ratio():
    ratio, advantages = tensor([0.2, 1.0, 3.0]), tensor([1.0, -1.0, 2.0])
    term = shared_term(ratio, advantages, alpha=1.5, low=-math.inf, high=math.inf)
    torch.testing.assert_close(term.values, reweight(ratio, 1.5) * advantages)


def test_alpha_zero_is_the_plain_clip():
    term = shared_term(tensor([0.5, 0.9]), tensor([1.0, 1.0]), alpha=0.0, low=0.8, high=1.0)
    assert term.values.tolist() == [0.8, 0.9]


def test_no_gradient_through_the_advantages():
    ratio, advantages = tensor([0.9]).requires_grad_(), tensor([1.0]).requires_grad_()
    shared_term(ratio, advantages, alpha=1.0, low=0.8, high=1.0).values.sum().backward()
    own_term(ratio, advantages, clip_low=0.2, clip_high=0.2).values.sum().backward()
    assert advantages.grad is None


def test_mean_over_tokens_ignores_padding():
    nan = math.nan
    term = Term(
        values=tensor([[1.0, 3.0], [5.0, nan], [nan, nan]]),
        clipped_low=torch.tensor([[False, True], [False, True], [True, True]]),
        clipped_high=torch.tensor([[False, False], [True, False], [True, True]]),
    )
    mask = torch.tensor([[True, True], [True, False], [False, False]])
    reduced = over_tokens(term, mask)
    assert reduced.values.tolist() == [2.0, 5.0, 0.0]
    assert reduced.clipped_low.tolist() == [True, False, False]
    assert reduced.clipped_high.tolist() == [False, True, False]
