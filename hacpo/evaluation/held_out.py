"""Greedy accuracy on held-out problems."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hacpo.rollout.engine import Engine, SamplingSettings
from hacpo.rollout.tokens import TokenCodec
from hacpo.types import FinishReason, Problem

Score = Callable[[Sequence[Problem], Sequence[str]], Sequence[float | None]]
"""Scores completions of problems; None, which counts as 0, where one cannot be graded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One graded answer."""

    problem_id: str
    prompt: str
    gold: str
    completion: str
    reward: float
    truncated: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """Answers of one agent at one step."""

    step: int
    answers: tuple[Answer, ...]

    @property
    def accuracy(self) -> float:
        """Mean reward of the greedy answers."""
        return statistics.fmean(answer.reward for answer in self.answers)

    @property
    def truncated_share(self) -> float:
        """Share of answers that ran into the token limit."""
        return statistics.fmean(answer.truncated for answer in self.answers)


def evaluate(
    problems: Sequence[Problem],
    *,
    engine: Engine,
    codec: TokenCodec,
    score: Score,
    max_new_tokens: int,
    step: int,
) -> Evaluation:
    """Return the graded greedy answers to `problems`, in their order."""
    settings = SamplingSettings(
        completions_per_prompt=1, max_new_tokens=max_new_tokens, temperature=0.0
    )
    prompts = [codec.encode_prompt(problem.prompt) for problem in problems]
    completions = engine.generate(prompts, settings, seed=0)
    texts = [completion.text for (completion,) in completions]
    scores = score(problems, texts)
    return Evaluation(
        step=step,
        answers=tuple(
            Answer(
                problem_id=problem.id,
                prompt=problem.prompt,
                gold=problem.answer,
                completion=completion.text,
                reward=value or 0.0,
                truncated=completion.finish_reason is FinishReason.LENGTH,
            )
            for problem, (completion,), value in zip(problems, completions, scores, strict=True)
        ),
    )
