"""A real run on a file of one's own, rewarded by the grader inside of Lightning."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hacpo.evaluation.grading import GradingPool
from tests.integration.command import run

pytestmark = pytest.mark.slow


def test_the_verdicts_of_a_run_are_those_of_the_grader(tmp_path: Path) -> None:
    rows = [{"question": f"{a}+{b}=", "answer": str(a + b)} for a in range(6) for b in range(6)]
    path = tmp_path / "sums.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    finished = run(
        tmp_path / "run",
        "task=jsonl",
        f"task.arguments.path={path}",
        "task.num_test=6",
        "budget.max_warm_start_steps=0",
        "+reward_part@reward.parts.short=function",
        "reward.parts.short._target_=tests.reward.my_rewards.shortness",
        "reward.parts.short.weight=0.25",
        "rollout.prompts_per_step=4",
        "algorithm.update.sequences=16",
        "logger.samples_every_steps=1",
    )
    assert finished.code == 0, finished.output
    agent = finished.agent("qwen")
    assert "jsonl: 36 of 36 problems" in (agent / "log.txt").read_text()
    samples = [json.loads(line) for line in (agent / "samples.jsonl").open()]
    assert len(samples) >= 16
    with GradingPool() as pool:
        verdicts = pool.grade_many([(sample["gold"], sample["completion"]) for sample in samples])
    for sample, verdict in zip(samples, verdicts, strict=True):
        short = max(0.0, 1 - len(sample["completion"]) / 10)
        assert sample["reward"] == pytest.approx(float(verdict.right) + 0.25 * short)
    with (agent / "metrics.csv").open() as file:
        last = list(csv.DictReader(file))[-1]
    assert float(last["reward/rejected_share"]) == 0
    assert float(last["reward/mean"]) == pytest.approx(
        float(last["reward/part/math"]) + 0.25 * float(last["reward/part/short"])
    )
