"""A user's own function as a reward, in a process that can be killed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from hacpo.line_process import Crashed, Late, LineProcess
from hacpo.reward.part import RewardPart
from hacpo.types import Problem

STOP_SPARE_S = 1.0
"""The worker's own alarm rings this much after the parent's limit."""


class FunctionReward(RewardPart):
    """Calls ``function(problem, text, **arguments) -> float`` in a worker process.

    The process imports the function once. One that takes too long, or dies, is replaced; an
    exception, or a value that is no finite number, costs only that completion its reward.
    """

    def __init__(
        self, target: str, *, arguments: Mapping[str, object], time_limit_s: float
    ) -> None:
        """Take the function's dotted name, its further arguments, and seconds per completion."""
        self.last_error: str | None = None
        """What the function raised last, for the log."""
        self._process = LineProcess(
            "hacpo.reward.function_worker",
            target,
            json.dumps(dict(arguments)),
            str(time_limit_s + STOP_SPARE_S),
            limit_s=time_limit_s,
        )

    def grade(self, problems: Sequence[Problem], texts: Sequence[str]) -> list[float | None]:
        """Return the function's value for each; see `RewardPart.grade`."""
        return [self._one(problem, text) for problem, text in zip(problems, texts, strict=True)]

    def close(self) -> None:
        """End the worker."""
        self._process.stop()

    def _one(self, problem: Problem, text: str) -> float | None:
        line = json.dumps({"problem": asdict(problem), "text": text})
        try:
            reply = json.loads(self._process.ask(line.encode()))
        except Late:
            self.last_error = f"no value within {self._process.limit_s:g} s"
            return None
        except Crashed:
            self.last_error = "the function ended its process"
            return None
        value = reply.get("value")
        if value is None or not math.isfinite(value):
            self.last_error = reply.get("error", f"{value} is no finite number")
            return None
        return float(value)
