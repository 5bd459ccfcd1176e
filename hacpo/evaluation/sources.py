"""The benchmarks' problems: read, corrected where a fault is known, and checked before use."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hacpo.evaluation.columns import GoldRule, as_text, first_value, gold_of
from hacpo.evaluation.corrections import KnownFaults, correct, exclusion_reason
from hacpo.evaluation.known_faults import EVERYWHERE, KNOWN_FAULTS
from hacpo.evaluation.readers import Row, read_file, read_hub
from hacpo.types import Problem

PLACE = "{problem}"
"""Where the problem's text goes in a prompt."""
SHOWN_IDS = 8
"""Ids that a line of the report names before it only counts."""

Accepts = Callable[[str, str], bool]
"""Whether a grader takes the second text as right when the first is the gold answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchmarkSource:
    """Where a benchmark's problems come from, and what is known of them."""

    name: str
    """Begins every id, and finds the known faults."""
    hub_id: str | None = None
    configs: tuple[str, ...] = ()
    """The hub's configurations, read one after the other; none: the default one."""
    split: str = "test"
    revision: str | None = None
    path: Path | None = None
    """A `.jsonl` or `.parquet` file, which is read in place of the hub."""
    id_columns: tuple[str, ...] = ("id",)
    """The first that a row has counts, here and below; without an id the row's number stands."""
    question_columns: tuple[str, ...] = ("problem", "question")
    answer_columns: tuple[str, ...] = ("answer",)
    solution_column: str | None = None
    """Holds the worked solution whose last box is the gold, in rows without an answer."""
    gold_rule: GoldRule = GoldRule.VERBATIM
    expected_count: int | None = None
    """Problems without those that are known to be unusable; None: any number."""
    fingerprint: str | None = None
    """Of the problems as they should be; None: not compared."""
    key: str = ""
    """Where the user sets this source, for messages; by default `benchmarks.NAME`."""

    @property
    def settings(self) -> str:
        """The configuration key of this source."""
        return self.key or f"benchmarks.{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Dropped:
    """A problem that is left out."""

    id: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrected:
    """A problem of which a known fault was mended."""

    id: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedBenchmark:
    """The problems of a benchmark, and all that was done to them."""

    name: str
    problems: tuple[Problem, ...]
    """Their prompts are the bare texts; `with_prompt` adds the instruction."""
    num_read: int
    """Rows of the file or the hub's split."""
    dropped: tuple[Dropped, ...]
    corrected: tuple[Corrected, ...]
    fingerprint: str
    """Sixteen hex digits over texts and golds, whatever their order and their spaces."""
    notes: tuple[str, ...]

    def report(self) -> str:
        """Return what a user should know: counts, what was dropped or mended and why, notes."""
        lines = [
            f"{self.name}: {len(self.problems)} of {self.num_read} problems, "
            f"fingerprint {self.fingerprint}"
        ]
        lines += _grouped("left out", self.dropped)
        lines += _grouped("corrected", self.corrected)
        return "\n  ".join([*lines, *self.notes])


def load_benchmark(source: BenchmarkSource, accepts: Accepts | None = None) -> LoadedBenchmark:
    """Return the problems of a benchmark.

    Args:
        source: where they come from.
        accepts: the grader that will judge the answers; a gold that it does not accept as an answer
            to itself could never be answered rightly, so its problem is dropped. None: not checked.

    Raises:
        ValueError: with a sentence for the user, when the source cannot be read, lacks a column or
            holds another number of problems than expected.
    """
    rows = _rows(source)
    faults = KNOWN_FAULTS.get(source.name, KnownFaults())
    usable, dropped = _without_unusable(_problems(rows, source), faults)
    _check_count(len(usable), source)
    pairs = [correct(problem, (*EVERYWHERE, *faults.corrections)) for problem in usable]
    problems, more = _without_faulty([problem for problem, _ in pairs], accepts)
    fingerprint = fingerprint_of(problems)
    return LoadedBenchmark(
        name=source.name,
        problems=problems,
        num_read=len(rows),
        dropped=(*dropped, *more),
        corrected=tuple(
            Corrected(id=problem.id, reason=reason)
            for problem, reasons in pairs
            for reason in reasons
        ),
        fingerprint=fingerprint,
        notes=tuple(_notes(source, fingerprint, self_checked=accepts is not None)),
    )


def with_prompt(problems: Sequence[Problem], template: str) -> tuple[Problem, ...]:
    """Return the problems with their texts put into a template, at `{problem}`."""
    if PLACE not in template:
        raise ValueError(f"the prompt {template!r} has no {PLACE}, the place of the problem's text")
    return tuple(
        replace(problem, prompt=template.replace(PLACE, problem.prompt)) for problem in problems
    )


def subset(problems: Sequence[Problem], size: int | None) -> tuple[Problem, ...]:
    """Return at most `size` problems in their order, always the same ones; None: all.

    They are drawn, because files are often sorted by subject or difficulty.
    """
    if size is None or size >= len(problems):
        return tuple(problems)
    places = random.Random("subset").sample(range(len(problems)), size)
    return tuple(problems[place] for place in sorted(places))


def fingerprint_of(problems: Iterable[Problem]) -> str:
    """Return sixteen hex digits that change when a text or a gold answer does."""
    lines = sorted(
        f"{' '.join(problem.prompt.split())}\x1f{problem.answer}" for problem in problems
    )
    return hashlib.sha256("\x1e".join(lines).encode()).hexdigest()[:16]


def _rows(source: BenchmarkSource) -> list[Row]:
    if source.path is not None:
        return read_file(source.path)
    if source.hub_id is None:
        raise ValueError(
            f"the data set {source.name} has neither a path nor a hub_id; "
            f"{source.settings}.path=FILE names a .jsonl or .parquet file"
        )
    try:
        return read_hub(
            source.hub_id, configs=source.configs, split=source.split, revision=source.revision
        )
    except ValueError as error:
        raise ValueError(
            f"{error}. A local file does as well: {source.settings}.path=FILE"
        ) from error


def _problems(rows: Sequence[Row], source: BenchmarkSource) -> list[Problem]:
    problems = [_problem(row, place, source) for place, row in enumerate(rows)]
    repeated = [key for key, count in Counter(found.id for found in problems).items() if count > 1]
    if repeated:
        raise ValueError(
            f"the data set {source.name} holds the id {repeated[0]} more than once; "
            f"'{source.settings}.id_columns=[]' numbers the rows instead"
        )
    return problems


def _problem(row: Row, place: int, source: BenchmarkSource) -> Problem:
    text = first_value(row, source.question_columns)
    gold = gold_of(
        row,
        answer_columns=source.answer_columns,
        solution_column=source.solution_column,
        rule=source.gold_rule,
    )
    if text is None or gold is None:
        missing = "question_columns" if text is None else "answer_columns"
        raise ValueError(
            f"row {place + 1} of the data set {source.name} has none of its {missing} "
            f"{', '.join(getattr(source, missing)) or '(none)'}; its columns are "
            f"{', '.join(map(str, row))}: set {source.settings}.{missing}"
        )
    return Problem(id=_id(row, place, source), prompt=as_text(text), answer=gold)


def _id(row: Row, place: int, source: BenchmarkSource) -> str:
    own = first_value(row, source.id_columns)
    key = f"{source.split}/{place}" if own is None else as_text(own)
    return key if key.startswith(f"{source.name}/") else f"{source.name}/{key}"


def _without_unusable(
    problems: Sequence[Problem], faults: KnownFaults
) -> tuple[list[Problem], list[Dropped]]:
    kept, dropped = [], []
    for problem in problems:
        reason = exclusion_reason(problem, faults.exclusions)
        if reason is None:
            kept.append(problem)
        else:
            dropped.append(Dropped(id=problem.id, reason=reason))
    return kept, dropped


def _check_count(count: int, source: BenchmarkSource) -> None:
    if source.expected_count is not None and count != source.expected_count:
        raise ValueError(
            f"the data set {source.name} has {source.expected_count} usable problems, and this "
            f"source has {count}; {source.settings}.expected_count=null takes it as it is"
        )


def _without_faulty(
    problems: Sequence[Problem], accepts: Accepts | None
) -> tuple[tuple[Problem, ...], list[Dropped]]:
    first: dict[str, Problem] = {}
    kept, dropped = [], []
    for problem in problems:
        twin = first.setdefault("".join(problem.prompt.split()), problem)
        reason = _fault(problem, twin, accepts)
        if reason is None:
            kept.append(problem)
        else:
            dropped.append(Dropped(id=problem.id, reason=reason))
    return tuple(kept), dropped


def _fault(problem: Problem, twin: Problem, accepts: Accepts | None) -> str | None:
    """Return why a problem cannot be used; `twin` is the first with the same text."""
    if not problem.prompt.strip():
        return "the problem has no text"
    if not problem.answer.strip():
        return "the gold answer is empty"
    if twin is not problem:
        gold = "" if twin.answer == problem.answer else f", whose gold is {twin.answer}"
        return f"the text is that of {twin.id}{gold}"
    if accepts is not None and not accepts(problem.answer, problem.answer):
        return f"the grader does not accept the gold {problem.answer} as an answer to itself"
    return None


def _notes(source: BenchmarkSource, fingerprint: str, *, self_checked: bool) -> list[str]:
    notes = []
    if source.fingerprint is not None and source.fingerprint != fingerprint:
        notes.append(
            f"note: the content differs from the one this benchmark is known by, whose "
            f"fingerprint is {source.fingerprint}"
        )
    if source.path is None and source.revision is None:
        notes.append("note: no revision is pinned, so the hub's newest was read")
    if not self_checked:
        notes.append("note: whether each gold accepts itself was not checked")
    return notes


def _grouped(what: str, entries: Sequence[Dropped] | Sequence[Corrected]) -> list[str]:
    """Return one line a reason, with its count and the first ids."""
    by_reason: dict[str, list[str]] = {}
    for entry in entries:
        by_reason.setdefault(entry.reason, []).append(entry.id)
    return [
        f"{what} ({len(ids)}): {reason}: {', '.join(ids[:SHOWN_IDS])}"
        + (" ..." if len(ids) > SHOWN_IDS else "")
        for reason, ids in by_reason.items()
    ]
