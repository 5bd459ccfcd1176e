"""Five steps of learning from fixed rollouts: nothing is sampled, only learning is tested."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import lightning as L

from hacpo.agent.module import Agent
from hacpo.agent.steps import step_loader
from hacpo.objective import ObjectiveSettings
from hacpo.rollout.logprobs import frozen_logprobs
from hacpo.types import Completion, FinishReason, OwnRollout, Rollout, SharedRollout, StepBatch
from tests.tiny_agents import PROBLEMS, tiny_agent
from tests.tiny_models import build_tiny

STEPS = 5
KEYS = (
    "update/loss",
    "update/gradient_norm",
    "ratio/own_mean",
    "ratio/shared_mean",
    "ratio/shared_clipped_low",
    "advantage/mean",
)
OWN_TEXTS = ("7", "3+4=7", "12-1=11", "9")
SHARED_TEXTS = ("3+4=7", "1", "8+8=16", "2+2=4")


def _rollout(author: str, text: str, reward: float, logprobs: tuple[float, ...]) -> Rollout:
    return Rollout(
        problem_id="p",
        author=author,
        text=text,
        reward=reward,
        logprob_sum=sum(logprobs),
        num_tokens=len(logprobs),
        finish_reason=FinishReason.STOP,
        policy_version=0,
    )


class FixedRollouts(L.Callback):
    """Puts fixed texts, scored by the current model, in the place of what was sampled."""

    def __init__(self, *, share: bool) -> None:
        """Share another author's texts too, or learn from own ones alone."""
        self._share = share
        self.rows: list[dict[str, float]] = []

    def on_train_batch_start(
        self, trainer: L.Trainer, agent: Agent, batch: StepBatch, batch_idx: int
    ) -> None:
        """Replace the batch."""
        own = tuple(self._own_group(agent, place, batch.step) for place in range(3))
        shared = tuple(self._shared_group(agent, place) for place in range(3))
        agent.step_batch = replace(
            batch,
            own=own,
            shared={"llama": shared} if self._share else {},
            capabilities={"qwen": 0.5, "llama": 0.4},
        )

    def _own_group(self, agent: Agent, place: int, step: int) -> tuple[OwnRollout, ...]:
        codec = agent.collector.codec
        prompt = codec.encode_prompt(PROBLEMS[place].prompt)
        ids = [codec.encode_completion(text, stopped=True) for text in OWN_TEXTS]
        scores = frozen_logprobs(
            agent.language_model,
            [(prompt, completion) for completion in ids],
            pad_id=codec.pad_id,
            temperature=1.0,
            token_budget=10_000,
        )
        return tuple(
            OwnRollout(
                rollout=_rollout("qwen", text, float((number + place + step) % 2), score),
                prompt_ids=prompt,
                completion=Completion(
                    token_ids=completion, text=text, finish_reason=FinishReason.STOP
                ),
                old_logprobs=score,
            )
            for number, (text, completion, score) in enumerate(
                zip(OWN_TEXTS, ids, scores, strict=True)
            )
        )

    def _shared_group(self, agent: Agent, place: int) -> tuple[SharedRollout, ...]:
        codec = agent.collector.codec
        return tuple(
            SharedRollout(
                rollout=_rollout("llama", text, float(number < 2), (-2.0 - 0.4 * number,) * 3),
                prompt_ids=codec.encode_prompt(PROBLEMS[place].prompt),
                token_ids=codec.encode_completion(text, stopped=True),
            )
            for number, text in enumerate(SHARED_TEXTS)
        )

    def on_train_batch_end(self, trainer: L.Trainer, agent: Agent, *_: Any) -> None:
        """Keep the step's figures."""
        metrics = agent.step_metrics
        self.rows.append(
            {key: metrics[key] for key in KEYS if not math.isnan(metrics.get(key, math.nan))}
        )


def curve(objective: ObjectiveSettings, folder: Path, *, share: bool) -> list[dict[str, float]]:
    """Return the figures of five steps from the same start, one record a step."""
    fixed = FixedRollouts(share=share)
    trainer = L.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        default_root_dir=folder,
        callbacks=[fixed],
    )
    agent = tiny_agent(build_tiny("qwen3"), objective=objective, sequences=6)
    trainer.fit(agent, train_dataloaders=step_loader(STEPS))
    return fixed.rows
