"""Every benchmark has a card, and it says what the configuration says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.composing import checked, options

OWN = {"embedded_sums", "jsonl"}
"""What the project or its user brings along needs no card."""
PAPER = [name for name in options("benchmark") if name not in OWN]
CARDS = Path(__file__).parents[2] / "benchmarks" / "reasoning"


def test_every_benchmark_has_a_card() -> None:
    assert sorted(path.stem for path in CARDS.glob("*.md")) == PAPER


@pytest.mark.parametrize("name", PAPER)
def test_card_says_what_is_configured(name: str) -> None:
    card = (CARDS / f"{name}.md").read_text()
    benchmark = checked("benchmarks=paper7").benchmarks[name]
    instruction = benchmark.prompt.removeprefix("{problem} ")
    said = [benchmark.hub_id, str(benchmark.expected_count), benchmark.fingerprint, instruction]
    assert [text for text in said if text not in card] == []
    assert f"{benchmark.metric}@{benchmark.samples}" in card
    assert (benchmark.revision or "none is pinned") in card
    for heading in ("| licence |", "## Known faults"):
        assert heading in card
