"""What the user sees at the end of a run."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from hacpo.runtime.final import print_final, where_to_look
from hacpo.runtime.formats import (
    as_count,
    as_duration,
    as_fraction,
    as_percent,
    as_progress,
)
from hacpo.types import AgentSummary


def printed(width: int, summary: AgentSummary, name: str = "qwen") -> list[str]:
    output = io.StringIO()
    console = Console(file=output, width=width)
    unknown = replace(summary, accuracy_before=None, accuracy_best=None, wandb_dir=None)
    print_final(
        {name: summary, "llama": unknown}, console, metrics={name: Path("outputs/metrics.csv")}
    )
    return output.getvalue().splitlines()


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("width", [80, 160])
def test_the_table_fits_and_is_complete(width: int, summary: AgentSummary) -> None:
    header, qwen, llama, *_ = printed(width, summary)
    assert header.split() == (
        words("agent before after best rollouts generated trained updates time")
    )
    assert qwen.split() == words("qwen .442 .886 .900 7.7k 81.2k 162k 240 1:30")
    assert llama.split() == words("llama - .886 - 7.7k 81.2k 162k 240 1:30")
    assert len(header) <= width


def test_a_long_name_is_cut_and_the_figures_stay(summary: AgentSummary) -> None:
    lines = printed(80, summary, name="smollm2_135m_instruct_with_more")
    assert max(map(len, lines[:3])) <= 80
    assert lines[1].startswith("smollm2")
    assert lines[1].split()[1:] == words(".442 .886 .900 7.7k 81.2k 162k 240 1:30")


def test_paths_and_commands_stand_on_one_line_each(summary: AgentSummary) -> None:
    lines = printed(40, summary)
    start = lines.index("qwen (steps)")
    assert [line.split(maxsplit=1) for line in lines[start + 1 : start + 5]] == [
        ["checkpoint", "outputs/run/a/last.ckpt"],
        ["model", "outputs/run/a/hf"],
        ["samples", "outputs/run/a/samples.jsonl"],
        ["metrics", "outputs/metrics.csv"],
    ]
    assert lines[start + 5].endswith("wandb leet outputs/run/a/wandb/offline-run-1")
    assert lines[start + 6].endswith("wandb sync outputs/run/a/wandb/offline-run-1")


def test_paths_are_short_inside_the_working_directory_only(
    summary: AgentSummary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    moved = replace(
        summary,
        checkpoint=str(tmp_path / "out" / "last.ckpt"),
        export="/elsewhere/hf",
        samples=None,
        wandb_dir=str(tmp_path / "my runs"),
    )
    assert dict(where_to_look(moved)) == {
        "checkpoint": os.path.join("out", "last.ckpt"),
        "model": "/elsewhere/hf",
        "curves": "wandb leet 'my runs'",
        "to W&B": "wandb sync 'my runs'",
    }


def test_figures() -> None:
    assert [as_fraction(x) for x in (None, 0.0, 0.8125, -0.25, 0.9999, 1.0, 12.5)] == [
        "-",
        ".000",
        ".812",
        "-.250",
        "1.000",
        "1.000",
        "12.500",
    ]
    assert [as_count(x) for x in (None, 0, 512, 999.6, 7680, 99_940, 99_960, 1.2e6, 3e9)] == [
        "-",
        "0",
        "512",
        "1.0k",
        "7.7k",
        "99.9k",
        "100k",
        "1.2M",
        "3.0G",
    ]
    assert [as_duration(x) for x in (None, 6.6, 750, 3723, float("inf"))] == [
        "-",
        "0:07",
        "12:30",
        "1:02:03",
        "-",
    ]
    assert [as_percent(x) for x in (None, 0.264)] == ["-", "26%"]
    assert [as_progress(*x) for x in ((0, 0), (3, 0), (0, 60), (12, 60))] == [
        "-",
        "3",
        "0/60",
        "12/60",
    ]
