"""W&B that does not answer: the run is kept offline instead, and nothing fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]

BUILD = """
import sys
from pathlib import Path
from hacpo.assembly.assignment import Assignment
from hacpo.assembly import loggers
from tests.config.composing import checked

loggers.INIT_TIMEOUT_S = 2
folder = Path(sys.argv[1])
assignment = Assignment(
    name="qwen", config=checked(*sys.argv[2:]), resolved={"seed": 0}, run_dir=folder,
    cache_dir=folder, total_steps=1,
)
built = loggers.build_loggers(assignment)
built[0].log_metrics({"step": 0.0, "reward/mean": 0.5}, step=0)
for logger in built:
    logger.log_metrics({"step": 1.0, "reward/mean": 0.5}, step=1)
print("FOLDER", loggers.wandb_folder(built))
loggers.close_loggers(built)
"""


def _build(folder: Path, *overrides: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder), *overrides],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "reward/mean" in (folder / "agents" / "qwen" / "metrics.csv").read_text()
    return done.stdout


@pytest.mark.slow
def test_a_server_that_does_not_answer_leaves_an_offline_run(tmp_path: Path) -> None:
    # Nothing listens on the discard port of this machine.
    output = _build(
        tmp_path,
        "logger.mode=online",
        WANDB_BASE_URL="http://127.0.0.1:9",
        WANDB_API_KEY="0" * 40,
    )
    assert "W&B does not answer, so this run is kept offline" in output
    assert "offline-run-" in output.split("FOLDER ")[1].splitlines()[0]


def test_a_run_without_wandb_writes_csv_alone(tmp_path: Path) -> None:
    assert "FOLDER None" in _build(tmp_path, "logger=csv")
