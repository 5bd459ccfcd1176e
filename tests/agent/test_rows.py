"""Joint groups become rows: baselines, weights, what is dropped, authors of different G."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hacpo.agent.rows import joint_groups, training_rows
from hacpo.agent.settings import (
    AdvantageSettings,
    CapabilitySettings,
    LearningSettings,
    SharingSettings,
    UpdateSettings,
)
from hacpo.types import OwnRollout, Problem, SharedRollout, StepBatch
from tests.conftest import OwnRolloutMaker
from tests.objectives import HACPO


def _settings(**capability: float) -> LearningSettings:
    return LearningSettings(
        objective=HACPO,
        capability=CapabilitySettings(**capability),
        advantage=AdvantageSettings(std_correction=0, std_epsilon=0.0),
        update=UpdateSettings(sequences=4),
    )


def _shared(rollout: OwnRollout, token_ids: tuple[int, ...] = (7, 8)) -> SharedRollout:
    return SharedRollout(rollout=rollout.rollout, prompt_ids=(4, 5), token_ids=token_ids)


def _batch(own_rollout: OwnRolloutMaker, **changes: object) -> StepBatch:
    own = (own_rollout(1.0), own_rollout(0.0))
    shared = tuple(_shared(own_rollout(reward, author="llama")) for reward in (0.0, 0.0))
    fields = {
        "step": 0,
        "problems": (Problem(id="p", prompt="3+4=", answer="7"),),
        "own": (own,),
        "shared": {"llama": (shared,)},
        "capabilities": {"qwen": 0.5, "llama": 0.25},
    }
    return StepBatch(**{**fields, **changes})


def test_hand_computed_joint_group(own_rollout: OwnRolloutMaker) -> None:
    joint = joint_groups(_batch(own_rollout), learner="qwen", settings=_settings())
    # omega(qwen, llama) = .5 / .25 = 2; mu = (1*1 + 0 + 2*0 + 2*0) / 4 = .25;
    # sigma of (1, 0, 0, 0) = sqrt(3)/4.
    assert joint.authors == ("qwen", "llama")
    assert joint.omegas_N == (1.0, 2.0)
    assert joint.advantages.baseline_P.tolist() == [0.25]
    sigma = 3**0.5 / 4
    assert joint.advantages.values_NPG.flatten().tolist() == pytest.approx(
        [0.75 / sigma, -0.25 / sigma, -0.25 / sigma, -0.25 / sigma]
    )
    # The weaker author counts half, (10).
    assert joint.weighted_NPG[1].flatten().tolist() == pytest.approx([-0.125 / sigma] * 2)


def test_exponents_of_zero_take_the_mechanisms_out(own_rollout: OwnRolloutMaker) -> None:
    joint = joint_groups(
        _batch(own_rollout),
        learner="qwen",
        settings=_settings(baseline_exponent=0.0, coefficient_exponent=0.0),
    )
    assert joint.omegas_N == (1.0, 1.0)
    assert joint.weighted_NPG.equal(joint.advantages.values_NPG)


def test_rows_keep_own_ids_and_drop_what_has_no_tokens(own_rollout: OwnRolloutMaker) -> None:
    shared = (
        _shared(own_rollout(1.0, author="llama"), token_ids=()),
        _shared(own_rollout(0.0, author="llama", logprobs=(-3.0, -1.0, -2.0))),
    )
    batch = _batch(own_rollout, shared={"llama": (shared,)})
    rows = training_rows(batch, joint_groups(batch, learner="qwen", settings=_settings()))
    assert [(row.author, row.shared) for row in rows] == [
        ("qwen", False),
        ("qwen", False),
        ("llama", True),
    ]
    assert rows[0].tokens == ((4, 5), (4, 5))
    assert rows[0].old_logprobs == (-1.0, -1.0)
    assert rows[2].tokens == ((4, 5), (7, 8))
    assert rows[2].old_logprobs == ()
    # The author's mean is over the author's own three tokens.
    assert rows[2].source_mean_logprob == pytest.approx(-2.0)


def test_a_dropped_rollout_still_counts_in_the_baseline(own_rollout: OwnRolloutMaker) -> None:
    shared = tuple(_shared(own_rollout(1.0, author="llama"), token_ids=()) for _ in range(2))
    batch = _batch(
        own_rollout,
        shared={"llama": (shared,)},
        capabilities={"qwen": 0.5, "llama": 0.5},
    )
    joint = joint_groups(batch, learner="qwen", settings=_settings())
    assert joint.advantages.baseline_P.tolist() == [0.75]


def test_authors_may_differ_in_the_number_of_completions(own_rollout: OwnRolloutMaker) -> None:
    one = (_shared(own_rollout(1.0, author="llama")),)
    batch = _batch(own_rollout, shared={"llama": (one,)}, capabilities={"qwen": 0.5, "llama": 0.5})
    joint = joint_groups(batch, learner="qwen", settings=_settings())
    assert joint.mask_NPG.tolist() == [[[True, True]], [[True, False]]]
    assert joint.advantages.baseline_P.tolist() == pytest.approx([2 / 3])


def test_shared_rows_that_are_not_wanted_stay_in_the_count_without_an_advantage(
    own_rollout: OwnRolloutMaker,
) -> None:
    settings = replace(_settings(), sharing=SharingSettings(smallest_advantage=0.0))
    batch = _batch(own_rollout)
    joint = joint_groups(batch, learner="qwen", settings=settings)
    plain = joint_groups(batch, learner="qwen", settings=_settings())
    assert joint.advantages.baseline_P.equal(plain.advantages.baseline_P)
    rows = training_rows(batch, joint)
    assert len(rows) == 4
    assert [row.advantage for row in rows if row.shared] == [0.0, 0.0]
    assert [row.advantage for row in rows if not row.shared] == [
        row.advantage for row in training_rows(batch, plain) if not row.shared
    ]


def test_a_share_ratio_leaves_rows_out_and_keeps_their_rewards(
    own_rollout: OwnRolloutMaker,
) -> None:
    settings = replace(_settings(), sharing=SharingSettings(ratio=0.5))
    batch = _batch(own_rollout)
    joint = joint_groups(batch, learner="qwen", settings=settings, share_seed=3)
    assert joint.advantages.baseline_P.tolist() == [0.25]
    rows = training_rows(batch, joint)
    assert [row.shared for row in rows] == [False, False, True]
    assert int(joint.learnt_NPG.sum()) == 3
