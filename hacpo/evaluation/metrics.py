"""What graded samples amount to: accuracies of several kinds, each with a 95% interval.

Legend: n samples of one problem, c of them right, k of them looked at, m problems.

The functions on one problem take its verdicts, a number from 0 (wrong) to 1 (right) per sample.
`estimate` averages over problems, which are what a benchmark has drawn: its interval says how far
the figure would move with other problems of the same kind, and not with other samples.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

LEVEL = 0.95
RESAMPLES = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A mean over problems with its interval."""

    value: float
    low: float
    high: float
    num_problems: int

    def __str__(self) -> str:
        """Return it as `.684 [.611, .752]`."""
        return f"{_short(self.value)} [{_short(self.low)}, {_short(self.high)}]"


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemSamples:
    """The graded samples of one problem, in the order in which they were drawn."""

    verdicts: tuple[float, ...]  # [n], in [0, 1]
    answers: tuple[str | None, ...] = ()
    """[n] what the grader read from each; None where it read nothing. Only majorities need them."""
    truncated: tuple[bool, ...] = ()  # [n]
    lengths: tuple[int, ...] = ()  # [n], in tokens


def avg_at_k(verdicts: Sequence[float]) -> float:
    """Return the mean verdict: avg@k of k samples, an unbiased estimate of accuracy."""
    return statistics.fmean(_some(verdicts))


def any_of_n(verdicts: Sequence[float]) -> float:
    """Return the best verdict among all samples: 1 if any is right."""
    return max(_some(verdicts))


def pass_at_k(verdicts: Sequence[float], k: int) -> float:
    """Return the chance that k of the n samples, drawn without replacement, hold a right one.

    pass@k = 1 - C(n - c, k) / C(n, k), unbiased for k new samples (arXiv 2107.03374, equation 1).
    It is avg@n for k = 1 and any-of-n for k = n.

    Args:
        verdicts: [n], each 0 or 1.
        k: from 1 to n.
    """
    right = sum(_binary(verdicts))
    if not 1 <= k <= len(verdicts):
        raise ValueError(f"pass@{k} needs k from 1 to the number of samples, {len(verdicts)}")
    return 1.0 - math.comb(len(verdicts) - right, k) / math.comb(len(verdicts), k)


def best_at_n_resampled(verdicts: Sequence[float], n: int | None = None) -> float:
    """Return the expected best of n draws with replacement, for comparison with the paper.

    The framework of the paper's authors estimates it from random draws; this is its exact value:
    sum over the sorted verdicts v_1 <= ... <= v_m of v_i ((i / m)^n - ((i - 1) / m)^n), which is
    1 - (1 - c / m)^n for verdicts of 0 and 1. It lies below pass@n, and one right sample of four
    gives best@4 = .684 although a right one is there: report `any_of_n` or `pass_at_k` beside it.

    Args:
        verdicts: the samples that are drawn from.
        n: how many are drawn; None: as many as there are.
    """
    ordered = sorted(_some(verdicts))
    draws = len(ordered) if n is None else n
    if draws < 1:
        raise ValueError(f"best@{draws} draws nothing; n is at least 1")
    below = [(place / len(ordered)) ** draws for place in range(len(ordered) + 1)]
    weights = [high - low for low, high in pairwise(below)]
    return math.fsum(value * weight for value, weight in zip(ordered, weights, strict=True))


def maj_at_k(verdicts: Sequence[float], groups: Sequence[Hashable | None]) -> float:
    """Return the verdict on the answer that most samples give.

    Of several equally frequent answers each is chosen with the same chance, so the result does not
    depend on the order of the samples. Samples without an answer do not vote; if none has one, the
    majority is wrong. Within a group the verdicts are averaged, should they differ.

    Args:
        verdicts: [k].
        groups: [k] what says that two answers are the same; see `group_answers`.
    """
    by_group: dict[Hashable, list[float]] = {}
    for verdict, group in zip(_some(verdicts), groups, strict=True):
        if group is not None:
            by_group.setdefault(group, []).append(verdict)
    if not by_group:
        return 0.0
    most = max(len(votes) for votes in by_group.values())
    return statistics.fmean(
        statistics.fmean(votes) for votes in by_group.values() if len(votes) == most
    )


def group_answers(
    answers: Sequence[str | None], same: Callable[[str, str], bool] | None = None
) -> tuple[int | None, ...]:
    """Return for each answer the place of the first one that is the same; None stays None.

    Args:
        answers: as the grader read them.
        same: whether two answers mean the same; by default they do when they are equal up to
            spaces. It is asked about the first answer of each group so far.
    """
    equal = same or _equal_text
    firsts: list[int] = []
    groups: list[int | None] = []
    for place, answer in enumerate(answers):
        if answer is None:
            groups.append(None)
            continue
        found = next((first for first in firsts if equal(answers[first] or "", answer)), None)
        if found is None:
            firsts.append(place)
        groups.append(place if found is None else found)
    return tuple(groups)


def estimate(values: Sequence[float], *, seed: int = 0) -> Estimate:
    """Return the mean of one value per problem with its percentile bootstrap interval.

    Problems are drawn with replacement, `RESAMPLES` times. Where all values are equal, and with
    one problem, the interval is a point: it then says nothing.

    Args:
        values: [m] one per problem.
        seed: of the draws; the same seed gives the same interval.
    """
    dice, size = random.Random(f"bootstrap/{seed}"), len(_some(values))
    means = sorted(math.fsum(dice.choices(values, k=size)) / size for _ in range(RESAMPLES))
    tail = (1 - LEVEL) / 2
    return Estimate(
        value=math.fsum(values) / size,
        low=_quantile(means, tail),
        high=_quantile(means, 1 - tail),
        num_problems=size,
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile of sorted values, interpolated between the two nearest."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def _equal_text(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())


def _some(values: Sequence[float]) -> Sequence[float]:
    if not values:
        raise ValueError("there is nothing to average: no sample, or no problem")
    return values


def _binary(verdicts: Sequence[float]) -> list[int]:
    if any(verdict not in (0, 1) for verdict in _some(verdicts)):
        raise ValueError("pass@k counts right samples, so every verdict is 0 or 1")
    return [int(verdict) for verdict in verdicts]


def _short(value: float) -> str:
    """Return three decimals, without the zero before the point."""
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
