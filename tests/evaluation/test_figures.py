"""The figures of a benchmark, by name."""

from __future__ import annotations

import pytest

from hacpo.config.benchmark import BenchmarkConfig
from hacpo.config.ranges import CHOICES
from hacpo.evaluation.figures import (
    METRICS,
    figures,
    mean_length,
    metric_name,
    sample_count,
    truncated_share,
)
from hacpo.evaluation.metrics import ProblemSamples

SAMPLES = [
    ProblemSamples(
        verdicts=(1.0, 0.0, 0.0, 0.0),
        answers=("4", "5", "5", None),
        truncated=(False, False, False, True),
        lengths=(10, 20, 30, 100),
    ),
    ProblemSamples(
        verdicts=(1.0, 1.0, 1.0, 0.0),
        answers=("7", "7", "7", "8"),
        truncated=(False, False, False, False),
        lengths=(1, 1, 1, 1),
    ),
]


def test_every_figure_is_the_mean_over_problems() -> None:
    found = {name: round(figure.value, 6) for name, figure in figures(SAMPLES).items()}
    assert found == {
        "avg@4": 0.5,  # (1/4 + 3/4) / 2
        "any@4": 1.0,
        "pass@1": 0.5,
        "pass@2": 0.75,  # (1/2 + 1) / 2
        "best@4": round((1 - 0.75**4 + 1 - 0.25**4) / 2, 6),
        "maj@4": 0.5,  # 5 wins the first, 7 the second
    }


def test_one_sample_has_one_figure() -> None:
    assert list(figures([ProblemSamples(verdicts=(1.0,), answers=("4",))])) == ["avg@1"]


def test_no_majority_without_answers() -> None:
    assert "maj@2" not in figures([ProblemSamples(verdicts=(1.0, 0.0))])


def test_lengths_and_truncation_count_samples() -> None:
    assert truncated_share(SAMPLES) == 1 / 8
    assert mean_length(SAMPLES) == pytest.approx(164 / 8)


def test_uneven_samples_are_refused() -> None:
    assert sample_count(SAMPLES) == 4
    for uneven in (
        [],
        [SAMPLES[0], ProblemSamples(verdicts=(1.0,))],
        [ProblemSamples(verdicts=())],
    ):
        with pytest.raises(ValueError, match="the same number of samples"):
            sample_count(uneven)


def test_name_of_a_benchmarks_own_figure_is_among_its_figures() -> None:
    names = figures(SAMPLES)
    assert all(metric_name(metric, 4) in names for metric in METRICS)
    assert metric_name("best", 30) == "best@30"
    assert metric_name("pass", 4) == "any@4"
    assert {metric_name(metric, 1) for metric in METRICS} == {"avg@1"}
    with pytest.raises(ValueError, match="'bets' is no metric; there are avg"):
        metric_name("bets", 4)


def test_metrics_are_those_that_can_be_chosen() -> None:
    assert CHOICES[BenchmarkConfig]["metric"] == METRICS
