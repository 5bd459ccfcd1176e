"""A worker process as its parent sees it: started when first needed, killed at its limit."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO

from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.verdict import Finding

START_LIMIT_S = 120.0
"""Importing sympy takes one to three seconds, and longer on a machine that is busy."""
GROWN_SHARE = 0.6
"""A worker that holds this share of its memory limit is replaced before the next answer."""

_ROOT = Path(__file__).parents[3]


class _Late(Exception):
    """No reply in time."""


class WorkerProcess:
    """One process that compares one answer at a time. A thread must own it while it works.

    It is started as a command of its own, not forked and not by `multiprocessing`: so it inherits
    no locks, no CUDA and no main module, and a daemonic process may have it as well.
    """

    def __init__(self, *, limit_s: float, memory_mb: int) -> None:
        self.limit_s = limit_s
        self.memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    @property
    def pid(self) -> int | None:
        """Process id; None while it is not running."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process and wait until it has loaded; nothing if it runs.

        Raises `RuntimeError` if it does not start.
        """
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [
                sys.executable,
                *("-m", "hacpo.evaluation.grading.worker"),
                *(str(self.limit_s), str(self.memory_mb)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # Ctrl-C is for the parent, which then ends it
        )
        try:
            ready = self._read_line(START_LIMIT_S) == b"ready"
        except (_Late, EOFError):
            ready = False
        if not ready:
            self.stop()
            raise RuntimeError(
                "A grading worker did not start; it needs math-verify. "
                "`python -m hacpo.evaluation.grading.worker 5 2048` shows why."
            )

    def stop(self) -> None:
        """Kill the process and take it off the system's list; nothing if there is none."""
        process, self._process, self._rest = self._process, None, b""
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                _opened(pipe).close()

    def compare(self, gold: str, answer: str, options: GradingOptions) -> Finding:
        """Compare in the process; at the limit or after a crash it is killed."""
        self.start()
        task = {"gold": gold, "answer": answer, "options": asdict(options)}
        try:
            self._write_line(json.dumps(task).encode())
            reply = json.loads(self._read_line(self.limit_s))
        except _Late:
            self.stop()
            return Finding(right=False, way="timeout")
        except (EOFError, BrokenPipeError, ValueError):
            self.stop()
            return Finding(right=False, way="crashed")
        if reply["mb"] > GROWN_SHARE * self.memory_mb:
            self.stop()
        return Finding(right=bool(reply["right"]), way=reply["way"])

    def _write_line(self, line: bytes) -> None:
        pipe = _opened(self._process.stdin if self._process else None)
        pipe.write(line + b"\n")
        pipe.flush()

    def _read_line(self, limit_s: float) -> bytes:
        pipe = _opened(self._process.stdout if self._process else None)
        end = time.monotonic() + limit_s
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise _Late
                chunk = os.read(pipe.fileno(), 65536)
                if not chunk:
                    raise EOFError
                self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "the process runs and has both pipes"
    return pipe
