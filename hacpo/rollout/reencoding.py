"""Re-encoding: other agents' texts in the learner's tokens, and how far the two drift apart."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from hacpo.rollout.tokens import TokenCodec
from hacpo.types import AgentRollouts, FinishReason, OwnRollout, SharedRollout

SharedGroups = tuple[tuple[SharedRollout, ...], ...]


def reencode(
    rollouts: AgentRollouts,
    *,
    codec: TokenCodec,
    prompts: Mapping[str, tuple[int, ...]],
    max_tokens: int,
) -> SharedGroups:
    """Return another agent's rollouts, [P][G], each encoded once in the learner's tokens.

    Args:
        rollouts: of one author.
        codec: of the learner.
        prompts: the learner's prompt ids by problem.
        max_tokens: a completion that is longer in the learner's tokens is left without tokens,
            and so dropped: a cut text would no longer belong to the author's log-probability.

    EOS is appended only where the author stopped.
    """
    flat = [rollout for group in rollouts.groups for rollout in group.rollouts]
    encoded = iter(
        codec.encode_completions(
            (rollout.text, rollout.finish_reason is FinishReason.STOP) for rollout in flat
        )
    )
    return tuple(
        tuple(
            SharedRollout(
                rollout=rollout,
                prompt_ids=prompts[group.problem_id],
                token_ids=ids if len(ids) <= max_tokens else (),
            )
            for rollout, ids in zip(group.rollouts, encoded, strict=False)
        )
        for group in rollouts.groups
    )


def author_drift(groups: SharedGroups) -> dict[str, float]:
    """Return how one author's completions change in the learner's tokens.

    length_changed: share with another number of tokens; length_ratio: mean of learner tokens over
    author tokens; dropped: share left without tokens.
    """
    shared = [rollout for group in groups for rollout in group]
    kept = [rollout for rollout in shared if rollout.token_ids]
    ratios = [len(rollout.token_ids) / rollout.rollout.num_tokens for rollout in kept]
    return {
        "length_changed": statistics.fmean(ratio != 1.0 for ratio in ratios) if ratios else 0.0,
        "length_ratio": statistics.fmean(ratios) if ratios else float("nan"),
        "dropped": 1.0 - len(kept) / len(shared),
    }


def own_drift(own: Sequence[Sequence[OwnRollout]], codec: TokenCodec) -> dict[str, float]:
    """Return how own completions would change if their text were encoded again.

    ids_changed: share whose ids would differ. They are trained on as sampled; this says how much
    sampling leaves the tokenizer's canonical form.
    """
    completions = [rollout.completion for group in own for rollout in group]
    again = codec.encode_completions(
        (completion.text, completion.finish_reason is FinishReason.STOP)
        for completion in completions
    )
    changed = [
        _body(ids, codec) != _body(completion.token_ids, codec)
        for ids, completion in zip(again, completions, strict=True)
    ]
    lengths = [
        len(ids) / len(completion.token_ids)
        for ids, completion in zip(again, completions, strict=True)
    ]
    return {
        "ids_changed": statistics.fmean(changed),
        "length_changed": statistics.fmean(length != 1.0 for length in lengths),
        "length_ratio": statistics.fmean(lengths),
        "dropped": 0.0,
    }


def _body(token_ids: tuple[int, ...], codec: TokenCodec) -> tuple[int, ...]:
    # Any stop token ends a completion; which one is not a drift.
    return token_ids[:-1] if token_ids and token_ids[-1] in codec.stop_ids else token_ids
