"""What the spawned processes of these tests run. No torch, so that they start at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

from hacpo.callbacks.hub import Hub
from hacpo.types import AgentRollouts, AgentStatus, AgentSummary, Phase, RolloutGroup

THREADS_AT_IMPORT = os.environ.get("OMP_NUM_THREADS")


def _rollouts(name: str, step: int, problem: str = "p") -> AgentRollouts:
    group = RolloutGroup(problem_id=problem, author=name, rollouts=())
    return AgentRollouts(step=step, author=name, groups=(group,))


def _summary(steps: int) -> AgentSummary:
    return AgentSummary(
        accuracy_before=0.1,
        accuracy_after=0.2,
        accuracy_best=0.2,
        accuracy_mean=0.2,
        rollouts=steps,
        generated_tokens=steps,
        trained_tokens=steps,
        updates=steps,
        steps=steps,
        seconds={"swap": 0.1},
        stop_reason="steps",
        checkpoint=None,
        export=None,
        samples=None,
        wandb_dir=None,
    )


def learn(name: str, steps: int, hub: Hub) -> None:
    """Meet the others for so many steps, checking what comes back, and finish."""
    hub.join(name)
    for step in range(steps):
        everyone = hub.swap(_rollouts(name, step))
        assert name in everyone
        assert all(theirs.step == step for theirs in everyone.values())
        hub.report(name, AgentStatus(phase=Phase.TRAIN, step=step + 1, total_steps=steps))
    hub.finish(name, _summary(steps))


def learn_or_stall(name: str, role: str, hub: Hub) -> None:
    """Report the process id; then, by role, wait in a swap, or never come to it."""
    hub.join(name)
    hub.report(name, AgentStatus(phase=Phase.TRAIN, message=str(os.getpid())))
    if role == "stall":
        time.sleep(600)
    if role == "ignore SIGTERM":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _sleep_through_everything()
    hub.swap(_rollouts(name, 0))


def stall_with_children(name: str, role: str, hub: Hub) -> None:
    """As `learn_or_stall`, after starting a subprocess and a fork that hold everything open."""
    subprocess.Popen(["sleep", "600"])
    if os.fork() == 0:
        _sleep_through_everything()
    learn_or_stall(name, role, hub)


def fail_or_meet(name: str, error: Exception | None, hub: Hub) -> None:
    """Raise the given error, or wait for the agent that raises it."""
    hub.join(name)
    if error is not None:
        raise error
    hub.swap(_rollouts(name, 0))


def fail_at_step_2_or_finish(name: str, fails: bool, hub: Hub) -> None:
    """Meet twice; then finish, or fail when the others have had time to finish."""
    hub.join(name)
    for step in range(2):
        hub.swap(_rollouts(name, step))
    if fails:
        time.sleep(2)
        raise ValueError("no more")
    hub.finish(name, _summary(2))


def fill_the_disk_and_fail(name: str, argument: Any, hub: Hub) -> None:
    """Fail while nothing can be written to the log any more."""
    hub.join(name)
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, 1)
    os.dup2(full, 2)
    raise ValueError("the disk is full")


def index_error(name: str, argument: Any, hub: Hub) -> None:
    """Fail by a fault of the program."""
    [][1]


def see_problem(name: str, problem: str, hub: Hub) -> None:
    """Sample for the given problem only."""
    hub.swap(_rollouts(name, 3, problem))


def talk(name: str, argument: Any, hub: Hub) -> None:
    """Write to both streams, from Python, from the descriptor, and from a subprocess."""
    print("printed")
    print("warned", file=sys.stderr)
    os.write(1, b"written\n")
    subprocess.run(["echo", "echoed"], check=True)
    print(f"threads at import {THREADS_AT_IMPORT}, now {os.environ['TOKENIZERS_PARALLELISM']}")
    hub.finish(name, _summary(0))


def leave(name: str, code: int, hub: Hub) -> None:
    """End without a summary."""
    sys.exit(code)


def _sleep_through_everything() -> None:
    while True:
        time.sleep(600)
