"""One agent's status as a row of a table, or as one line of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hacpo.runtime.formats import (
    UNKNOWN,
    as_count,
    as_duration,
    as_fraction,
    as_percent,
    as_progress,
)
from hacpo.types import AgentStatus, Phase


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column of the live table."""

    title: str
    show: Callable[[AgentStatus], str]
    width: int
    """Characters that its longest usual value takes."""
    rank: int
    """Columns of the highest rank are left out first where the terminal is narrow."""
    justify: Literal["left", "right"] = "right"


COLUMNS = (
    Column(title="phase", show=lambda s: s.phase, width=10, rank=0, justify="left"),
    Column(title="step", show=lambda s: as_progress(s.step, s.total_steps), width=7, rank=0),
    Column(title="reward", show=lambda s: as_fraction(s.reward), width=6, rank=1),
    Column(title="held-out", show=lambda s: as_fraction(s.accuracy), width=8, rank=0),
    Column(title="tok/s", show=lambda s: as_count(s.tokens_per_s), width=5, rank=4),
    Column(title="no signal", show=lambda s: as_percent(s.no_signal), width=9, rank=3),
    Column(title="budget", show=lambda s: as_percent(s.budget_left), width=6, rank=5),
    Column(title="left", show=lambda s: as_duration(s.seconds_left), width=7, rank=2),
)
"""After the agent's name: no signal is a share of groups, budget and left are what remains."""

_GAPS = (2, 1)
"""Blanks between two columns: as many as leave room for all of them."""
_SHORTEST_NAME = len("agent")


def fit_columns(width: int, name_width: int) -> tuple[tuple[Column, ...], int]:
    """Return the columns that fit beside the agents' names, and the blanks between them."""
    columns = list(COLUMNS)
    while True:
        for gap in _GAPS:
            if name_width + sum(column.width + gap for column in columns) <= width:
                return tuple(columns), gap
        if not columns:
            return (), _GAPS[-1]
        columns.remove(max(columns, key=lambda column: column.rank))


def status_table(
    title: str, statuses: Mapping[str, AgentStatus], *, width: int, seconds: float
) -> RenderableType:
    """Lay out the statuses in a table that is at most `width` characters wide."""
    longest = max((len(name) for name in statuses), default=0)
    name_width = max(min(longest, width // 4), _SHORTEST_NAME)
    columns, gap = fit_columns(width, name_width)
    table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("agent", max_width=name_width, no_wrap=True, overflow="ellipsis")
    for column in columns:
        table.add_column(column.title, justify=column.justify, no_wrap=True, min_width=column.width)
    for name, status in statuses.items():
        style = "green" if status.phase is Phase.DONE else ""
        table.add_row(Text(name, style="bold"), *(c.show(status) for c in columns), style=style)
    head = Text.assemble((title, "bold"), (f"  {as_duration(seconds)}", "dim"))
    notes = [
        Text(f"{name}: {status.message}", style="dim", no_wrap=True, overflow="ellipsis")
        for name, status in statuses.items()
        if status.message
    ]
    head.no_wrap, head.overflow = True, "ellipsis"
    return Group(head, table, *notes)


def status_line(name: str, status: AgentStatus) -> str:
    """Return one agent's status on one line; what is not known is left out."""
    figures = [f"{column.title} {column.show(status)}" for column in COLUMNS[1:]]
    known = [figure for figure in figures if not figure.endswith(f" {UNKNOWN}")]
    message = [status.message] if status.message else []
    return "  ".join([name, status.phase, *known, *message])
