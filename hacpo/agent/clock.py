"""Wall time by phase, so that a step can say where its seconds went."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class PhaseClock:
    """Adds up wall seconds by phase, over the run and since the last `lap`."""

    def __init__(self) -> None:
        """Start with nothing spent."""
        self.total: dict[str, float] = {}
        self._lap: dict[str, float] = {}

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Time the block as `phase`. Blocks of one thread do not nest."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add(phase, time.perf_counter() - start)

    def add(self, phase: str, seconds: float) -> None:
        """Count seconds that were measured elsewhere."""
        self.total[phase] = self.total.get(phase, 0.0) + seconds
        self._lap[phase] = self._lap.get(phase, 0.0) + seconds

    def lap(self) -> dict[str, float]:
        """Return the seconds by phase since the last lap, and start a new one."""
        lap, self._lap = self._lap, {}
        return lap
