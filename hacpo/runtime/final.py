"""The end of a run: what each agent gained, what it cost, and where to look next."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hacpo.runtime.formats import as_count, as_duration, as_fraction
from hacpo.types import AgentSummary

_COLUMNS = ("before", "after", "best", "rollouts", "generated", "trained", "updates", "time")
_WIDTH = 7
"""Characters of the widest figure, a duration of hours."""
_WIDE = 100
_CAPTION = "Held-out accuracy before, after and best; tokens generated and trained on."


def print_final(
    summaries: Mapping[str, AgentSummary],
    console: Console,
    *,
    metrics: Mapping[str, Path] | None = None,
) -> None:
    """Print the final table, then the paths and commands of every agent, one a line.

    Args:
        summaries: what each agent handed in.
        console: where to print. Paths are never wrapped, so that they can be copied.
        metrics: each agent's metrics file, where it has one.
    """
    console.print(final_table(summaries, width=console.width))
    for name, summary in summaries.items():
        console.out(f"\n{name} ({summary.stop_reason})", highlight=False)
        for label, text in where_to_look(summary, (metrics or {}).get(name)):
            console.out(f"  {label:<11} {text}", highlight=False)


def final_table(summaries: Mapping[str, AgentSummary], *, width: int) -> Table:
    """Lay out the summaries; the table fits into 80 characters, with long names cut."""
    gap = 2 if width >= _WIDE else 1
    table = Table(
        box=None,
        padding=(0, gap, 0, 0),
        pad_edge=False,
        header_style="dim",
        caption=_CAPTION,
        caption_justify="left",
    )
    figures = sum(max(len(title), _WIDTH) + gap for title in _COLUMNS)
    name_width = max(width - figures, len("agent"))
    table.add_column("agent", max_width=name_width, no_wrap=True, overflow="ellipsis")
    for title in _COLUMNS:
        table.add_column(title, justify="right", no_wrap=True, min_width=max(len(title), _WIDTH))
    for name, summary in summaries.items():
        table.add_row(Text(name, style="bold"), *_figures(summary))
    return table


def where_to_look(summary: AgentSummary, metrics: Path | None = None) -> Iterator[tuple[str, str]]:
    """Yield a label and a path or command for everything that the agent left."""
    paths = {
        "checkpoint": summary.checkpoint,
        "model": summary.export,
        "samples": summary.samples,
        "metrics": metrics,
    }
    for label, path in paths.items():
        if path is not None:
            yield label, _short(path)
    if summary.wandb_dir is not None:
        folder = shlex.quote(_short(summary.wandb_dir))
        yield "curves", f"wandb leet {folder}"
        yield "to W&B", f"wandb sync {folder}"


def _figures(summary: AgentSummary) -> Iterator[Text]:
    gained = (summary.accuracy_after or 0.0) > (summary.accuracy_before or 0.0)
    yield Text(as_fraction(summary.accuracy_before))
    yield Text(as_fraction(summary.accuracy_after), style="green" if gained else "")
    yield Text(as_fraction(summary.accuracy_best))
    for count in (
        summary.rollouts,
        summary.generated_tokens,
        summary.trained_tokens,
        summary.updates,
    ):
        yield Text(as_count(count))
    yield Text(as_duration(sum(summary.seconds.values())))


def _short(path: str | Path) -> str:
    """Return the path from the working directory where it lies inside, else as it is."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
