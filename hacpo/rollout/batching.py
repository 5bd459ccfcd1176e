"""Cuts rows of different lengths into micro-batches of a bounded number of tokens."""

from __future__ import annotations

from collections.abc import Sequence


def micro_batches(lengths: Sequence[tuple[int, int]], *, token_budget: int) -> list[list[int]]:
    """Return row indices grouped so that each padded micro-batch fits the budget.

    Args:
        lengths: prompt and completion length of each row, in tokens.
        token_budget: most tokens in one micro-batch, padding counted. A row that alone is longer
            gets a micro-batch of its own: rows are never cut.

    Rows are sorted by length, so that little is spent on padding.
    """
    if token_budget < 1:
        raise ValueError(f"token_budget is at least 1, got {token_budget}")
    order = sorted(range(len(lengths)), key=lambda row: (sum(lengths[row]), lengths[row], row))
    batches: list[list[int]] = []
    current: list[int] = []
    widest = (0, 0)
    for row in order:
        prompt, completion = lengths[row]
        wider = (max(widest[0], prompt), max(widest[1], completion))
        if current and sum(wider) * (len(current) + 1) > token_budget:
            batches.append(current)
            current, wider = [], (prompt, completion)
        current.append(row)
        widest = wider
    if current:
        batches.append(current)
    return batches
