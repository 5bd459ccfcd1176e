"""Held-out accuracy before learning, every so many steps, and at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import lightning as L

from hacpo.agent.module import Agent
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.evaluation.held_out import Evaluation, Score, evaluate
from hacpo.files import write_whole
from hacpo.types import Problem


class HeldOutEvaluation(AgentCallback):
    """Evaluates an agent greedily and keeps the answers of its last evaluation on disk."""

    def __init__(
        self,
        problems: Sequence[Problem],
        *,
        score: Score,
        every_steps: int,
        last_step: int,
        max_new_tokens: int,
        at_start: bool,
        path: Path,
        on_evaluation: Callable[[Evaluation], None],
    ) -> None:
        """Evaluate on `problems`.

        Args:
            problems: held out from training.
            score: whether a completion is right; not the reward, which may have other parts.
            every_steps: steps between evaluations.
            last_step: an evaluation follows this step in any case.
            max_new_tokens: limit of each answer.
            at_start: evaluate before the first step too.
            path: JSONL of the last evaluation's answers, written whole.
            on_evaluation: told of every evaluation.
        """
        self._problems = problems
        self._score = score
        self._every_steps = every_steps
        self._last_step = last_step
        self._max_new_tokens = max_new_tokens
        self._at_start = at_start
        self._path = path
        self._on_evaluation = on_evaluation
        self.history: dict[int, float] = {}
        """Accuracy by finished steps; 0 is before learning."""

    def before_learning(self, trainer: L.Trainer, agent: Agent) -> None:
        """Evaluate the starting model."""
        if self._at_start and not self.history:
            self._evaluate(agent, step=0)

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Evaluate when it is due."""
        if step % self._every_steps == 0 or step == self._last_step:
            self._evaluate(agent, step=step)

    def _evaluate(self, agent: Agent, *, step: int) -> None:
        with agent.clock("evaluate"), agent.precision():
            evaluation = evaluate(
                self._problems,
                engine=agent.collector.engine,
                codec=agent.collector.codec,
                score=self._score,
                max_new_tokens=self._max_new_tokens,
                step=step,
            )
        self.history[step] = evaluation.accuracy
        agent.step_metrics |= {
            "eval/accuracy": evaluation.accuracy,
            "eval/truncated_share": evaluation.truncated_share,
        }
        lines = [json.dumps({"step": step, **asdict(answer)}) for answer in evaluation.answers]
        write_whole(self._path, "".join(f"{line}\n" for line in lines))
        self._on_evaluation(evaluation)

    def state_dict(self) -> dict[str, Any]:
        """Return the accuracies so far for the checkpoint."""
        return {"history": dict(self.history)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue the history of a checkpoint."""
        self.history = dict(state_dict["history"])
