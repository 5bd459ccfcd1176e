"""Other agents' texts in the learner's tokens, and the drift between the two."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hacpo.rollout.reencoding import author_drift, own_drift, reencode
from hacpo.types import (
    AgentRollouts,
    Completion,
    FinishReason,
    OwnRollout,
    Rollout,
    RolloutGroup,
)
from tests.tiny_models import TinyModel


def _rollouts(texts: Sequence[tuple[str, bool, int]]) -> AgentRollouts:
    rollouts = tuple(
        Rollout(
            problem_id="p",
            author="llama",
            text=text,
            reward=1.0,
            logprob_sum=-1.0,
            num_tokens=num_tokens,
            finish_reason=FinishReason.STOP if stopped else FinishReason.LENGTH,
            policy_version=0,
        )
        for text, stopped, num_tokens in texts
    )
    group = RolloutGroup(problem_id="p", author="llama", rollouts=rollouts)
    return AgentRollouts(step=0, author="llama", groups=(group,))


def test_lengths_are_compared_with_the_authors(tiny_qwen: TinyModel) -> None:
    # In characters: "3+4=7" and EOS are 6 tokens, "7" without EOS is 1, "" without EOS none.
    rollouts = _rollouts([("3+4=7", True, 4), ("7", False, 1), ("", False, 1)])
    (group,) = reencode(rollouts, codec=tiny_qwen.codec, prompts={"p": (4, 5)}, max_tokens=16)
    assert [len(shared.token_ids) for shared in group] == [6, 1, 0]
    drift = author_drift((group,))
    assert drift["length_changed"] == 0.5
    assert drift["length_ratio"] == pytest.approx((6 / 4 + 1) / 2)
    assert drift["dropped"] == pytest.approx(1 / 3)


def test_a_long_text_is_dropped_whole(tiny_qwen: TinyModel) -> None:
    (group,) = reencode(
        _rollouts([("3+4=7", True, 4)]), codec=tiny_qwen.codec, prompts={"p": (4,)}, max_tokens=5
    )
    assert group[0].token_ids == ()


def test_own_ids_that_are_not_canonical_are_counted(tiny_llama: TinyModel) -> None:
    codec = tiny_llama.codec
    canonical = codec.encode_completion("3+4=7", stopped=True)
    # One token per character: the same text, other ids than the tokenizer would give.
    single = tuple(
        token
        for character in "3+4=7"
        for token in codec.encode_completion(character, stopped=False)
    )
    assert len(single) > len(canonical) - 1
    own = [[_own(canonical, "3+4=7", stopped=True), _own(single, "3+4=7", stopped=False)]]
    drift = own_drift(own, codec)
    assert drift["ids_changed"] == 0.5
    assert drift["length_changed"] == 0.5


def _own(ids: tuple[int, ...], text: str, *, stopped: bool) -> OwnRollout:
    reason = FinishReason.STOP if stopped else FinishReason.LENGTH
    rollout = _rollouts([(text, stopped, len(ids))]).groups[0].rollouts[0]
    return OwnRollout(
        rollout=rollout,
        prompt_ids=(4,),
        completion=Completion(token_ids=ids, text=text, finish_reason=reason),
        old_logprobs=(-1.0,) * len(ids),
    )
