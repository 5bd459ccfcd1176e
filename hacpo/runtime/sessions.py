"""End everything that an agent's process has started, with the process itself.

Each agent leads a session of its own (see `process.py`), and what it starts belongs to it, unless
it asked for another session (W&B's service does, and ends by itself when its agent is gone).
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_ROUNDS = 3  # a member may start another one while the list is read


def kill_session(leader: int) -> None:
    """SIGKILL every process of the leader's session.

    Call it before the leader is reaped: until then its number cannot belong to anybody else.
    """
    if not _PROC.joinpath("self/stat").exists():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        return
    for _ in range(_ROUNDS):
        members = session_members(leader)
        if not members:
            return
        for pid in members:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def session_members(leader: int) -> list[int]:
    """Return the living processes of a session, from /proc (Linux)."""
    members = []
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has just ended
                state, session = _state_and_session((folder / "stat").read_text())
                if session == leader and state not in "ZX":
                    members.append(int(folder.name))
    return members


def _state_and_session(stat: str) -> tuple[str, int]:
    """Read fields 3 and 6 of /proc/PID/stat; the name before them may hold blanks and brackets."""
    state, _parent, _group, session = stat.rpartition(")")[2].split()[:4]
    return state, int(session)
