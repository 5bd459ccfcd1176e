"""Own rollouts of one step: sample, reward, and log-probabilities under the sampling policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transformers import PreTrainedModel

from hacpo.agent.clock import PhaseClock
from hacpo.reward import GradedTexts, WeightedReward
from hacpo.rollout.engine import Engine, SamplingSettings
from hacpo.rollout.logprobs import frozen_logprobs
from hacpo.rollout.tokens import TokenCodec
from hacpo.types import (
    AgentRollouts,
    Completion,
    OwnRollout,
    Problem,
    Rollout,
    RolloutGroup,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """Own rollouts of one step."""

    own: tuple[tuple[OwnRollout, ...], ...]
    """[P][G]."""
    graded: GradedTexts
    """The same completions in one row, with the parts of their rewards."""


@dataclass(frozen=True, kw_only=True)
class RolloutCollector:
    """Samples G completions for every problem and makes own rollouts of them."""

    name: str
    model: PreTrainedModel
    codec: TokenCodec
    engine: Engine
    reward: WeightedReward
    sampling: SamplingSettings
    token_budget: int
    clock: PhaseClock

    def __post_init__(self) -> None:
        """Refuse truncated sampling, whose log-probabilities belong to another distribution."""
        if self.sampling.top_p < 1:
            raise ValueError("training samples from the whole distribution: top_p is 1")

    def collect(self, problems: Sequence[Problem], *, seed: int, policy_version: int) -> Collected:
        """Return [P][G] own rollouts and their grades.

        Log-probabilities are recomputed by the trainer's model at the sampling temperature, so
        that the ratio before the first update is 1.
        """
        prompts = [self.codec.encode_prompt(problem.prompt) for problem in problems]
        with self.clock("generate"):
            completions = self.engine.generate(prompts, self.sampling, seed=seed)
        with self.clock("grade"):
            graded = self._grade(problems, completions)
        with self.clock("logprobs"):
            logprobs = self._logprobs(prompts, completions)
        rewards = iter(graded.rewards)
        own = tuple(
            tuple(
                self._own_rollout(
                    problem, prompts[place], completion, next(rewards), values, policy_version
                )
                for completion, values in zip(completions[place], logprobs[place], strict=True)
            )
            for place, problem in enumerate(problems)
        )
        return Collected(own=own, graded=graded)

    def _grade(
        self, problems: Sequence[Problem], completions: Sequence[Sequence[Completion]]
    ) -> GradedTexts:
        pairs = [
            (problem, completion.text)
            for problem, group in zip(problems, completions, strict=True)
            for completion in group
        ]
        return self.reward.grade([problem for problem, _ in pairs], [text for _, text in pairs])

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
