"""Run every agent in a process of its own on this machine, and end them all together.

The supervisor trains nothing: it serves the hub, watches the processes, tells the hub when one
dies, and reaps every process whatever happens.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from hacpo.runtime.errors import AgentRunError, RunInterrupted, exit_cause
from hacpo.runtime.hub import RolloutHub
from hacpo.runtime.process import ProcessSpec, agent_environment, run_process
from hacpo.runtime.server import HubServer
from hacpo.runtime.sessions import kill_session
from hacpo.runtime.signals import SignalWatch, sigint_blocked
from hacpo.types import AgentStatus, AgentSummary

OnTick = Callable[[Mapping[str, AgentStatus]], None]
"""Shows the agents' last reports; called about four times a second."""

_TICK_S = 0.25
_GRACE_S = 3.0
"""Between SIGTERM and SIGKILL."""
_POLL_S = 0.05


def run_agents(
    target: str,
    arguments: Mapping[str, Any],
    *,
    run_dir: Path,
    threads: int,
    swap_timeout_s: float,
    start_timeout_s: float,
    on_tick: OnTick,
) -> Mapping[str, AgentSummary]:
    """Call ``target(name, argument, hub)`` in one fresh process per agent, and wait for all.

    Args:
        target: `module:function`; imported in the agents' processes only.
        arguments: one picklable argument per agent.
        run_dir: each agent's output goes to `agents/<name>/log.txt` in it.
        threads: CPU threads of each agent.
        swap_timeout_s: longest wait for the others in one step.
        start_timeout_s: longest wait until all agents are ready.
        on_tick: shows the agents' statuses; runs in the calling thread.

    Returns:
        The summary that each agent handed in, in the order of `arguments`.

    Raises:
        AgentRunError: an agent failed. It names the first one and its cause.
        RunInterrupted: SIGINT or SIGTERM arrived.
    """
    logs = {name: run_dir / "agents" / name / "log.txt" for name in arguments}
    hub = RolloutHub(
        tuple(arguments), start_timeout_s=start_timeout_s, swap_timeout_s=swap_timeout_s
    )
    with SignalWatch() as signals, HubServer(hub) as server:
        processes: dict[str, SpawnProcess] = {}
        try:
            for name, argument in arguments.items():
                processes[name] = _start(
                    ProcessSpec(
                        name=name,
                        target=target,
                        argument=pickle.dumps(argument),
                        hub=server.address,
                        log=logs[name],
                        environment=agent_environment(threads),
                        parent_pid=os.getpid(),
                    )
                )
            _watch(processes, hub, signals, on_tick)
        finally:
            _stop(processes)
            hub.close()
    failure = hub.failure()
    if failure is not None:
        raise AgentRunError(failure.agent, failure.cause, logs[failure.agent], hub.summaries())
    return hub.summaries()


def _start(spec: ProcessSpec) -> SpawnProcess:
    """Start one agent from a new interpreter: a fork would copy locks held by other threads."""
    process = get_context("spawn").Process(target=run_process, args=(spec,), name=spec.name)
    with sigint_blocked():
        process.start()
    return process


def _watch(
    running: dict[str, SpawnProcess], hub: RolloutHub, signals: SignalWatch, on_tick: OnTick
) -> None:
    """Return when every agent has ended, or as soon as one has failed. Takes out the ended ones."""
    while running and hub.failure() is None:
        wait([process.sentinel for process in running.values()], timeout=_TICK_S)
        for name in [name for name, process in running.items() if _has_ended(process)]:
            code = _reap(running.pop(name))
            if code != 0 or name not in hub.summaries():
                hub.fail(name, exit_cause(code))
        on_tick(hub.statuses())
        if signals.received is not None:
            raise RunInterrupted(signals.received)


def _stop(running: Mapping[str, SpawnProcess]) -> None:
    """Ask the agents that still run to end, then end them; nothing is left afterwards."""
    for process in running.values():
        process.terminate()
    deadline = time.monotonic() + _GRACE_S
    while time.monotonic() < deadline and not all(map(_has_ended, running.values())):
        time.sleep(_POLL_S)
    for process in running.values():
        _reap(process)


def _has_ended(process: SpawnProcess) -> bool:
    """Whether the process is dead, which leaves it to be reaped.

    Its sentinel is not enough: what the process has forked holds the sentinel's pipe open.
    """
    assert process.pid is not None
    if not hasattr(os, "waitid"):
        return bool(wait([process.sentinel], timeout=0))
    try:
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # reaped by another part of this program
        return True
    return ended is not None


def _reap(process: SpawnProcess) -> int:
    """End the process and all that it has started; return its exit code."""
    assert process.pid is not None
    kill_session(process.pid)
    process.kill()
    process.join()
    code = process.exitcode
    assert code is not None
    process.close()
    return code
