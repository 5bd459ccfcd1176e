"""Real processes: what a run returns, and how it ends when something dies."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hacpo.runtime.errors import AgentRunError, RunInterrupted, exit_cause
from hacpo.runtime.local import run_agents
from hacpo.types import AgentStatus, AgentSummary, Phase

Leftovers = Callable[[], list[str]]
PARENT = Path(__file__).with_name("parent.py")


class Killer:
    """Sends a signal to one agent when all have reported; notes when."""

    def __init__(self, victim: str, signum: int) -> None:
        self.victim, self.signum = victim, signum
        self.killed_at: float | None = None

    def __call__(self, statuses: Mapping[str, AgentStatus]) -> None:
        if self.killed_at is None and len(statuses) == 2:
            time.sleep(0.3)  # the other one is in its swap by now
            os.kill(int(statuses[self.victim].message), self.signum)
            self.killed_at = time.monotonic()

    def seconds_since(self) -> float:
        assert self.killed_at is not None
        return time.monotonic() - self.killed_at


def run(
    target: str,
    arguments: Mapping[str, Any],
    run_dir: Path,
    on_tick: Callable[[Mapping[str, AgentStatus]], None] = lambda statuses: None,
    swap_timeout_s: float = 60,
) -> Mapping[str, AgentSummary]:
    return run_agents(
        f"targets:{target}",
        arguments,
        run_dir=run_dir,
        threads=3,
        swap_timeout_s=swap_timeout_s,
        start_timeout_s=60,
        on_tick=on_tick,
    )


def log_of(run_dir: Path, agent: str) -> str:
    return (run_dir / "agents" / agent / "log.txt").read_text()


def test_agents_meet_and_hand_in_summaries(tmp_path: Path, leftovers: Leftovers) -> None:
    seen: list[Mapping[str, AgentStatus]] = []
    # b ends early: a learns its last steps alone.
    summaries = run("learn", {"a": 12, "b": 5}, tmp_path, seen.append)
    assert {name: summary.steps for name, summary in summaries.items()} == {"a": 12, "b": 5}
    assert seen[-1]["a"] == AgentStatus(phase=Phase.DONE, step=12, total_steps=12, seconds_left=0.0)
    assert leftovers() == []


def test_all_output_goes_to_the_agents_log(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run("talk", {"a": None}, tmp_path)
    log = log_of(tmp_path, "a")
    for word in ("printed", "warned", "written", "echoed", "threads at import 3, now false"):
        assert word in log
    assert capfd.readouterr() == ("", "")


def test_sigkill_in_mid_swap_ends_the_run(tmp_path: Path, leftovers: Leftovers) -> None:
    killer = Killer("b", signal.SIGKILL)
    with pytest.raises(AgentRunError) as caught:
        run("learn_or_stall", {"a": "swap", "b": "stall"}, tmp_path, killer)
    seconds = killer.seconds_since()
    print(f"ended {seconds:.2f} s after SIGKILL")
    assert seconds < 10
    assert str(caught.value) == (
        f"Agent b failed: killed by SIGKILL (out of memory?)\nIts log: {tmp_path}/agents/b/log.txt"
    )
    assert leftovers() == []
    assert "Traceback" not in log_of(tmp_path, "a")


def test_what_a_killed_agent_had_started_is_ended_too(tmp_path: Path, leftovers: Leftovers) -> None:
    killer = Killer("b", signal.SIGKILL)
    with pytest.raises(AgentRunError, match="Agent b failed: killed by SIGKILL"):
        run("stall_with_children", {"a": "swap", "b": "stall"}, tmp_path, killer)
    assert killer.seconds_since() < 10
    assert leftovers() == []


def test_an_agent_that_ignores_sigterm_is_killed(tmp_path: Path, leftovers: Leftovers) -> None:
    killer = Killer("a", signal.SIGSEGV)
    with pytest.raises(AgentRunError, match="Agent a failed: killed by SIGSEGV"):
        run("learn_or_stall", {"a": "stall", "b": "ignore SIGTERM"}, tmp_path, killer)
    assert killer.seconds_since() < 10
    assert leftovers() == []


def test_sigterm_from_outside_names_the_agent(tmp_path: Path) -> None:
    killer = Killer("b", signal.SIGTERM)
    with pytest.raises(AgentRunError, match="Agent b failed: stopped by SIGTERM, sent from outs"):
        run("learn_or_stall", {"a": "swap", "b": "stall"}, tmp_path, killer)


def test_a_users_mistake_shows_its_sentence(tmp_path: Path, leftovers: Leftovers) -> None:
    error = ValueError("The model folder /nowhere does not exist.")
    with pytest.raises(AgentRunError) as caught:
        run("fail_or_meet", {"a": None, "b": error}, tmp_path)
    assert caught.value.agent == "b"
    assert caught.value.cause == "The model folder /nowhere does not exist."
    assert caught.value.log_path == tmp_path / "agents" / "b" / "log.txt"
    assert "Traceback" in log_of(tmp_path, "b")
    assert "Traceback" not in log_of(tmp_path, "a")
    assert leftovers() == []


def test_a_failure_keeps_what_others_had_handed_in(tmp_path: Path) -> None:
    with pytest.raises(AgentRunError) as caught:
        run("fail_at_step_2_or_finish", {"a": False, "b": True}, tmp_path)
    assert caught.value.agent == "b"
    assert set(caught.value.finished) == {"a"}
    assert caught.value.finished["a"].steps == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's full device")
def test_a_full_disk_does_not_hide_the_cause(tmp_path: Path) -> None:
    with pytest.raises(AgentRunError) as caught:
        run("fill_the_disk_and_fail", {"a": None}, tmp_path)
    assert caught.value.cause == "the disk is full"


def test_a_fault_shows_its_type_and_place(tmp_path: Path) -> None:
    with pytest.raises(AgentRunError) as caught:
        run("index_error", {"a": None}, tmp_path)
    assert caught.value.cause.startswith("IndexError: list index out of range (targets.py:")


def test_a_missing_target_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AgentRunError, match="module targets has no function nothing"):
        run("nothing", {"a": None}, tmp_path)


def test_different_problems_are_the_cause(tmp_path: Path) -> None:
    with pytest.raises(AgentRunError, match=r"Problems differ in step 3, at position 0: .* 'p"):
        run("see_problem", {"a": "p", "b": "q"}, tmp_path)


def test_a_timeout_names_the_missing_agent(tmp_path: Path, leftovers: Leftovers) -> None:
    with pytest.raises(AgentRunError, match=r"Agent b failed: Waited 0.5 s at step 0 for agent b"):
        run("learn_or_stall", {"a": "swap", "b": "stall"}, tmp_path, swap_timeout_s=0.5)
    assert leftovers() == []


@pytest.mark.parametrize("code, cause", [(0, "without handing in"), (7, "exit code 7")])
def test_an_end_without_a_summary_is_a_failure(tmp_path: Path, code: int, cause: str) -> None:
    with pytest.raises(AgentRunError, match=cause):
        run("leave", {"a": code}, tmp_path)


def test_an_error_of_the_caller_leaves_nothing(tmp_path: Path, leftovers: Leftovers) -> None:
    def break_down(statuses: Mapping[str, AgentStatus]) -> None:
        if statuses:
            raise RuntimeError("no terminal")

    with pytest.raises(RuntimeError, match="no terminal"):
        run("learn_or_stall", {"a": "swap", "b": "stall"}, tmp_path, break_down)
    assert leftovers() == []


def test_an_argument_that_cannot_travel_starts_nothing(
    tmp_path: Path, leftovers: Leftovers
) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        run("learn", {"a": 1, "b": lambda: None}, tmp_path)
    assert leftovers() == []


def command_environment(run_dir: Path) -> dict[str, str]:
    """Let the command find the package; what a killed one leaves lies in the test's folder."""
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": root, "TMPDIR": str(run_dir)}


@contextmanager
def command(run_dir: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Start parent.py in a process group of its own; yield it and its agents' ids when ready."""
    with subprocess.Popen(
        [sys.executable, str(PARENT), str(run_dir)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=command_environment(run_dir),
    ) as process:
        try:
            assert process.stdout is not None
            word, *pids = process.stdout.readline().split()
            assert word == "ready"
            yield process, [int(pid) for pid in pids]
        finally:
            process.kill()


@pytest.mark.parametrize("signum, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_to_the_group_ends_everything(
    tmp_path: Path, leftovers: Leftovers, signum: int, code: int
) -> None:
    with command(tmp_path) as (process, _):
        start = time.monotonic()
        os.killpg(process.pid, signum)
        _, errors = process.communicate(timeout=10)
        print(f"ended {time.monotonic() - start:.2f} s after {signal.Signals(signum).name}")
    assert process.returncode == code
    assert errors == ""
    assert leftovers() == []


def test_agents_die_with_a_killed_parent(tmp_path: Path, leftovers: Leftovers) -> None:
    with command(tmp_path) as (process, pids):
        assert len(pids) == 2
        assert len(leftovers()) >= 3  # the parent and both agents
        process.kill()
        process.wait()
    assert leftovers() == []


def test_ctrl_c_while_agents_start(tmp_path: Path, leftovers: Leftovers) -> None:
    """The first milliseconds of a process belong to its interpreter, which must not complain."""
    for delay in (0.15, 0.25, 0.35):
        process = subprocess.Popen(
            [sys.executable, str(PARENT), str(tmp_path)],
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=command_environment(tmp_path),
        )
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        # Before the supervisor has taken over, Ctrl-C is an ordinary KeyboardInterrupt.
        assert process.returncode in (130, -signal.SIGINT)
        if process.returncode == 130:
            assert errors == ""
    assert leftovers() == []


def test_run_interrupted_is_an_exit() -> None:
    error = RunInterrupted(signal.SIGINT)
    assert isinstance(error, SystemExit)
    assert (error.code, error.signal_name) == (130, "SIGINT")


@pytest.mark.parametrize(
    "code, cause",
    [
        (-9, "killed by SIGKILL (out of memory?)"),
        (-11, "killed by SIGSEGV (a crash in native code)"),
        (-15, "killed by SIGTERM"),
        (-40, "killed by signal 40"),
        (143, "stopped by SIGTERM, sent from outside the run"),
        (3, "its process ended with exit code 3"),
    ],
)
def test_exit_causes(code: int, cause: str) -> None:
    assert exit_cause(code) == cause


def test_the_supervisors_side_is_light() -> None:
    modules = "local, live, final, process, client"
    check = (
        f"import sys; from hacpo.runtime import {modules}; "
        "print(sorted({'torch', 'transformers', 'lightning', 'wandb', 'hydra'} & set(sys.modules)))"
    )
    output = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    ).stdout
    assert output.strip() == "[]"
