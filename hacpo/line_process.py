"""A process that answers lines with lines: started when first needed, killed at its limit."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

START_LIMIT_S = 120.0
"""Importing a large library takes seconds, and longer on a machine that is busy."""
READY = b"ready"
"""The first line of a process that has loaded."""

_ROOT = Path(__file__).parents[1]


class Late(Exception):  # noqa: N818 - it says what happened
    """No reply in time; the process was killed."""


class Crashed(Exception):  # noqa: N818
    """The process ended instead of replying."""


class LineProcess:
    """One Python process, `python -m MODULE ARGUMENTS`. A thread must own it while it works.

    It is started as a command of its own, not forked and not by `multiprocessing`: so it inherits
    no locks, no CUDA and no main module, and a daemonic process may have it as well.
    """

    def __init__(self, module: str, *arguments: str, limit_s: float) -> None:
        """Remember the command and the seconds that one reply may take."""
        self.command = [sys.executable, "-m", module, *arguments]
        self.limit_s = limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    @property
    def pid(self) -> int | None:
        """Process id; None while it is not running."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start the process and wait until it has loaded; nothing if it runs.

        Raises:
            RuntimeError: it does not start.
        """
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # Ctrl-C is for the parent, which then ends it
        )
        try:
            ready = self._read_line(START_LIMIT_S) == READY
        except (Late, EOFError):
            ready = False
        if not ready:
            self.stop()
            raise RuntimeError(f"a worker did not start; `{' '.join(self.command)}` shows why")

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

    def ask(self, line: bytes) -> bytes:
        """Return the reply to one line, without its line end.

        Raises:
            Late: no reply within the limit.
            Crashed: the process ended.
            RuntimeError: it does not start.
        """
        self.start()
        try:
            self._write_line(line)
            return self._read_line(self.limit_s)
        except Late:
            self.stop()
            raise
        except (EOFError, BrokenPipeError) as error:
            self.stop()
            raise Crashed from error

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
                    raise Late
                chunk = os.read(pipe.fileno(), 65536)
                if not chunk:
                    raise EOFError
                self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _opened(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "the process runs and has both pipes"
    return pipe
