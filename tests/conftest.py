"""Fixtures that several test folders share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hacpo.types import Completion, FinishReason, OwnRollout, Problem, Rollout
from tests.tiny_models import TinyModel, build_tiny


@pytest.fixture
def tiny_qwen() -> TinyModel:
    """A tiny Qwen3 with one token per character."""
    return build_tiny("qwen3")


@pytest.fixture
def tiny_llama() -> TinyModel:
    """A tiny Llama with merged tokens and other ids."""
    return build_tiny("llama", merges=3, seed=1)


@pytest.fixture
def problems() -> tuple[Problem, ...]:
    """Three problems of the arithmetic kind, with prompts of different lengths."""
    return (
        Problem(id="arithmetic/a", prompt="3+4=", answer="7"),
        Problem(id="arithmetic/b", prompt="5+7-1=", answer="11"),
        Problem(id="arithmetic/c", prompt="9-8=", answer="1"),
    )


OwnRolloutMaker = Callable[..., OwnRollout]


@pytest.fixture
def own_rollout() -> OwnRolloutMaker:
    """Make an own rollout from its reward, with two tokens of log-probability -1 by default."""

    def make(
        reward: float,
        *,
        author: str = "qwen",
        problem_id: str = "p",
        logprobs: tuple[float, ...] = (-1.0, -1.0),
    ) -> OwnRollout:
        ids = tuple(range(4, 4 + len(logprobs)))
        return OwnRollout(
            rollout=Rollout(
                problem_id=problem_id,
                author=author,
                text="7",
                reward=reward,
                logprob_sum=sum(logprobs),
                num_tokens=len(logprobs),
                finish_reason=FinishReason.STOP,
                policy_version=0,
            ),
            prompt_ids=(4, 5),
            completion=Completion(token_ids=ids, text="7", finish_reason=FinishReason.STOP),
            old_logprobs=logprobs,
        )

    return make
