"""Micro-batches: every row once, the budget kept, long rows whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hacpo.rollout.batching import micro_batches

LENGTHS = st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), max_size=40)


@given(LENGTHS, st.integers(1, 400))
def test_every_row_once_and_within_the_budget(lengths: list[tuple[int, int]], budget: int) -> None:
    batches = micro_batches(lengths, token_budget=budget)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    for batch in batches:
        width = max(lengths[row][0] for row in batch) + max(lengths[row][1] for row in batch)
        assert len(batch) == 1 or width * len(batch) <= budget


def test_rows_of_like_length_share_a_micro_batch() -> None:
    # Two short rows (2 + 2 tokens) fit 10 tokens together, the long one (4 + 4) stands alone.
    assert micro_batches([(4, 4), (2, 2), (2, 2)], token_budget=10) == [[1, 2], [0]]


def test_a_budget_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        micro_batches([(1, 1)], token_budget=0)
