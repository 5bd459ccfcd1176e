"""What the user sees while agents learn: a live table, or plain lines without a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live

from hacpo.runtime.plain import PlainLines
from hacpo.runtime.status import status_table
from hacpo.types import AgentStatus


class ProgressView(Protocol):
    """Shows the agents' statuses while its `with` block lasts; it is a run's `on_tick`."""

    def __enter__(self) -> Self:
        """Start to show."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the last state on the screen."""
        ...

    def __call__(self, statuses: Mapping[str, AgentStatus]) -> None:
        """Show the newest statuses."""
        ...


def progress_view(title: str, console: Console | None = None) -> ProgressView:
    """Return the live table on a terminal, and plain lines elsewhere."""
    console = console or Console()
    return LiveTable(title, console) if console.is_terminal else PlainLines(title, console)


class LiveTable:
    """A table that is redrawn in place."""

    def __init__(
        self, title: str, console: Console, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare to draw on this console."""
        self._title = title
        self._console = console
        self._clock = clock
        self._start = clock()
        self._live = Live(console=console, auto_refresh=False)

    def __enter__(self) -> Self:
        """Draw the empty table."""
        self._live.start()
        self({})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the last table on the screen."""
        self._live.stop()

    def __call__(self, statuses: Mapping[str, AgentStatus]) -> None:
        """Draw the newest statuses."""
        table = status_table(
            self._title,
            statuses,
            width=self._console.width,
            seconds=self._clock() - self._start,
        )
        self._live.update(table, refresh=True)
