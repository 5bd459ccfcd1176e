"""The process in which a user's reward function runs: lines of JSON in, lines of JSON out.

It ends when its parent closes the pipe; the kernel ends it when one call takes too long, even if
the parent is gone by then.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, TextIO

from hacpo.line_process import READY
from hacpo.types import Problem


def _own_channel() -> TextIO:
    """Return the parent's pipe, and send what the function prints to the error stream."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


def _reply(function: Callable[..., Any], task: dict[str, Any], arguments: dict[str, Any]) -> str:
    try:
        value = float(function(Problem(**task["problem"]), task["text"], **arguments))
    except Exception as error:  # whatever a user's function raises on hostile text
        return json.dumps({"error": f"{type(error).__name__}: {error}"})
    return json.dumps({"value": value})


def serve(target: str, arguments: dict[str, Any], limit_s: float) -> None:
    """Answer tasks until the pipe closes."""
    channel = _own_channel()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # its default ends the process, whatever it does
    module, _, name = target.rpartition(".")
    function = getattr(importlib.import_module(module), name)
    channel.write(READY.decode() + "\n")
    channel.flush()
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        reply = _reply(function, json.loads(line), arguments)
        signal.setitimer(signal.ITIMER_REAL, 0)
        channel.write(reply + "\n")
        channel.flush()


if __name__ == "__main__":
    serve(sys.argv[1], json.loads(sys.argv[2]), float(sys.argv[3]))
