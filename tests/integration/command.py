"""Runs `python run.py ...` as a user would, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Finished:
    """A run that ended."""

    code: int
    output: str
    folder: Path

    @property
    def summary(self) -> dict[str, Any]:
        """What `summary.json` says."""
        summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text())
        return summary

    def agent(self, name: str) -> Path:
        """Return the folder of one agent."""
        return self.folder / "agents" / name


def run_command(folder: Path, *overrides: str) -> list[str]:
    """Return the command line of a short run that leaves everything under `folder`."""
    return [
        sys.executable,
        "run.py",
        "budget=smoke",
        # Enough for some right answers, so that the two steps carry a signal.
        "budget.max_warm_start_steps=150",
        f"hydra.run.dir={folder}",
        f"output.cache={folder.parent / 'cache'}",
        "logger=csv",
        *overrides,
    ]


def environment() -> dict[str, str]:
    """Return this process's environment, without network and with few threads."""
    return {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "WANDB_MODE": "offline",
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "120",
    }


def run(folder: Path, *overrides: str, timeout_s: float = 240.0) -> Finished:
    """Run to the end; standard error is part of the output."""
    done = subprocess.run(
        run_command(folder, *overrides),
        cwd=PROJECT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    return Finished(code=done.returncode, output=done.stdout, folder=folder)
