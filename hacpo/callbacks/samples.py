"""Keeps joint groups of completions to read: `samples.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lightning as L

from hacpo.agent.module import Agent
from hacpo.agent.rows import JointGroups
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.types import Rollout, StepBatch


class SampleRecorder(AgentCallback):
    """Appends the joint groups of a step's first prompts: in step 1, then every so many steps."""

    def __init__(self, path: Path, *, every_steps: int, prompts: int) -> None:
        """Write to `path` the groups of the first `prompts` prompts, every `every_steps` steps."""
        self.path = path
        self._every_steps = every_steps
        self._prompts = prompts

    def after_step(self, trainer: L.Trainer, agent: Agent, *, step: int) -> None:
        """Append the step's samples when they are due."""
        if agent.joint is None or not self._is_due(step):
            return
        records = sample_records(agent.current_batch, agent.joint, prompts=self._prompts)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{json.dumps(record)}\n" for record in records))

    def _is_due(self, step: int) -> bool:
        return step == 1 or step % self._every_steps == 0


def sample_records(
    batch: StepBatch, joint: JointGroups, *, prompts: int
) -> Iterator[dict[str, Any]]:
    """Yield one record a completion, for the first `prompts` prompts of the step."""
    learner = joint.authors[0]
    for place, problem in enumerate(batch.problems[:prompts]):
        for number, author in enumerate(joint.authors):
            for index, rollout in enumerate(_group(batch, author, learner, place)):
                yield {
                    "step": batch.step + 1,
                    "problem_id": problem.id,
                    "prompt": problem.prompt,
                    "gold": problem.answer,
                    "learner": learner,
                    "author": author,
                    "completion": rollout.text,
                    "finish_reason": rollout.finish_reason.value,
                    "reward": rollout.reward,
                    "baseline": float(joint.advantages.baseline_P[place]),
                    "advantage": float(joint.advantages.values_NPG[number, place, index]),
                    "weighted_advantage": float(joint.weighted_NPG[number, place, index]),
                    "author_tokens": rollout.num_tokens,
                    "policy_version": rollout.policy_version,
                }


def _group(batch: StepBatch, author: str, learner: str, place: int) -> list[Rollout]:
    if author == learner:
        return [own.rollout for own in batch.own[place]]
    return [shared.rollout for shared in batch.shared[author][place]]
