"""Benchmarks during training: when, what is left, and that learning does not notice."""

from __future__ import annotations

import csv
from pathlib import Path

import lightning as L
import pytest
import torch
from lightning.pytorch.loggers import CSVLogger

from hacpo.agent.module import Agent
from hacpo.agent.steps import step_loader
from hacpo.callbacks.benchmarks import BenchmarkEvaluation, TrainingBenchmark
from hacpo.callbacks.recording import MetricsRecorder
from hacpo.evaluation.answer_file import AnswerFile
from hacpo.evaluation.benchmark_result import read_results
from hacpo.evaluation.grading import GradingOptions, GradingPool
from hacpo.rollout.engine import SamplingSettings
from hacpo.types import Problem
from tests.callbacks.test_recording import DOCS, documented_keys
from tests.tiny_agents import tiny_agent
from tests.tiny_models import TinyModel

PROBLEMS = tuple(
    Problem(id=f"sums/{a}", prompt=f"{a}+4=", answer=str(a + 4)) for a in (2, 3, 5, 7, 8)
)
SETTINGS = {"data": "made here"}


def _callback(folder: Path, *, every_steps: int, seen: list[tuple[str, int, int]]) -> L.Callback:
    return BenchmarkEvaluation(
        [
            TrainingBenchmark(
                name="sums",
                problems=PROBLEMS,
                sampling=SamplingSettings(completions_per_prompt=2, max_new_tokens=6),
                metric="avg",
                settings=SETTINGS,
                open_grader=lambda: GradingPool(GradingOptions(fallbacks=("equals",))),
            )
        ],
        every_steps=every_steps,
        last_step=3,
        seed=5,
        chunk_problems=2,
        table_rows=3,
        folder=folder,
        on_progress=lambda *arguments: seen.append(arguments),
    )


def _fit(agent: Agent, folder: Path, *callbacks: L.Callback) -> list[dict[str, str]]:
    trainer = L.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=[CSVLogger(folder, name="", version="", flush_logs_every_n_steps=1)],
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        default_root_dir=folder,
        callbacks=[*callbacks, MetricsRecorder()],
    )
    trainer.fit(agent, train_dataloaders=step_loader(3))
    with (folder / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("every_steps", "steps"), [(2, [2, 3]), (0, [3]), (1, [1, 2, 3])])
def test_it_answers_when_due_and_after_the_last_step(
    tiny_qwen: TinyModel, tmp_path: Path, every_steps: int, steps: list[int]
) -> None:
    seen: list[tuple[str, int, int]] = []
    agent = tiny_agent(tiny_qwen)
    rows = _fit(agent, tmp_path, _callback(tmp_path, every_steps=every_steps, seen=seen))
    scored = [row for row in rows if row["benchmark/sums/score"]]
    assert [int(float(row["step"])) for row in scored] == steps
    assert seen[:3] == [("sums", 2, 5), ("sums", 4, 5), ("sums", 5, 5)]
    assert all(float(row["time/benchmark"]) > 0 for row in scored)
    for row in scored:
        low, value, high = (float(row[f"benchmark/sums/{key}"]) for key in ("low", "score", "high"))
        assert low <= value <= high
    (result,) = read_results(tmp_path)
    assert result.settings == {**SETTINGS, "step": 3}
    assert result.num_problems == 5
    assert result.num_samples == 2
    assert result.headline.value == pytest.approx(float(scored[-1]["benchmark/sums/score"]))


def test_every_answer_is_kept_with_its_verdict(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    _fit(tiny_agent(tiny_qwen), tmp_path, _callback(tmp_path, every_steps=0, seen=[]))
    path = tmp_path / "benchmarks" / "sums-step000003.jsonl"
    file = AnswerFile(path, settings={**SETTINGS, "step": 3})
    chunks = [file.chunk(number) for number in range(3)]
    answers = [answer for chunk in chunks if chunk for answer in chunk]
    assert [answer.problem_id for answer in answers] == [p.id for p in PROBLEMS for _ in range(2)]
    with GradingPool(GradingOptions(fallbacks=("equals",))) as pool:
        for answer in answers:
            assert answer.right == pool.grade(answer.gold, answer.completion).right


def test_learning_does_not_notice(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    start = {name: value.clone() for name, value in tiny_qwen.model.state_dict().items()}
    weights = []
    for number, callbacks in enumerate([[], [_callback(tmp_path, every_steps=1, seen=[])]]):
        tiny_qwen.model.load_state_dict(start)
        _fit(tiny_agent(tiny_qwen), tmp_path / str(number), *callbacks)
        weights.append({k: v.clone() for k, v in tiny_qwen.model.state_dict().items()})
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in start)


def test_its_keys_are_documented(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    rows = _fit(tiny_agent(tiny_qwen), tmp_path, _callback(tmp_path, every_steps=0, seen=[]))
    written = {key.replace("/sums/", "/NAME/") for key in rows[0] if key.startswith("benchmark/")}
    assert written <= documented_keys(DOCS.read_text())
    assert len(written) == 5
