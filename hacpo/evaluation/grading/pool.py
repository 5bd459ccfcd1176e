"""Grading for anyone: any thread, any process, many answers at once, each within its limits."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from hacpo.evaluation.grading.grader import grade_answer, grade_response
from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.process import WorkerProcess
from hacpo.evaluation.grading.verdict import Finding, Verdict


def _stop_all(workers: list[WorkerProcess], owner: int) -> None:
    """Stop the workers, unless this is a fork of the process that owns them."""
    if os.getpid() == owner:
        for worker in workers:
            worker.stop()


class GradingPool:
    """Grades responses. What needs computer algebra runs in a few worker processes.

    Workers start when the first answer needs one. Close the pool, or use it in a `with` block;
    workers also end with the pool's last reference and with the process, however that ends.
    A pickled pool is a pool with the same settings and workers of its own.
    """

    def __init__(
        self,
        options: GradingOptions | None = None,
        *,
        num_workers: int = 2,
        limit_s: float = 5.0,
        memory_mb: int = 2048,
    ) -> None:
        """Take the options of one benchmark and the limits of one answer.

        `memory_mb` bounds the address space of a worker, which needs about 400 to start. Raises
        `ValueError` for limits that nothing can meet.
        """
        if num_workers < 1 or limit_s <= 0 or memory_mb < 512:
            raise ValueError(
                "Grading needs at least 1 worker, a limit_s above 0, and memory_mb of at least 512."
            )
        self.options = options or GradingOptions()
        self.num_workers = num_workers
        self.limit_s = limit_s
        self.memory_mb = memory_mb
        self.closed = False
        self._build()

    def _build(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._workers = [
            WorkerProcess(limit_s=self.limit_s, memory_mb=self.memory_mb)
            for _ in range(self.num_workers)
        ]
        self._idle: queue.LifoQueue[WorkerProcess] = queue.LifoQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._finalizer = weakref.finalize(self, _stop_all, self._workers, self._owner)

    def __reduce__(self) -> tuple[Callable[..., GradingPool], tuple[object, ...]]:
        """Pickle the settings, not the processes."""
        return _rebuild, (self.options, self.num_workers, self.limit_s, self.memory_mb)

    def __enter__(self) -> GradingPool:
        """Return the pool itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the pool."""
        self.close()

    def close(self) -> None:
        """End the workers. Waits for answers that other threads are grading."""
        if self.closed or os.getpid() != self._owner:
            self.closed = True
            return
        self.closed = True
        for _ in self._workers:
            self._idle.get().stop()
        self._finalizer.detach()

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """Process ids of the workers that run now."""
        return tuple(worker.pid for worker in self._workers if worker.pid is not None)

    @contextlib.contextmanager
    def _worker(self) -> Iterator[WorkerProcess]:
        if self.closed:
            raise ValueError("This GradingPool is closed; make a new one.")
        if os.getpid() != self._owner:  # after a fork: the parent's pipes are not ours
            self._build()
        worker = self._idle.get()
        try:
            yield worker
        except BaseException:
            worker.stop()  # its reply may still be under way
            raise
        finally:
            self._idle.put(worker)

    def _algebra(self, gold: str, answer: str, options: GradingOptions) -> Finding:
        with self._worker() as worker:
            return worker.compare(gold, answer, options)

    def grade(self, gold: str, response: str) -> Verdict:
        """Return the verdict on all that a model wrote."""
        return grade_response(gold, response, self.options, self._algebra)

    def grade_answer(self, gold: str, answer: str) -> Verdict:
        """Return the verdict on an answer that has already been taken from its response."""
        return grade_answer(gold, answer, self.options, self._algebra)

    def grade_many(self, pairs: Iterable[tuple[str, str]], *, bare: bool = False) -> list[Verdict]:
        """Return the verdicts on pairs of gold and response, in their order.

        With `bare`, the second of each pair is an answer. Equal pairs are graded once.
        """
        listed = list(pairs)
        grade = self.grade_answer if bare else self.grade
        verdicts: dict[tuple[str, str], Verdict] = {}
        waiting = []
        for pair in dict.fromkeys(listed):
            try:
                verdicts[pair] = self._at_once(pair, bare=bare)
            except _NeedsWorker:
                waiting.append(pair)
        if waiting:
            with ThreadPoolExecutor(self.num_workers, "grading") as threads:
                found = threads.map(lambda pair: grade(*pair), waiting)
                verdicts.update(zip(waiting, found, strict=True))
        return [verdicts[pair] for pair in listed]

    def _at_once(self, pair: tuple[str, str], *, bare: bool) -> Verdict:
        """Return a verdict that needs no worker, else raise `_NeedsWorker`."""
        grade = grade_answer if bare else grade_response
        return grade(*pair, self.options, _refuse)

    def accepts_itself(self, gold: str) -> bool:
        """Say whether a gold, boxed, is right by itself: what fails must not be trained on."""
        return self.grade(gold, rf"\boxed{{{gold}}}").right


class _NeedsWorker(Exception):
    """A pair is not settled by text, numbers and structure."""


def _refuse(gold: str, answer: str, options: GradingOptions) -> Finding:
    raise _NeedsWorker


def _rebuild(
    options: GradingOptions, num_workers: int, limit_s: float, memory_mb: int
) -> GradingPool:
    return GradingPool(options, num_workers=num_workers, limit_s=limit_s, memory_mb=memory_mb)
