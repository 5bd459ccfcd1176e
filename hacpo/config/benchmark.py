"""One benchmark: where its problems come from, how they are asked, sampled and graded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hacpo.config.sealed import Sealed

PLACE = "{problem}"
"""As in `hacpo.evaluation.sources`: where the problem's text goes in a prompt."""


@dataclass
class BenchmarkConfig(Sealed):
    """One benchmark; `benchmarks.NAME`, whose name finds the known faults of its data."""

    hub_id: str | None = None
    """Data set on the hub; read unless `path` is set."""
    configs: list[str] = field(default_factory=list)
    """The hub's configurations, read one after the other; none: the data set's default."""
    split: str = "test"
    revision: str | None = None
    """Commit of the hub's data set; null: the newest, which is then said beside the figures."""
    path: str | None = None
    """A local `.jsonl` or `.parquet` file with the same data."""
    id_columns: list[str] = field(default_factory=lambda: ["id"])
    """The first column that a row has counts, here and below; a dot looks into a nested one."""
    question_columns: list[str] = field(default_factory=lambda: ["problem", "question"])
    answer_columns: list[str] = field(default_factory=lambda: ["answer"])
    solution_column: str | None = None
    """Worked solution whose last box is the gold, in rows that have no answer."""
    gold: str = "verbatim"
    """What of the answer's column is the gold: `verbatim` or `after_hashes` (after `####`)."""
    expected_count: int | None = None
    """Usable problems; another number ends the run. null: any number."""
    fingerprint: str | None = None
    """Of the problems as they should be; another one is said beside the figures."""
    prompt: str = PLACE
    """What an agent's own template wraps: the problem with an instruction."""
    samples: int = 1
    """Answers per problem."""
    temperature: float = 0.0
    """0 takes the most probable token."""
    top_p: float = 1.0
    """Share of the probability that is sampled from; below 1 in evaluations only."""
    max_new_tokens: int = 8192
    metric: str = "avg"
    """The figure in tables, of the n samples: avg, any, pass, maj, or best, the resampled best@n of
    the paper's framework. All the others are kept as well."""
    grading: dict[str, Any] = field(default_factory=dict)
    """Options of the grader: fields of `hacpo.evaluation.grading.GradingOptions`."""
    max_problems: int | None = None
    """Evaluate on that many problems, always the same ones; null: on all."""
