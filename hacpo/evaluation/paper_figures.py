"""The averages that the paper reports, to stand beside one's own."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parents[2] / "benchmarks" / "reasoning" / "paper_figures.csv"
METHODS = ("start", "grpo", "gspo", "gspo_x2", "naive", "hacpo")
"""The methods of the paper's main tables, in their order; ablations stand beside them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PaperFigure:
    """One average over the seven benchmarks (best@30 on AIME 2025, avg@1 elsewhere)."""

    pair: str
    """Both agents, the one that the figure is for included."""
    agent: str
    method: str
    """One of `METHODS`, or the name of an ablation."""
    average: float


def read_paper_figures(path: Path = FILE) -> tuple[PaperFigure, ...]:
    """Return all figures; none where the file is absent, as in an installed package."""
    if not path.is_file():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(
            PaperFigure(
                pair=row["pair"],
                agent=row["agent"],
                method=row["method"],
                average=float(row["average"]),
            )
            for row in csv.DictReader(file)
        )


def figures_of(model: str, figures: Sequence[PaperFigure] | None = None) -> tuple[PaperFigure, ...]:
    """Return the paper's figures of a model, none if it has no part in the paper.

    Args:
        model: a hub id such as `Qwen/Qwen3-4B-Base`, or a folder; its last part counts, whatever
            its case.
        figures: where to look; None reads the file.
    """
    name = model.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()
    known = read_paper_figures() if figures is None else figures
    return tuple(figure for figure in known if figure.agent.casefold() == name)
