"""Signals of the supervisor: noted while a run goes on, never raised in the middle of anything."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType, TracebackType
from typing import Any

_STOPPING = (signal.SIGINT, signal.SIGTERM)


class SignalWatch:
    """Notes SIGINT and SIGTERM instead of dying of them, for as long as the block lasts.

    Outside of the main thread Python allows no handlers; there it notes nothing.
    """

    def __init__(self) -> None:
        """Nothing has been received."""
        self.received: int | None = None
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> SignalWatch:
        """Install the handlers."""
        if threading.current_thread() is threading.main_thread():
            self._former = {signum: signal.signal(signum, self._note) for signum in _STOPPING}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the former handlers."""
        for signum, handler in self._former.items():
            # None: the former handler was not set from Python and cannot be restored by it.
            signal.signal(signum, signal.SIG_DFL if handler is None else handler)

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self.received = self.received or signum


@contextmanager
def sigint_blocked() -> Iterator[None]:
    """Let processes that are started in this block begin with SIGINT blocked.

    A Ctrl-C would otherwise hit them while their interpreter starts, each with a traceback on the
    terminal. Here the signal stays pending and arrives after the block.
    """
    # Python starts this helper with the first process and unblocks SIGINT on the way.
    resource_tracker.ensure_running()
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
