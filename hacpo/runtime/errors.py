"""How a run of several processes can end, other than well."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path

from hacpo.types import AgentSummary

_HINTS = {
    signal.SIGKILL: " (out of memory?)",
    signal.SIGSEGV: " (a crash in native code)",
    signal.SIGABRT: " (an abort in native code)",
}


class AgentRunError(RuntimeError):
    """One agent failed and the others were stopped. Its text is meant for the user."""

    def __init__(
        self,
        agent: str,
        cause: str,
        log_path: Path,
        finished: Mapping[str, AgentSummary] | None = None,
    ) -> None:
        """Name the agent that failed first, why, and where the rest can be read.

        `finished` holds what the agents handed in that had ended before.
        """
        super().__init__(agent, cause, log_path, finished)
        self.finished = dict(finished or {})
        self.agent = agent
        self.cause = cause
        self.log_path = log_path

    def __str__(self) -> str:
        return f"Agent {self.agent} failed: {self.cause}\nIts log: {self.log_path}"


class RunInterrupted(SystemExit):
    """The user or the system stopped the run by a signal; all agents have ended.

    As a SystemExit it ends the command with 128 plus the signal's number (130 for Ctrl-C) and
    without a traceback, once the caller has written down what there is.
    """

    def __init__(self, signum: int) -> None:
        """Keep the signal."""
        super().__init__(128 + signum)
        self.signal_name = signal_name(signum)


def signal_name(signum: int) -> str:
    """Return a signal's name, such as SIGTERM; real-time signals have only a number."""
    try:
        return signal.Signals(signum).name
    except ValueError:
        return f"signal {signum}"


def exit_cause(code: int) -> str:
    """Say why a process ended that has not said so itself, from its exit code.

    Negative codes are signals, as in `multiprocessing.Process.exitcode`.
    """
    if code < 0:
        signum = -code
        hint = next((text for known, text in _HINTS.items() if known == signum), "")
        return f"killed by {signal_name(signum)}{hint}"
    if code == 0:
        return "its process ended without handing in a summary"
    if code == 128 + signal.SIGTERM:
        return "stopped by SIGTERM, sent from outside the run"
    return f"its process ended with exit code {code}"
