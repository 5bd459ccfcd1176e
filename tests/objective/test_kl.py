"""The optional penalty towards the starting model."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hacpo.objective import low_variance_kl
from tests.objective.cases import quickly


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def test_kl_by_hand():
    # pi = 1/2, reference 1/4: r = 1/2, r - log r - 1 = 0.5 + 0.693147 - 1 = 0.193147
    kl = low_variance_kl(tensor([[math.log(0.5)]]), tensor([[math.log(0.25)]]))
    assert kl.item() == pytest.approx(0.193147, abs=1e-6)


@quickly
@given(st.floats(-5.0, 0.0), st.floats(-5.0, 0.0))
def test_kl_is_never_negative_and_its_gradient_is_one_minus_r(new, reference):
    logprobs = tensor([[new]]).requires_grad_()
    frozen = tensor([[reference]]).requires_grad_()
    kl = low_variance_kl(logprobs, frozen)
    assert kl.item() >= 0.0
    kl.sum().backward()
    assert logprobs.grad.item() == pytest.approx(1.0 - math.exp(reference - new), abs=1e-12)
    assert frozen.grad is None


def test_kl_is_zero_for_the_same_model():
    logprobs = -torch.rand(2, 3)
    assert (low_variance_kl(logprobs, logprobs.clone()) == 0.0).all()


def test_kl_estimates_the_divergence():
    # Under samples of pi the mean of the estimate is KL(pi || ref), by exact expectation here.
    pi, ref = tensor([0.7, 0.2, 0.1]), tensor([0.3, 0.3, 0.4])
    expected = (pi * (pi / ref).log()).sum().item()
    assert (pi * low_variance_kl(pi.log(), ref.log())).sum().item() == pytest.approx(expected)


def test_limit_keeps_an_abandoned_token_finite():
    logprobs = torch.tensor([[-400.0]], requires_grad=True)
    kl = low_variance_kl(logprobs, torch.zeros(1, 1), log_ratio_limit=10.0)
    assert kl.item() == pytest.approx(math.exp(10.0) - 11.0, rel=1e-6)
    kl.sum().backward()
    assert logprobs.grad.item() == 0.0
