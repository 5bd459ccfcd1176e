"""The progress of a run as lines of text, for log files and pipes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from rich.console import Console

from hacpo.runtime.formats import as_duration
from hacpo.runtime.status import status_line
from hacpo.types import AgentStatus

_EVERY_S = 5.0
"""Shortest time between two lines of one agent that only report progress."""


class PlainLines:
    """One line per agent on a new phase, on a new evaluation, and now and then for progress."""

    def __init__(
        self, title: str, console: Console, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare to print on this console; lines are never wrapped."""
        self._title = title
        self._console = console
        self._clock = clock
        self._start = clock()
        self._shown: dict[str, tuple[AgentStatus, float]] = {}

    def __enter__(self) -> Self:
        """Print the title."""
        self._print(self._title)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Nothing is left to print."""

    def __call__(self, statuses: Mapping[str, AgentStatus]) -> None:
        """Print a line for every agent that has something new to say."""
        now = self._clock()
        for name, status in statuses.items():
            if self._is_due(name, status, now):
                self._shown[name] = (status, now)
                self._print(f"{as_duration(now - self._start):>7}  {status_line(name, status)}")

    def _is_due(self, name: str, status: AgentStatus, now: float) -> bool:
        if name not in self._shown:
            return True
        last, when = self._shown[name]
        if (status.phase, status.accuracy) != (last.phase, last.accuracy):
            return True
        return now - when >= _EVERY_S and (status.step, status.message) != (last.step, last.message)

    def _print(self, line: str) -> None:
        self._console.out(line, highlight=False)
