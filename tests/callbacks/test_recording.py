"""The recorder and the documentation know the same keys."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import lightning as L
import pytest
from lightning.pytorch.loggers import CSVLogger, Logger

from hacpo.agent.steps import step_loader
from hacpo.callbacks.evaluation import HeldOutEvaluation
from hacpo.callbacks.recording import MetricsRecorder
from hacpo.callbacks.samples import SampleRecorder
from tests.tiny_agents import PROBLEMS, Scored, has_even_sum, tiny_agent
from tests.tiny_models import TinyModel

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"


def documented_keys(text: str) -> set[str]:
    """Return the keys of a metrics table, with `_mean`, `_min` and bare phases spelt out."""
    keys: set[str] = set()
    for line in text.splitlines():
        if not line.startswith("| `"):
            continue
        names = re.findall(r"`([^`]+)`", line.split("|")[1])
        first = names[0]
        for name in names:
            if name.startswith("_"):
                keys.add(first.rsplit("_", 1)[0] + name)
            elif "/" not in name:
                keys.add(f"{first.split('/')[0]}/{name}")
            else:
                keys.add(name)
    return keys


class DyingLogger(Logger):
    """A logger whose server is gone from step 1 on, as W&B's may be."""

    name, version = "dying", "0"

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    def log_hyperparams(self, *_: Any, **__: Any) -> None:
        """Nothing to keep."""

    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        """Fail after the first row."""
        self.calls.append(int(step or 0))
        if step:
            raise ConnectionError("Connection lost")


def _run(tiny: TinyModel, folder: Path, *more: Any) -> list[dict[str, Any]]:
    agent = tiny_agent(tiny)
    trainer = L.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=[CSVLogger(folder, name="", version="", flush_logs_every_n_steps=1), *more],
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        default_root_dir=folder,
        callbacks=[
            HeldOutEvaluation(
                PROBLEMS,
                score=Scored(has_even_sum).grade,
                every_steps=2,
                last_step=3,
                max_new_tokens=8,
                at_start=True,
                path=folder / "evaluation.jsonl",
                on_evaluation=lambda evaluation: None,
            ),
            SampleRecorder(folder / "samples.jsonl", every_steps=2, prompts=2),
            MetricsRecorder(),
        ],
    )
    trainer.fit(agent, train_dataloaders=step_loader(3))
    with (folder / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


def test_rows_stand_on_the_step_axis(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    rows = _run(tiny_qwen, tmp_path)
    assert [int(float(row["step"])) for row in rows] == [0, 1, 2, 3]
    evaluated = [row["step"] for row in rows if row["eval/accuracy"]]
    assert [int(float(step)) for step in evaluated] == [0, 2, 3]
    assert float(rows[-1]["spent/rollouts"]) == 36


def test_tokens_per_second_are_the_steps_own_tokens(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    rows = _run(tiny_qwen, tmp_path)
    spent = [float(row["spent/generated_tokens"] or 0) for row in rows]
    for before, after, row in zip(spent, spent[1:], rows[1:], strict=False):
        rate = (after - before) / float(row["time/step"])
        assert float(row["time/tokens_per_s"]) == pytest.approx(rate)


def test_every_key_is_documented(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    known = documented_keys(DOCS.read_text())
    written = {key for row in _run(tiny_qwen, tmp_path) for key in row} - {"step"}
    assert written <= known, f"not in docs/metrics.md: {sorted(written - known)}"


def test_phases_add_up_to_the_step(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    last = _run(tiny_qwen, tmp_path)[-1]
    phases = [
        float(value)
        for key, value in last.items()
        if key.startswith("time/") and key not in ("time/step", "time/tokens_per_s") and value
    ]
    assert sum(phases) <= float(last["time/step"]) * 1.05


@pytest.mark.parametrize("name", ["samples.jsonl", "evaluation.jsonl"])
def test_files_for_reading_are_left(tiny_qwen: TinyModel, tmp_path: Path, name: str) -> None:
    _run(tiny_qwen, tmp_path)
    lines = (tmp_path / name).read_text().splitlines()
    # Steps 1 and 2, two prompts each with 4 completions; 6 held-out problems.
    assert len(lines) == {"samples.jsonl": 16, "evaluation.jsonl": 6}[name]


def test_a_logger_that_dies_in_mid_run_is_done_without(
    tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    dying = DyingLogger()
    rows = _run(tiny_qwen, tmp_path, dying)
    assert len(rows) == 4
    assert dying.calls == [0, 1]
