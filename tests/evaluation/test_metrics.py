"""Figures against closed forms, and against counting every case there is."""

from __future__ import annotations

import math
import random
from itertools import combinations, permutations, product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hacpo.evaluation.metrics import (
    any_of_n,
    avg_at_k,
    best_at_n_resampled,
    estimate,
    group_answers,
    maj_at_k,
    pass_at_k,
)

VERDICTS = [
    [float(flag) for flag in flags] for n in range(1, 6) for flags in product((0, 1), repeat=n)
]
"""Every way to get up to five samples right or wrong."""


@pytest.mark.parametrize("verdicts", VERDICTS, ids=str)
def test_binary_metrics_against_every_draw(verdicts: list[float]) -> None:
    assert avg_at_k(verdicts) == fmean(verdicts)
    assert any_of_n(verdicts) == float(1 in verdicts)
    for k in range(1, len(verdicts) + 1):
        without = [max(chosen) for chosen in combinations(verdicts, k)]
        assert pass_at_k(verdicts, k) == pytest.approx(fmean(without))
        repeated = [max(chosen) for chosen in product(verdicts, repeat=k)]
        assert best_at_n_resampled(verdicts, k) == pytest.approx(fmean(repeated))


def test_one_right_of_four() -> None:
    verdicts = [0.0, 1.0, 0.0, 0.0]
    assert best_at_n_resampled(verdicts) == pytest.approx(1 - 0.75**4)
    assert round(best_at_n_resampled(verdicts), 3) == 0.684
    assert pass_at_k(verdicts, 4) == any_of_n(verdicts) == 1.0
    assert pass_at_k(verdicts, 2) == pytest.approx(0.5)
    assert avg_at_k(verdicts) == pass_at_k(verdicts, 1) == 0.25


def test_pass_at_k_of_many_samples_is_exact() -> None:
    verdicts = [1.0] * 3 + [0.0] * 997
    closed = 1 - math.prod((997 - i) / (1000 - i) for i in range(500))
    assert pass_at_k(verdicts, 500) == pytest.approx(closed, abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=4), st.integers(1, 4))
def test_best_of_partial_credit_against_every_draw(verdicts: list[float], n: int) -> None:
    everything = [max(chosen) for chosen in product(verdicts, repeat=n)]
    assert best_at_n_resampled(verdicts, n) == pytest.approx(fmean(everything))


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=30))
def test_metrics_keep_their_order(verdicts: list[float]) -> None:
    n = len(verdicts)
    passes = [pass_at_k(verdicts, k) for k in range(1, n + 1)]
    assert passes == sorted(passes)
    assert passes[0] == pytest.approx(avg_at_k(verdicts))
    assert passes[-1] == any_of_n(verdicts)
    assert best_at_n_resampled(verdicts) <= passes[-1] + 1e-12
    assert best_at_n_resampled(verdicts) >= avg_at_k(verdicts) - 1e-12


def test_mean_does_not_depend_on_how_many_samples_there_are() -> None:
    """Half right stays half right; a wrong divisor would shrink it."""
    assert [avg_at_k([1.0, 0.0] * k) for k in (1, 8, 32)] == [0.5, 0.5, 0.5]


def test_majority_in_plain_cases() -> None:
    assert maj_at_k([1, 1, 0], ["4", "4", "5"]) == 1.0
    assert maj_at_k([1, 0, 0], ["4", "5", "5"]) == 0.0
    assert maj_at_k([1, 0], ["4", "5"]) == 0.5
    assert maj_at_k([1, 0, 0], ["4", "5", "6"]) == pytest.approx(1 / 3)
    assert maj_at_k([1, 0, 0], ["4", None, None]) == 1.0, "who says nothing does not vote"
    assert maj_at_k([0, 0], [None, None]) == 0.0


def brute_majority(verdicts: tuple[float, ...], groups: tuple[str, ...]) -> float:
    """Return the mean over all orders of: count, and the first of the most frequent wins."""
    results = []
    for order in permutations(range(len(groups))):
        seen = [groups[place] for place in order]
        winner = max(seen, key=lambda group: (seen.count(group), -seen.index(group)))
        results.append(verdicts[groups.index(winner)])
    return fmean(results)


@pytest.mark.parametrize("groups", list(product("abc", repeat=4)), ids="".join)
def test_majority_against_every_order(groups: tuple[str, ...]) -> None:
    """One group's chance to come first among equals is the same as another's."""
    verdicts = tuple(float(group == "a") for group in groups)
    assert maj_at_k(verdicts, groups) == pytest.approx(brute_majority(verdicts, groups))


def test_answers_are_grouped_by_text_or_by_meaning() -> None:
    answers = ["1/2", None, "0.5", "1 / 2", "2"]
    assert group_answers(answers) == (0, None, 2, 0, 4)
    halves = {"1/2", "0.5", "1 / 2"}
    same = group_answers(answers, lambda one, other: {one, other} <= halves)
    assert same == (0, None, 0, 0, 4)
    assert maj_at_k([0, 0, 0, 0, 1], same) == 0.0


def test_interval_of_a_share_is_near_the_binomial_one() -> None:
    values = [1.0] * 300 + [0.0] * 200
    result = estimate(values, seed=3)
    spread = 1.96 * math.sqrt(0.6 * 0.4 / 500)
    assert result.value == pytest.approx(0.6)
    assert result.low == pytest.approx(0.6 - spread, abs=0.006)
    assert result.high == pytest.approx(0.6 + spread, abs=0.006)
    assert result.num_problems == 500


def test_interval_covers_the_truth_as_often_as_it_says() -> None:
    dice = random.Random(0)
    covered = 0
    for seed in range(200):
        result = estimate([float(dice.random() < 0.4) for _ in range(80)], seed=seed)
        covered += result.low <= 0.4 <= result.high
    assert 0.90 <= covered / 200 <= 0.99


def test_interval_is_seeded_and_a_point_where_all_are_equal() -> None:
    values = [0.0, 1.0, 0.5] * 20
    assert estimate(values, seed=1) == estimate(values, seed=1)
    assert estimate(values, seed=1) != estimate(values, seed=2)
    same = estimate([1.0] * 30)
    assert (same.low, same.value, same.high) == (1.0, 1.0, 1.0)
    assert str(same) == "1.000 [1.000, 1.000]"
    assert str(estimate([0.0, 0.0])) == ".000 [.000, .000]"


def test_what_cannot_be_measured_is_refused() -> None:
    for measure in (avg_at_k, any_of_n, best_at_n_resampled, estimate):
        with pytest.raises(ValueError, match="there is nothing to average"):
            measure([])
    with pytest.raises(ValueError, match=r"pass@3 needs k from 1 to the number of samples, 2"):
        pass_at_k([0, 1], 3)
    with pytest.raises(ValueError, match="every verdict is 0 or 1"):
        pass_at_k([0.5, 1], 1)
    with pytest.raises(ValueError, match="best@0 draws nothing"):
        best_at_n_resampled([1.0], 0)
