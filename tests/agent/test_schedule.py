"""Dealing rows to updates: each row once, in proportion, and reproducibly."""

from __future__ import annotations

from collections import Counter

import pytest

from hacpo.agent.rows import TrainingRow
from hacpo.agent.schedule import deal, num_updates


def _rows(**counts: int) -> list[TrainingRow]:
    return [
        TrainingRow(
            author=author,
            shared=author != "qwen",
            tokens=((1,), (2,)),
            advantage=float(number),
            old_logprobs=(),
            source_mean_logprob=-1.0,
        )
        for author, count in counts.items()
        for number in range(count)
    ]


def test_mixed_updates_hold_own_and_shared_in_proportion() -> None:
    rows = _rows(qwen=128, llama=128)
    updates = deal(rows, updates=4, order="mixed", seed=1)
    assert [len(update) for update in updates] == [64] * 4
    for update in updates:
        assert Counter(row.author for row in update) == {"qwen": 32, "llama": 32}
    assert {id(row) for update in updates for row in update} == {id(row) for row in rows}


@pytest.mark.parametrize("counts", [{"qwen": 16, "llama": 32}, {"qwen": 9, "a": 10, "b": 11}])
def test_unequal_counts_stay_within_one_row_of_their_share(counts: dict[str, int]) -> None:
    rows = _rows(**counts)
    for update in deal(rows, updates=3, order="mixed", seed=0):
        present = Counter(row.author for row in update)
        for author, count in counts.items():
            assert abs(present[author] - count * len(update) / len(rows)) <= 1.0


def test_the_seed_decides_the_mixture() -> None:
    rows = _rows(qwen=20, llama=20)
    first = deal(rows, updates=2, order="mixed", seed=1)
    assert first == deal(rows, updates=2, order="mixed", seed=1)
    assert first != deal(rows, updates=2, order="mixed", seed=2)


def test_own_first_keeps_the_order() -> None:
    rows = _rows(qwen=4, llama=4)
    updates = deal(rows, updates=4, order="own_first", seed=1)
    assert [row.author for update in updates for row in update] == ["qwen"] * 4 + ["llama"] * 4


def test_updates_of_a_step_as_in_the_paper() -> None:
    # 128 prompts x 8 completions, 512 sequences an update: GSPO 2; HACPO with two agents and
    # GSPO x2 twice as many rows and 4.
    assert num_updates(128 * 8, sequences=512) == 2
    assert num_updates(2 * 128 * 8, sequences=512) == 4
    assert num_updates(128 * 16, sequences=512) == 4
    assert num_updates(3, sequences=512) == 1


def test_fewer_rows_than_updates_leaves_some_updates_empty() -> None:
    updates = deal(_rows(qwen=2), updates=3, order="mixed", seed=0)
    assert sorted(len(update) for update in updates) == [0, 1, 1]
