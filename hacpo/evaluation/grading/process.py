"""A worker process that compares answers, as its parent sees it."""

from __future__ import annotations

import json
from dataclasses import asdict

from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.verdict import Finding
from hacpo.line_process import Crashed, Late, LineProcess

GROWN_SHARE = 0.6
"""A worker that holds this share of its memory limit is replaced before the next answer."""


class WorkerProcess(LineProcess):
    """One process that compares one answer at a time. A thread must own it while it works."""

    def __init__(self, *, limit_s: float, memory_mb: int) -> None:
        super().__init__(
            "hacpo.evaluation.grading.worker", str(limit_s), str(memory_mb), limit_s=limit_s
        )
        self.memory_mb = memory_mb

    def compare(self, gold: str, answer: str, options: GradingOptions) -> Finding:
        """Compare in the process; at the limit or after a crash it is killed."""
        task = {"gold": gold, "answer": answer, "options": asdict(options)}
        try:
            reply = json.loads(self.ask(json.dumps(task).encode()))
        except Late:
            return Finding(right=False, way="timeout")
        except (Crashed, ValueError):
            self.stop()
            return Finding(right=False, way="crashed")
        if reply["mb"] > GROWN_SHARE * self.memory_mb:
            self.stop()
        return Finding(right=bool(reply["right"]), way=reply["way"])
