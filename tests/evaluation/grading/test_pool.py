"""Workers: their limits, their end, and that nobody notices where grading runs."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lightning as L
import pytest
import torch

from hacpo.evaluation.grading import GradingOptions, GradingPool, Verdict
from hacpo.evaluation.grading.process import WorkerProcess
from tests.evaluation.grading.places import PAIRS, grade_into, grade_pairs

ROOT = Path(__file__).parents[3]
SLOW = r"\prod_{k=1}^{9000000} k"
"""A product that sympy multiplies out, for much longer than any limit here."""


def alive(pid: int) -> bool:
    """Say whether a process runs; one that waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(pids: tuple[int, ...], within_s: float = 10) -> bool:
    end = time.monotonic() + within_s
    while any(alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


@pytest.fixture(scope="module")
def expected() -> list[Verdict]:
    return grade_pairs()


def test_order_is_kept_and_repeated_pairs_agree(expected: list[Verdict]) -> None:
    shuffled = list(range(len(PAIRS))) * 2
    random.Random(0).shuffle(shuffled)
    with GradingPool() as pool:
        verdicts = pool.grade_many([PAIRS[index] for index in shuffled], bare=True)
    assert verdicts == [expected[index] for index in shuffled]


def test_same_verdicts_in_threads(expected: list[Verdict]) -> None:
    with GradingPool(num_workers=2) as pool, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda pair: pool.grade_answer(*pair), PAIRS))
    assert found == expected


def test_same_verdicts_in_a_daemonic_spawned_process(expected: list[Verdict]) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=grade_into, args=(results,), daemon=True)
    process.start()
    assert results.get(timeout=120) == expected
    process.join(30)


class Grading(L.LightningModule):
    """Grades in every hook in which an agent may want to."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.found: list[list[Verdict]] = []

    def training_step(self, batch: torch.Tensor) -> torch.Tensor:
        self.found.append(grade_pairs())
        return (self.weight * batch).sum()

    def on_train_epoch_end(self) -> None:
        self.found.append(grade_pairs())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def test_same_verdicts_inside_a_lightning_run(expected: list[Verdict], tmp_path: Path) -> None:
    trainer = L.Trainer(
        max_steps=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    module = Grading()
    trainer.fit(module, torch.utils.data.DataLoader(torch.ones(1, 1)))
    assert module.found == [expected, expected]


def test_worker_at_its_limit_is_killed_and_replaced() -> None:
    with GradingPool(num_workers=1, limit_s=1.0) as pool:
        assert pool.grade_answer(r"\sqrt{2}", r"2^{1/2}").right
        first = pool.worker_pids
        begin = time.monotonic()
        verdict = pool.grade_answer(r"\sqrt{2}", SLOW)
        assert (verdict.right, verdict.way) == (False, "timeout")
        assert time.monotonic() - begin < 4
        assert gone(first)
        assert pool.grade_answer(r"\sqrt{2}", r"2^{1/2}").right
        assert pool.worker_pids != first


def test_worker_that_was_killed_from_outside_is_replaced() -> None:
    with GradingPool(num_workers=1) as pool:
        pool.grade_answer(r"\sqrt{2}", r"2^{1/2}")
        (pid,) = pool.worker_pids
        os.kill(pid, signal.SIGKILL)
        assert gone((pid,))
        assert pool.grade_answer(r"\sqrt{3}", r"3^{1/2}").right


def test_worker_that_grew_is_replaced() -> None:
    worker = WorkerProcess(limit_s=5, memory_mb=2048)
    worker.start()
    first = worker.pid
    worker.memory_mb = 1  # whatever it holds is now too much
    assert worker.compare(r"\sqrt{2}", r"2^{1/2}", GradingOptions()).right
    assert worker.pid is None
    assert first is not None
    assert gone((first,))


def test_memory_limit_holds() -> None:
    code = (
        "from hacpo.evaluation.grading.worker import _limit_memory as limit\n"
        "limit(1024)\n"
        "try: bytearray(2 * 2**30)\n"
        "except MemoryError: print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_no_worker_outlives_its_pool() -> None:
    with GradingPool(num_workers=2) as pool:
        pool.grade_many([(r"\sqrt{2}", rf"{n}^{{1/2}}") for n in range(2, 6)], bare=True)
        pids = pool.worker_pids
        assert len(pids) == 2
    assert gone(pids)
    with pytest.raises(ValueError, match="closed"):
        pool.grade_answer(r"\sqrt{2}", r"2^{1/2}")


def test_pool_without_close_ends_its_workers() -> None:
    pool = GradingPool(num_workers=1)
    pool.grade_answer(r"\sqrt{2}", r"2^{1/2}")
    pids = pool.worker_pids
    del pool
    assert gone(pids)


def test_busy_worker_dies_after_its_parent() -> None:
    """The parent is killed while its worker computes: the worker's own alarm ends it."""
    code = (
        "import threading\n"
        "from hacpo.evaluation.grading import GradingPool\n"
        "pool = GradingPool(num_workers=1, limit_s=2.0)\n"
        "pool.grade_answer(r'\\sqrt{2}', r'2^{1/2}')\n"
        "print(*pool.worker_pids, flush=True)\n"
        f"pool.grade_answer(r'\\sqrt{{2}}', {SLOW!r})\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    time.sleep(0.5)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert gone((pid,), within_s=15)


def test_pool_travels_as_its_settings() -> None:
    with GradingPool(num_workers=1, limit_s=3.0) as pool:
        pool.grade_answer(r"\sqrt{2}", r"2^{1/2}")
        copy = pickle.loads(pickle.dumps(pool))
        assert (copy.num_workers, copy.limit_s, copy.options) == (1, 3.0, pool.options)
        assert copy.worker_pids == ()


def test_numbers_and_words_start_no_worker() -> None:
    with GradingPool() as pool:
        pool.grade_many([(str(n), rf"\boxed{{{n + n % 2}}}") for n in range(500)])
        assert pool.worker_pids == ()


def test_grading_loads_neither_torch_nor_sympy() -> None:
    code = (
        "import sys, hacpo.evaluation.grading\n"
        "print(*[name for name in ('torch', 'sympy', 'lightning') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_closing_waits_for_answers_under_way() -> None:
    pool = GradingPool(num_workers=1)
    found: list[Verdict] = []
    thread = threading.Thread(
        target=lambda: found.append(pool.grade_answer(r"\sqrt{2}", r"2^{1/2}"))
    )
    thread.start()
    while not pool.worker_pids:
        time.sleep(0.01)
    pool.close()
    thread.join()
    assert found[0].right


@pytest.mark.parametrize("limits", [{"num_workers": 0}, {"limit_s": 0.0}, {"memory_mb": 10}])
def test_limits_that_nothing_can_meet_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="Grading needs"):
        GradingPool(**limits)  # type: ignore[arg-type]
