"""Clip ranges and surrogates: (13)-(14), (47)-(48), (52)."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hacpo.objective import clip_fully, clipped_surrogate, cross_clip_bounds
from tests.objective.cases import quickly


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(
    "update_index, low",
    [(0, 0.8), (1, 0.825), (3, 0.875), (8, 1.0), (9, 1.0), (1000, 1.0)],
)
def test_bounds_by_hand(update_index, low):
    # (52): 1 - 0.2 + m * 0.025; the bound reaches 1 at m = 8 and stays there
    bounds = cross_clip_bounds(delta=0.2, step=0.025, upper=1.0, update_index=update_index)
    assert bounds == (pytest.approx(low), 1.0)


def test_step_zero_keeps_the_bound():
    values = {cross_clip_bounds(delta=0.2, step=0.0, upper=1.0, update_index=m) for m in range(20)}
    assert values == {(0.8, 1.0)}


def test_infinite_bounds_do_not_clip():
    low, high = cross_clip_bounds(delta=math.inf, step=0.025, upper=math.inf, update_index=3)
    ratio = tensor([1e-9, 1.0, 1e9]).requires_grad_()
    clipped = clip_fully(ratio, low, high)
    clipped.sum().backward()
    assert clipped.tolist() == ratio.tolist()
    assert ratio.grad.tolist() == [1.0, 1.0, 1.0]


@quickly
@given(
    st.floats(min_value=0.0, allow_nan=False),
    st.floats(min_value=0.0, max_value=1e6),
    st.floats(min_value=1e-6, allow_nan=False),
    st.integers(0, 10_000),
)
def test_the_lower_bound_is_never_above_the_upper_nor_above_one(delta, step, upper, update_index):
    low, high = cross_clip_bounds(delta=delta, step=step, upper=upper, update_index=update_index)
    assert low <= min(high, 1.0)
    earlier, _ = cross_clip_bounds(delta=delta, step=step, upper=upper, update_index=0)
    assert earlier <= low
    assert high == upper


@pytest.mark.parametrize(
    "change",
    [{"delta": -0.1}, {"step": -0.1}, {"upper": 0.0}, {"update_index": -1}, {"delta": math.nan}],
)
def test_senseless_bounds_are_refused(change):
    arguments = {"delta": 0.2, "step": 0.0, "upper": 1.0, "update_index": 0, **change}
    with pytest.raises(ValueError, match="A cross clip needs"):
        cross_clip_bounds(**arguments)


def test_plain_clip_has_no_gradient_on_either_side():
    ratio = tensor([0.5, 0.8, 0.9, 1.0, 1.2]).requires_grad_()
    clipped = clip_fully(ratio, 0.8, 1.0)
    assert clipped.tolist() == [0.8, 0.8, 0.9, 1.0, 1.0]
    clipped.sum().backward()
    # The bounds belong to the range.
    assert ratio.grad.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "ratio, advantage, value, gradient",
    [
        (1.00, 2.0, 2.00, 2.0),  # inside
        (1.50, 2.0, 2.06, 0.0),  # min(3.0, 1.03 * 2): above, good answer: stop
        (1.50, -2.0, -3.00, -2.0),  # min(-3.0, -2.06): above, bad answer: go back
        (0.50, 2.0, 1.00, 2.0),  # min(1.0, 0.98 * 2): below, good answer: go back
        (0.50, -2.0, -1.96, 0.0),  # min(-1.0, -1.96): below, bad answer: stop
    ],
)
def test_own_surrogate_by_hand(ratio, advantage, value, gradient):
    s = tensor([ratio]).requires_grad_()
    a = tensor([advantage]).requires_grad_()
    surrogate = clipped_surrogate(s, a, 0.98, 1.03)
    assert surrogate.item() == pytest.approx(value)
    surrogate.sum().backward()
    assert s.grad.item() == pytest.approx(gradient)
    assert a.grad is None
