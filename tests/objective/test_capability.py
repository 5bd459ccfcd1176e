"""Capability, its window, and its ratios: (8)-(9)."""

import math
import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hacpo.objective import (
    CapabilityWindow,
    author_coefficients,
    baseline_omegas,
    capability_ratio,
    mean_reward,
)
from tests.objective.cases import RATIO_GUARDS, quickly

reward_values = st.floats(min_value=0.0, max_value=1.0)


def test_capability_is_the_mean_reward():
    # (1 + 0 + 1 + 1) / 4 = 0.75
    assert mean_reward(torch.tensor([[1.0, 0.0], [1.0, 1.0]])) == 0.75


def test_missing_rollouts_do_not_count_in_the_capability():
    # The third reward is missing: (1 + 0 + 1) / 3
    rewards = torch.tensor([[1.0, 0.0], [math.nan, 1.0]])
    mask = torch.tensor([[True, True], [False, True]])
    assert mean_reward(rewards, mask) == pytest.approx(2 / 3)


def test_a_capability_of_nothing_or_of_nan_is_refused():
    with pytest.raises(ValueError, match="at least one completion"):
        mean_reward(torch.ones(1, 2), torch.zeros(1, 2, dtype=torch.bool))
    with pytest.raises(ValueError, match="finite"):
        mean_reward(torch.tensor([[math.nan]]))


def test_the_window_averages_the_last_k_steps():
    window = CapabilityWindow(size=3, history={})
    for value in (0.1, 0.2, 0.6, 0.7):
        window = window.push({"a": value})
    # The first value has left: (0.2 + 0.6 + 0.7) / 3 = 0.5
    assert window.smoothed() == {"a": pytest.approx(0.5)}
    assert window.history == {"a": (0.2, 0.6, 0.7)}


def test_a_young_window_averages_what_it_has():
    window = CapabilityWindow(size=5, history={}).push({"a": 0.2}).push({"a": 0.4, "b": 1.0})
    assert window.smoothed() == {"a": pytest.approx(0.3), "b": 1.0}


def test_push_leaves_the_old_window_as_it_was():
    outside = {"a": (0.5,)}
    window = CapabilityWindow(size=2, history=outside)
    outside["a"] = (9.0,)
    window.push({"a": 0.7})
    assert window.history == {"a": (0.5,)}
    with pytest.raises(AttributeError):
        window.size = 3  # type: ignore[misc]


def test_an_agent_without_a_new_value_keeps_its_history():
    window = CapabilityWindow(size=2, history={"a": (0.5,), "b": (0.25,)}).push({"a": 1.0})
    assert window.history == {"a": (0.5, 1.0), "b": (0.25,)}


@quickly
@given(st.lists(reward_values, min_size=1, max_size=12), st.integers(1, 6))
def test_the_window_is_the_tail_of_the_stream_and_survives_a_checkpoint(values, size):
    window = CapabilityWindow(size=size, history={})
    for value in values:
        window = CapabilityWindow.from_state(window.push({"a": value}).to_state())
    tail = values[-size:]
    assert window.history == {"a": tuple(tail)}
    assert window.smoothed()["a"] == pytest.approx(sum(tail) / len(tail), abs=1e-12)
    assert pickle.loads(pickle.dumps(window)) == window


@pytest.mark.parametrize(
    "size, history, message",
    [
        (0, {}, "at least 1 step"),
        (2, {"a": (math.inf,)}, "finite"),
        (2, {"a": ()}, "'a'"),
    ],
)
def test_a_senseless_window_is_refused(size, history, message):
    with pytest.raises(ValueError, match=message):
        CapabilityWindow(size=size, history=history)


def test_ratio_by_hand():
    # 0.6 / 0.4 = 1.5, and the other way round 2/3
    assert capability_ratio(0.6, 0.4, **RATIO_GUARDS) == pytest.approx(1.5)
    assert capability_ratio(0.4, 0.6, **RATIO_GUARDS) == pytest.approx(2 / 3)


def test_floor_and_limits_of_the_ratio():
    guards = {"floor": 0.01, "ratio_min": 0.1, "ratio_max": 10.0}
    assert capability_ratio(0.0, 0.0, **guards) == 1.0  # both at the floor
    assert capability_ratio(0.0, 0.05, **guards) == pytest.approx(0.2)  # 0.01 / 0.05
    assert capability_ratio(0.05, 0.0, **guards) == pytest.approx(5.0)  # 0.05 / 0.01
    assert capability_ratio(1.0, 0.0, **guards) == 10.0  # 100, limited
    assert capability_ratio(0.0, 1.0, **guards) == 0.1  # 0.01, limited
    assert capability_ratio(-1.0, 0.02, **guards) == pytest.approx(0.5)  # 0.01 / 0.02


@quickly
@given(reward_values, reward_values)
def test_ratio_stays_in_its_limits_and_inverts(of, over):
    value = capability_ratio(of, over, **RATIO_GUARDS)
    assert 0.1 <= value <= 10.0
    assert value * capability_ratio(over, of, **RATIO_GUARDS) == pytest.approx(1.0)
    assert capability_ratio(of, of, **RATIO_GUARDS) == 1.0


@pytest.mark.parametrize(
    "of, changes",
    [
        (math.nan, {}),
        (0.5, {"floor": 0.0}),
        (0.5, {"ratio_min": 0.0}),
        (0.5, {"ratio_min": 2.0}),
        (0.5, {"ratio_max": 0.5}),
    ],
)
def test_senseless_ratios_are_refused(of, changes):
    with pytest.raises(ValueError, match=r"\."):
        capability_ratio(of, 0.5, **{**RATIO_GUARDS, **changes})


def test_omegas_and_coefficients_are_inverse_and_in_the_order_of_the_authors():
    capabilities = {"a": 0.6, "b": 0.3, "c": 0.9}
    arguments = {"learner": "a", "authors": ("b", "a", "c"), "exponent": 1.0, **RATIO_GUARDS}
    # Baseline (6): P_a / P_j = 0.6/0.3, 1, 0.6/0.9. Coefficient (10): P_j / P_a, the stronger more.
    assert baseline_omegas(capabilities, **arguments) == pytest.approx((2.0, 1.0, 2 / 3))
    assert author_coefficients(capabilities, **arguments) == pytest.approx((0.5, 1.0, 1.5))


def test_exponents_bend_and_switch_off_the_ratios():
    capabilities = {"a": 0.6, "b": 0.2}
    arguments = {"learner": "a", "authors": ("a", "b"), **RATIO_GUARDS}
    assert baseline_omegas(capabilities, exponent=0.0, **arguments) == (1.0, 1.0)
    assert author_coefficients(capabilities, exponent=0.0, **arguments) == (1.0, 1.0)
    assert baseline_omegas(capabilities, exponent=2.0, **arguments) == pytest.approx((1.0, 9.0))


def test_an_unknown_agent_is_named():
    with pytest.raises(ValueError, match="'z' is missing; known: a"):
        baseline_omegas({"a": 1.0}, learner="a", authors=("a", "z"), exponent=1.0, **RATIO_GUARDS)
