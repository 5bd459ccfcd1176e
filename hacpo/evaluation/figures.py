"""The figures of one benchmark, by name, from the graded samples of its problems."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from hacpo.evaluation.metrics import (
    Estimate,
    ProblemSamples,
    any_of_n,
    avg_at_k,
    best_at_n_resampled,
    estimate,
    group_answers,
    maj_at_k,
    pass_at_k,
)

METRICS = ("avg", "any", "pass", "maj", "best")
"""`best` is the resampled best@n of the paper's framework; see `hacpo.evaluation.metrics`."""


def figures(
    samples: Sequence[ProblemSamples],
    *,
    seed: int = 0,
    same: Callable[[str, str], bool] | None = None,
) -> dict[str, Estimate]:
    """Return every figure that the samples allow, such as `avg@8`, `pass@1`, `maj@8`.

    Args:
        samples: one entry per problem, each with the same number n of samples.
        seed: of the bootstrap.
        same: whether two answers mean the same, for majorities; by default equal texts.

    Returns:
        `avg@n`; with more than one sample also `any@n`, `pass@k` for the powers of two k < n,
        `best@n`, and `maj@n` where answers are given.
    """
    count = sample_count(samples)
    values = {f"avg@{count}": [avg_at_k(each.verdicts) for each in samples]}
    if count > 1:
        values[f"any@{count}"] = [any_of_n(each.verdicts) for each in samples]
        for k in _powers_of_two(count):
            values[f"pass@{k}"] = [pass_at_k(each.verdicts, k) for each in samples]
        values[f"best@{count}"] = [best_at_n_resampled(each.verdicts) for each in samples]
        if all(len(each.answers) == count for each in samples):
            values[f"maj@{count}"] = [
                maj_at_k(each.verdicts, group_answers(each.answers, same)) for each in samples
            ]
    return {name: estimate(each, seed=seed) for name, each in values.items()}


def metric_name(metric: str, count: int) -> str:
    """Return the name of a benchmark's own figure: `best@30`; pass@n of n samples is any-of-n.

    Raises:
        ValueError: for a metric that is not in `METRICS`, or a majority of one sample.
    """
    if metric not in METRICS:
        raise ValueError(f"{metric!r} is no metric; there are {', '.join(METRICS)}")
    if count == 1:
        return "avg@1"  # all of them are the verdict on the one sample
    return f"any@{count}" if metric == "pass" else f"{metric}@{count}"


def truncated_share(samples: Sequence[ProblemSamples]) -> float:
    """Return the share of samples that ran into the token limit."""
    return statistics.fmean(flag for each in samples for flag in each.truncated)


def mean_length(samples: Sequence[ProblemSamples]) -> float:
    """Return the mean length of a sample, in tokens of the model that wrote it."""
    return statistics.fmean(length for each in samples for length in each.lengths)


def sample_count(samples: Sequence[ProblemSamples]) -> int:
    """Return how many samples every problem has.

    Raises:
        ValueError: there is no problem, or the problems differ in it.
    """
    counts = {len(each.verdicts) for each in samples}
    if len(counts) != 1 or 0 in counts:
        raise ValueError(
            f"every problem needs the same number of samples, at least one; found {sorted(counts)}"
        )
    return counts.pop()


def _powers_of_two(limit: int) -> list[int]:
    return [2**power for power in range(limit.bit_length()) if 2**power < limit]
