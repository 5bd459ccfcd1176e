"""What happens inside an agent's process before and after the agent's own code.

Order matters: tie the process to its parent, leave the terminal, send all output to the agent's
log, set the environment, and only then import the target, because torch and its libraries read the
environment once, when they are imported.
"""

from __future__ import annotations

import ctypes
import faulthandler
import importlib
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, cast

from hacpo.callbacks.hub import AgentFailed, Hub, HubError
from hacpo.runtime.client import HubClient
from hacpo.runtime.server import HubAddress

Target = Callable[[str, Any, Hub], None]
"""What a process runs: called with the agent's name, its argument, and the hub."""

EXIT_FAILED = 1
EXIT_TERMINATED = 128 + signal.SIGTERM

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessSpec:
    """All that one agent's process needs to start."""

    name: str
    target: str
    """`module:function`."""
    argument: bytes
    """Pickled, so that unpickling it (which may import torch) waits for the environment."""
    hub: HubAddress
    log: Path
    environment: Mapping[str, str]
    parent_pid: int


def agent_environment(threads: int) -> dict[str, str]:
    """Return the variables that an agent's libraries read when they are imported."""
    pools = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB")
    return {
        **{f"{pool}_NUM_THREADS": str(threads) for pool in pools},
        # Idle OpenMP threads that spin take the cores away from the other agents.
        "OMP_WAIT_POLICY": "passive",
        "TOKENIZERS_PARALLELISM": "false",
    }


def run_process(spec: ProcessSpec) -> None:
    """Run one agent to its end. The entry point of a spawned process; never returns an error.

    Exit codes: 0 done, 1 failed (the hub or the log knows why), 143 told to stop.
    """
    die_with_parent(spec.parent_pid)
    _leave_terminal()
    _redirect_output(spec.log)
    loaded_early = "torch" in sys.modules
    os.environ.update(spec.environment)
    print(f"--- agent {spec.name}, pid {os.getpid()}, {time.strftime('%Y-%m-%d %H:%M:%S')}")
    if loaded_early:
        print("The main module imports torch, so thread settings may come too late.")
    hub = HubClient(spec.hub)
    try:
        target = load_target(spec.target)
        target(spec.name, pickle.loads(spec.argument), hub)
    except AgentFailed as consequence:
        with suppress(OSError):
            print(f"Stopped: {consequence}", file=sys.stderr)
        sys.exit(EXIT_FAILED)
    except Exception as error:
        with suppress(OSError):  # the log's disk may be full: that must not hide the cause
            traceback.print_exc()
        _tell(hub, spec.name, describe(error))
        sys.exit(EXIT_FAILED)


def load_target(path: str) -> Target:
    """Import a target given as `module:function`.

    Raises:
        ValueError: the text has another form, or names nothing that can be called.
    """
    module, separator, function = path.partition(":")
    if not (module and separator and function):
        raise ValueError(f"A target reads 'module:function', not {path!r}.")
    target = getattr(importlib.import_module(module), function, None)
    if not callable(target):
        raise ValueError(f"The module {module} has no function {function}.")
    return cast("Target", target)


def describe(error: BaseException) -> str:
    """Return one error as the cause that its user reads.

    A ValueError or OSError is written for the user, so its sentence is enough. Anything else is a
    fault of the program: its type and the line that raised it are added.
    """
    text = str(error).strip()
    if isinstance(error, (ValueError, OSError, HubError)) and text:
        return text
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"


def die_with_parent(parent_pid: int) -> None:
    """Make sure that this process does not outlive its parent, not even a killed one."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_follow_parent, name="parent watch", daemon=True).start()
    if os.getppid() != parent_pid:  # it died before the line above took effect
        os._exit(EXIT_FAILED)


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGKILL)


def _leave_terminal() -> None:
    """Ctrl-C reaches the supervisor only; it stops the agents in its own way.

    An own session also marks everything that this process starts, so that the supervisor can end
    it all.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _terminate)
    os.setsid()


def _terminate(signum: int, frame: FrameType | None) -> NoReturn:
    """Turn SIGTERM into SystemExit, so that `finally` blocks run and files are closed."""
    os.write(2, b"Told to stop (SIGTERM).\n")  # print() may be what was interrupted
    sys.exit(EXIT_TERMINATED)


def _redirect_output(log: Path) -> None:
    """Send stdout and stderr to the log, those of native code and of subprocesses too."""
    log.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        os.dup2(descriptor, stream.fileno())
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.close(descriptor)
    faulthandler.enable()  # a crash in native code leaves a trace in the log


def _tell(hub: HubClient, agent: str, cause: str) -> None:
    try:
        hub.fail(agent, cause)
    except HubError as error:
        with suppress(OSError):
            print(f"The hub could not be told: {error}", file=sys.stderr)
