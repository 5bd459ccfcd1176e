"""The process in which computer algebra runs: it reads lines of JSON and writes lines of JSON.

It loads math-verify and nothing of the framework besides. It ends when its parent closes the
pipe, and the kernel ends it when one answer takes too long, even if the parent is gone by then.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from typing import Any, TextIO

from hacpo.evaluation.grading.comparison import compare
from hacpo.evaluation.grading.options import GradingOptions

GRACE_S = 1.0
"""The parent kills at its limit; the worker's own alarm rings this much later."""


def resident_mb() -> float:
    """Return the memory that this process holds now, or held at most where that is unknown."""
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def _own_channel() -> TextIO:
    """Return the parent's pipe, and send what libraries print nowhere."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return channel


def _limit_memory(memory_mb: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_mb * 2**20
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(task: dict[str, Any]) -> dict[str, object]:
    from hacpo.evaluation.grading.symbolic import same_by_algebra

    options = GradingOptions(**task["options"])
    try:
        finding = compare(task["gold"], task["answer"], options, same_by_algebra)
    except MemoryError:
        return {"right": False, "way": "crashed", "mb": float("inf")}
    except Exception:  # whatever a library raises on hostile text: not understood, so not right
        return {"right": False, "way": "unparsed", "mb": resident_mb()}
    return {"right": finding.right, "way": finding.way, "mb": resident_mb()}


def serve(limit_s: float, memory_mb: int) -> None:
    """Answer tasks until the pipe closes."""
    channel = _own_channel()
    _limit_memory(memory_mb)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # its default ends the process, whatever it does
    _answer({"gold": r"\sqrt{2}", "answer": r"2^{\frac{1}{2}}", "options": {}})
    channel.write("ready\n")
    channel.flush()
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_REAL, limit_s + GRACE_S)
        reply = json.dumps(_answer(json.loads(line)))
        signal.setitimer(signal.ITIMER_REAL, 0)
        channel.write(reply + "\n")
        channel.flush()


if __name__ == "__main__":
    serve(float(sys.argv[1]), int(sys.argv[2]))
