"""A killed agent and Ctrl-C: the command ends soon, says why, and leaves no process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.command import PROJECT, environment, run_command

pytestmark = pytest.mark.slow


@pytest.fixture
def started(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that is in the middle of its steps, with W&B, in a process group of its own."""
    command = run_command(
        tmp_path / "run",
        "budget.steps=100000",
        "logger=wandb",
        "agents.qwen.warm_start.steps=0",
        "agents.llama.warm_start.steps=0",
    )
    process = subprocess.Popen(
        command,
        cwd=PROJECT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    metrics = [tmp_path / "run" / "agents" / name / "metrics.csv" for name in ("qwen", "llama")]
    _until(lambda: all(_lines(path) > 3 for path in metrics), limit_s=120)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def _until(condition: Callable[[], bool], *, limit_s: float) -> float:
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < limit_s, "waited too long"
        time.sleep(0.1)
    return time.monotonic() - start


def _descendants(pid: int) -> set[int]:
    children: dict[int, set[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, set()).add(int(entry.name))
    found: set[int] = set()
    stack = [pid]
    while stack:
        for child in children.get(stack.pop(), set()) - found:
            found.add(child)
            stack.append(child)
    return found


def _agent_pid(run_folder: Path, name: str) -> int:
    first = (run_folder / "agents" / name / "log.txt").read_text().splitlines()[0]
    return int(first.split("pid ")[1].split(",")[0])


def _gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def test_a_killed_agent_ends_the_run(started: subprocess.Popen[str], tmp_path: Path) -> None:
    family = _descendants(started.pid)
    os.kill(_agent_pid(tmp_path / "run", "llama"), signal.SIGKILL)
    since = time.monotonic()
    output, _ = started.communicate(timeout=30)
    assert time.monotonic() - since < 10
    assert started.returncode not in (0, None)
    assert "llama" in output
    assert "SIGKILL" in output
    assert "Traceback" not in output
    _until(lambda: all(_gone(pid) for pid in family), limit_s=5)


def test_ctrl_c_ends_the_run(started: subprocess.Popen[str], tmp_path: Path) -> None:
    family = _descendants(started.pid)
    os.killpg(started.pid, signal.SIGINT)
    since = time.monotonic()
    output, _ = started.communicate(timeout=30)
    assert time.monotonic() - since < 10
    assert started.returncode == 130
    assert "interrupted by SIGINT" in output
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["status"], summary["stop_reason"]) == ("interrupted", "interrupted by SIGINT")
    assert "Traceback" not in output
    _until(lambda: all(_gone(pid) for pid in family), limit_s=5)
