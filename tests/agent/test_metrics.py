"""Hand-computed values of the step's metrics, one group at a time."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from hacpo.agent.metrics import capability_metrics, ratio_metrics, rollout_metrics, signal_metrics
from hacpo.agent.rows import JointGroups, joint_groups, training_rows
from hacpo.agent.settings import (
    AdvantageSettings,
    CapabilitySettings,
    LearningSettings,
    UpdateSettings,
)
from hacpo.agent.update import LearntRow
from hacpo.types import FinishReason, OwnRollout, Problem, SharedRollout, StepBatch
from tests.conftest import OwnRolloutMaker
from tests.objectives import HACPO

SETTINGS = LearningSettings(
    objective=HACPO,
    capability=CapabilitySettings(),
    advantage=AdvantageSettings(std_correction=0, std_epsilon=0.0),
    update=UpdateSettings(sequences=4),
)


def _batch(
    own_rollout: OwnRolloutMaker,
    own: list[list[float]],
    shared: list[list[float]],
    capabilities: tuple[float, float] = (0.5, 0.5),
) -> StepBatch:
    """Return a batch from the rewards of the learner and of one other author, prompt by prompt."""
    names = [f"p{place}" for place in range(len(own))]
    return StepBatch(
        step=0,
        problems=tuple(Problem(id=name, prompt="3+4=", answer="7") for name in names),
        own=tuple(
            tuple(own_rollout(reward, problem_id=name) for reward in rewards)
            for name, rewards in zip(names, own, strict=True)
        ),
        shared={
            "llama": tuple(
                tuple(
                    SharedRollout(
                        rollout=own_rollout(reward, author="llama", problem_id=name).rollout,
                        prompt_ids=(4, 5),
                        token_ids=(7, 8),
                    )
                    for reward in rewards
                )
                for name, rewards in zip(names, shared, strict=True)
            )
        },
        capabilities=dict(zip(("qwen", "llama"), capabilities, strict=True)),
    )


def _joint(batch: StepBatch) -> JointGroups:
    return joint_groups(batch, learner="qwen", settings=SETTINGS)


def test_shares_of_groups_with_and_without_a_signal(own_rollout: OwnRolloutMaker) -> None:
    # Four prompts: both mixed; own uniform, rescued by the other; all right; all wrong.
    batch = _batch(
        own_rollout,
        own=[[1, 0], [0, 0], [1, 1], [0, 0]],
        shared=[[1, 0], [1, 0], [1, 1], [0, 0]],
    )
    joint = _joint(batch)
    found = signal_metrics(joint, training_rows(batch, joint))
    assert found["signal/no_signal_share"] == 0.5
    assert found["signal/own_no_signal_share"] == 0.75
    assert found["signal/rescued_share"] == 0.25


def test_shared_mass_is_the_share_of_the_others(own_rollout: OwnRolloutMaker) -> None:
    # Rewards (1, 0 | 0, 0), equal capabilities: |A| is .75 and three times .25 over sigma.
    batch = _batch(own_rollout, own=[[1, 0]], shared=[[0, 0]])
    joint = _joint(batch)
    found = signal_metrics(joint, training_rows(batch, joint))
    assert found["signal/shared_mass"] == pytest.approx(0.5 / 1.5)
    assert found["advantage/mean"] == pytest.approx(0.0, abs=1e-12)


def test_capabilities_and_ratios_stand_under_the_authors_names(
    own_rollout: OwnRolloutMaker,
) -> None:
    batch = _batch(own_rollout, own=[[1, 0]], shared=[[0, 0]], capabilities=(0.6, 0.3))
    found = capability_metrics(batch, _joint(batch))
    assert found["author/llama/capability"] == 0.3
    assert found["author/llama/omega"] == pytest.approx(2.0)
    assert found["author/llama/coefficient"] == pytest.approx(0.5)
    assert found["author/qwen/omega"] == found["author/qwen/coefficient"] == 1.0


def _cut(rollout: OwnRollout) -> OwnRollout:
    completion = replace(rollout.completion, finish_reason=FinishReason.LENGTH)
    return replace(rollout, completion=completion)


def test_what_own_completions_look_like(own_rollout: OwnRolloutMaker) -> None:
    long = _cut(own_rollout(1.0, logprobs=(-1.0, -2.0, -3.0)))
    short = own_rollout(0.0, logprobs=(-2.0,))
    batch = replace(_batch(own_rollout, own=[[1, 0]], shared=[[0, 0]]), own=((long, short),))
    found = rollout_metrics(batch)
    assert found == {
        "reward/mean": 0.5,
        "reward/std": 0.5,
        "rollout/length_mean": 2.0,
        "rollout/length_max": 3.0,
        "rollout/truncated_share": 0.5,
        "rollout/entropy_estimate": 2.0,  # 8 nats over 4 tokens
    }


def _learnt(ratio: float, *, shared: bool, low: bool = False, high: bool = False) -> LearntRow:
    return LearntRow(
        author="llama" if shared else "qwen",
        shared=shared,
        ratio=ratio,
        clipped_low=low,
        clipped_high=high,
        kl_sum=0.5,
    )


def test_ratios_of_own_and_shared_rows_are_kept_apart() -> None:
    rows = [
        _learnt(1.0, shared=False),
        _learnt(1.2, shared=False, high=True),
        _learnt(0.4, shared=True, low=True),
        _learnt(0.8, shared=True),
    ]
    found = ratio_metrics(rows, ("qwen", "llama"))
    assert found["ratio/own_mean"] == pytest.approx(1.1)
    assert (found["ratio/own_clipped_low"], found["ratio/own_clipped_high"]) == (0.0, 0.5)
    assert found["ratio/shared_mean"] == pytest.approx(0.6)
    assert (found["ratio/shared_min"], found["ratio/shared_max"]) == (0.4, 0.8)
    assert (found["ratio/shared_clipped_low"], found["ratio/shared_clipped_high"]) == (0.5, 0.0)
    assert found["author/llama/ratio_mean"] == found["ratio/shared_mean"]
    assert found["kl/own_sum_mean"] == 0.5


def test_no_rows_are_unknown_and_not_zero() -> None:
    found = ratio_metrics([], ("qwen",))
    assert all(math.isnan(value) for value in found.values())
