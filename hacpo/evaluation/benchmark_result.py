"""What one model achieved on one benchmark, with everything that shaped it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from hacpo.evaluation.answer_file import GradedAnswer
from hacpo.evaluation.figures import figures, mean_length, metric_name, truncated_share
from hacpo.evaluation.metrics import Estimate, ProblemSamples
from hacpo.files import write_whole

RESULTS_FILE = "benchmarks.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchmarkResult:
    """The figures of one benchmark. Plain values, so that it is written and read as JSON."""

    benchmark: str
    metric: str
    """Name of the figure that stands in tables, such as `best@30`."""
    figures: Mapping[str, Estimate]
    num_problems: int
    num_samples: int
    """Per problem."""
    truncated_share: float
    mean_length: float
    """Tokens of the model that wrote the answers."""
    ways: Mapping[str, int]
    """Verdicts by the way they were reached."""
    settings: Mapping[str, Any]
    """All that shaped the answers: model, prompt, sampling, grading, data."""

    @property
    def headline(self) -> Estimate:
        """The figure that stands in tables."""
        return self.figures[self.metric]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> BenchmarkResult:
        """Return the result that `to_json` wrote."""
        estimates = {name: Estimate(**value) for name, value in record["figures"].items()}
        return cls(**{**record, "figures": estimates})


def benchmark_result(
    name: str,
    answers: Sequence[GradedAnswer],
    *,
    metric: str,
    settings: Mapping[str, Any],
    seed: int,
) -> BenchmarkResult:
    """Return the figures of a benchmark from its graded answers, problem after problem.

    Args:
        metric: one of `hacpo.evaluation.figures.METRICS`.
        settings: see `BenchmarkResult`.
        seed: of the bootstrap intervals.
    """
    samples = problem_samples(answers)
    count = len(samples[0].verdicts)
    ways: dict[str, int] = {}
    for answer in answers:
        ways[answer.way] = ways.get(answer.way, 0) + 1
    return BenchmarkResult(
        benchmark=name,
        metric=metric_name(metric, count),
        figures=figures(samples, seed=seed),
        num_problems=len(samples),
        num_samples=count,
        truncated_share=truncated_share(samples),
        mean_length=mean_length(samples),
        ways=ways,
        settings=settings,
    )


def problem_samples(answers: Sequence[GradedAnswer]) -> list[ProblemSamples]:
    """Return the answers by problem, in their order."""
    samples = []
    for _, group in groupby(answers, key=lambda answer: answer.problem_id):
        listed = list(group)
        samples.append(
            ProblemSamples(
                verdicts=tuple(float(answer.right) for answer in listed),
                answers=tuple(answer.extracted for answer in listed),
                truncated=tuple(answer.truncated for answer in listed),
                lengths=tuple(answer.num_tokens for answer in listed),
            )
        )
    return samples


def write_results(folder: Path, results: Sequence[BenchmarkResult]) -> None:
    """Leave the figures of an agent in its folder, whole."""
    records = [result.to_json() for result in results]
    write_whole(folder / RESULTS_FILE, json.dumps(records, indent=2) + "\n")


def read_results(folder: Path) -> list[BenchmarkResult]:
    """Return the figures that an agent left in its folder."""
    records = json.loads((folder / RESULTS_FILE).read_text(encoding="utf-8"))
    return [BenchmarkResult.from_json(record) for record in records]
