"""Deals the rows of one step to its optimizer updates."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Literal

from hacpo.agent.rows import TrainingRow


def num_updates(num_rows: int, *, sequences: int) -> int:
    """Return how many updates a step with `num_rows` nominal rows makes, at least one.

    Nominal rows count those that were dropped later, so that the number of updates, and with it
    the stepwise clip, does not depend on what happened to be sampled.
    """
    return max(1, -(-num_rows // sequences))


def deal(
    rows: Sequence[TrainingRow],
    *,
    updates: int,
    order: Literal["mixed", "own_first"],
    seed: int,
) -> list[list[TrainingRow]]:
    """Return the rows of each update, of sizes that differ by at most one.

    mixed: rows are shuffled, then own rows and those of every other author are interleaved in
    proportion, so that each update holds the same mixture whatever the number of devices.
    own_first: own rows come first, in the order in which they were sampled, then the others'.
    """
    ordered = list(rows) if order == "own_first" else _interleaved(rows, seed)
    bounds = [len(ordered) * update // updates for update in range(updates + 1)]
    return [ordered[start:stop] for start, stop in itertools.pairwise(bounds)]


def _interleaved(rows: Sequence[TrainingRow], seed: int) -> list[TrainingRow]:
    generator = random.Random(seed)
    by_author: dict[str, list[TrainingRow]] = {}
    for row in rows:
        by_author.setdefault(row.author, []).append(row)
    placed: list[tuple[float, int, TrainingRow]] = []
    for number, author_rows in enumerate(by_author.values()):
        generator.shuffle(author_rows)
        placed += [
            ((place + 0.5) / len(author_rows), number, row) for place, row in enumerate(author_rows)
        ]
    placed.sort(key=lambda entry: entry[:2])
    return [row for _, _, row in placed]
