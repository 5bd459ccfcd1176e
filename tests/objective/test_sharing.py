"""Which shared completions are learnt from: hand-made groups, limits, and the default of all."""

from __future__ import annotations

import math

import pytest
import torch

from hacpo.objective import chosen_share, without_unwanted

# Two authors, one prompt, three completions each.
WEIGHTED_NPG = torch.tensor([[[0.5, -0.5, -0.2]], [[0.8, -0.3, 0.0]]], dtype=torch.float64)
REWARDS_NPG = torch.tensor([[[1.0, 0.0, 0.0]], [[1.0, 0.0, 0.5]]], dtype=torch.float64)


def test_by_default_nothing_is_unwanted() -> None:
    assert torch.equal(without_unwanted(WEIGHTED_NPG, REWARDS_NPG), WEIGHTED_NPG)


def test_a_veto_takes_negative_shared_advantages_and_no_own_ones() -> None:
    kept = without_unwanted(WEIGHTED_NPG, REWARDS_NPG, smallest_advantage=0.0)
    assert kept.tolist() == [[[0.5, -0.5, -0.2]], [[0.8, 0.0, 0.0]]]


def test_only_successes_of_others_teach() -> None:
    weighted_NPG = WEIGHTED_NPG - 1.0
    kept = without_unwanted(weighted_NPG, REWARDS_NPG, smallest_reward=0.5)
    assert torch.equal(kept[0], weighted_NPG[0])
    assert kept[1, 0].tolist() == [pytest.approx(-0.2), 0.0, -1.0]


def _generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(
    ("ratio", "shared"), [(0.0, 0), (0.25, 1), (0.5, 2), (1.0, 4), (1.5, 6), (2.0, 8), (9.0, 8)]
)
def test_a_ratio_is_shared_completions_per_own_one(ratio: float, shared: int) -> None:
    mask_NPG = torch.ones(3, 5, 4, dtype=torch.bool)
    kept = chosen_share(mask_NPG, ratio=ratio, generator=_generator())
    assert kept[0].all()
    assert kept[1:].sum(dim=(0, 2)).tolist() == [shared] * 5


def test_without_a_limit_all_are_kept_and_the_mask_is_not_touched() -> None:
    mask_NPG = torch.ones(2, 3, 4, dtype=torch.bool)
    mask_NPG[1, 0, 3] = False
    before = mask_NPG.clone()
    assert torch.equal(chosen_share(mask_NPG, ratio=math.inf, generator=_generator()), mask_NPG)
    chosen_share(mask_NPG, ratio=0.5, generator=_generator())
    assert torch.equal(mask_NPG, before)


def test_missing_rollouts_are_never_chosen_and_own_ones_set_the_number() -> None:
    mask_NPG = torch.ones(2, 1, 4, dtype=torch.bool)
    mask_NPG[0, 0, 2:] = False  # two own ones
    mask_NPG[1, 0, :2] = False  # two of the other author's
    for seed in range(20):
        kept = chosen_share(mask_NPG, ratio=0.5, generator=_generator(seed))
        assert int(kept[1].sum()) == 1
        assert not (kept & ~mask_NPG).any()


def test_every_shared_completion_is_equally_likely() -> None:
    mask_NPG = torch.ones(3, 2000, 2, dtype=torch.bool)
    shares = chosen_share(mask_NPG, ratio=0.5, generator=_generator())[1:].double().mean(dim=1)
    # One of four for each of 2,000 prompts; the standard error is .0097.
    assert shares.flatten().tolist() == pytest.approx([0.25] * 4, abs=0.04)


@pytest.mark.parametrize("ratio", [-0.1, math.nan])
def test_senseless_ratios_are_refused(ratio: float) -> None:
    with pytest.raises(ValueError, match="share ratio must not be negative"):
        chosen_share(torch.ones(2, 1, 2, dtype=torch.bool), ratio=ratio, generator=_generator())
