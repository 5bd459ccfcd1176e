"""Own rollouts of one step: sample, reward, and log-probabilities under the sampling policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transformers import PreTrainedModel

from hacpo.agent.clock import PhaseClock
from hacpo.rollout.engine import Engine, SamplingSettings
from hacpo.rollout.logprobs import frozen_logprobs
from hacpo.rollout.tokens import TokenCodec
from hacpo.types import (
    AgentRollouts,
    Completion,
    OwnRollout,
    Problem,
    Reward,
    Rollout,
    RolloutGroup,
)


@dataclass(frozen=True, kw_only=True)
class RolloutCollector:
    """Samples G completions for every problem and makes own rollouts of them."""

    name: str
    model: PreTrainedModel
    codec: TokenCodec
    engine: Engine
    reward: Reward
    sampling: SamplingSettings
    token_budget: int
    clock: PhaseClock

    def __post_init__(self) -> None:
        """Refuse truncated sampling, whose log-probabilities belong to another distribution."""
        if self.sampling.top_p < 1:
            raise ValueError("training samples from the whole distribution: top_p is 1")

    def collect(
        self, problems: Sequence[Problem], *, seed: int, policy_version: int
    ) -> tuple[tuple[OwnRollout, ...], ...]:
        """Return [P][G] own rollouts.

        Log-probabilities are recomputed by the trainer's model at the sampling temperature, so
        that the ratio before the first update is 1.
        """
        prompts = [self.codec.encode_prompt(problem.prompt) for problem in problems]
        with self.clock("generate"):
            completions = self.engine.generate(prompts, self.sampling, seed=seed)
        with self.clock("grade"):
            rewards = [
                [self.reward(problem, completion.text) for completion in group]
                for problem, group in zip(problems, completions, strict=True)
            ]
        with self.clock("logprobs"):
            logprobs = self._logprobs(prompts, completions)
        return tuple(
            tuple(
                self._own_rollout(
                    problem, prompts[place], completion, reward, values, policy_version
                )
                for completion, reward, values in zip(
                    completions[place], rewards[place], logprobs[place], strict=True
                )
            )
            for place, problem in enumerate(problems)
        )

    def _logprobs(
        self, prompts: Sequence[tuple[int, ...]], completions: Sequence[Sequence[Completion]]
    ) -> list[list[tuple[float, ...]]]:
        rows = [
            (prompt, completion.token_ids)
            for prompt, group in zip(prompts, completions, strict=True)
            for completion in group
        ]
        flat = iter(
            frozen_logprobs(
                self.model,
                rows,
                pad_id=self.codec.pad_id,
                temperature=self.sampling.temperature,
                token_budget=self.token_budget,
            )
        )
        return [[next(flat) for _ in group] for group in completions]

    def _own_rollout(
        self,
        problem: Problem,
        prompt_ids: tuple[int, ...],
        completion: Completion,
        reward: float,
        logprobs: tuple[float, ...],
        policy_version: int,
    ) -> OwnRollout:
        return OwnRollout(
            rollout=Rollout(
                problem_id=problem.id,
                author=self.name,
                text=completion.text,
                reward=reward,
                logprob_sum=sum(logprobs),
                num_tokens=len(logprobs),
                finish_reason=completion.finish_reason,
                policy_version=policy_version,
            ),
            prompt_ids=prompt_ids,
            completion=completion,
            old_logprobs=logprobs,
        )


def travelling(own: Sequence[Sequence[OwnRollout]], *, step: int, author: str) -> AgentRollouts:
    """Return what the other agents may see of own rollouts: text, reward, log-probability."""
    return AgentRollouts(
        step=step,
        author=author,
        groups=tuple(
            RolloutGroup(
                problem_id=group[0].rollout.problem_id,
                author=author,
                rollouts=tuple(own_rollout.rollout for own_rollout in group),
            )
            for group in own
        ),
    )
