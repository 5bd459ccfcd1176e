"""The tensor code against slow loops in plain Python, from rewards to gradients."""

import random

import pytest
import torch

from hacpo.objective import (
    CapabilityWindow,
    author_coefficients,
    author_weighted,
    baseline_omegas,
    joint_advantages,
    micro_batch_loss,
)
from tests.objective import reference
from tests.objective.cases import (
    HACPO,
    NO_CLIP,
    RATIO_GUARDS,
    gradient_of,
    make_rows,
    make_settings,
    scale_of,
)

ALGORITHMS = {
    "hacpo": {},
    "hacpo_alpha_3": {"alpha": 3.0, "cross_delta": 0.2},
    "alpha_0": {"alpha": 0.0},
    "no_stepwise": {"cross_step": 0.0},
    "no_clip": NO_CLIP,
    "naive": {"shared_term": "own"},
    "tight_log_limit": {"log_ratio_limit": 0.1},
    "gspo": {"clip_low": 3e-4, "clip_high": 4e-4},
    "grpo": {"ratio_level": "token", "clip_low": 0.2, "clip_high": 0.28},
}
ALONE = ("gspo", "grpo")
NORMALIZATIONS = {
    "sequence_mean": {},
    "token_mean": {"normalization": "token_mean"},
    "constant_length": {"normalization": "constant_length", "constant_length": 5},
}


def random_rewards(rng, num_authors, num_prompts=4, num_completions=3):
    """Rewards with uniform prompts, graded ones, and missing rollouts."""
    return [
        [
            [
                None if rng.random() < 0.15 else rng.choice([0.0, 0.0, 0.5, 1.0]) if p else 1.0
                for _ in range(num_completions)
            ]
            for p in range(num_prompts)
        ]
        for _ in range(num_authors)
    ]


def as_tensors(rewards):
    mask = torch.tensor([[[r is not None for r in g] for g in author] for author in rewards])
    filled = [[[float("nan") if r is None else r for r in g] for g in a] for a in rewards]
    return torch.tensor(filled, dtype=torch.float64), mask


def both_advantages(rng, rewards, learner, guards, exponents):
    """The learner's weighted advantages by loops and by tensors, NPG."""
    names = [f"agent{n}" for n in range(len(rewards))]
    window = CapabilityWindow(size=2, history={})
    steps = [{name: rng.choice([0.0, rng.random()]) for name in names} for _ in range(3)]
    for step in steps:
        window = window.push(step)
    smooth = [(steps[1][name] + steps[2][name]) / 2 for name in names]
    limits = (1e-3, 0.1, 10.0)
    omegas = [reference.ratio(smooth[learner], p, *limits) ** exponents[0] for p in smooth]
    weights = [reference.ratio(p, smooth[learner], *limits) ** exponents[1] for p in smooth]
    slow = reference.advantages(
        rewards,
        omegas,
        weights,
        learner=learner,
        correction=guards["std_correction"],
        epsilon=guards["std_epsilon"],
        tolerance=guards["uniform_tolerance"],
        guard=guards["baseline_guard"] == "own_mean",
    )
    arguments = {"learner": names[learner], "authors": names, **RATIO_GUARDS}
    fast_omegas = baseline_omegas(window.smoothed(), exponent=exponents[0], **arguments)
    fast_weights = author_coefficients(window.smoothed(), exponent=exponents[1], **arguments)
    rewards_NPG, mask_NPG = as_tensors(rewards)
    fast = joint_advantages(rewards_NPG, fast_omegas, learner=learner, mask_NPG=mask_NPG, **guards)
    return slow, author_weighted(fast.values_NPG, fast_weights)


@pytest.mark.parametrize("num_authors", [1, 2, 3, 4])
@pytest.mark.parametrize("exponents", [(1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (2.0, 0.5)])
@pytest.mark.parametrize("guard", ["own_mean", "keep"])
@pytest.mark.parametrize("correction", [0, 1])
def test_advantages_agree(num_authors, exponents, guard, correction):
    rng = random.Random(f"{num_authors}{exponents}{guard}{correction}")
    guards = {
        "std_correction": correction,
        "std_epsilon": 1e-6,
        "uniform_tolerance": 1e-8,
        "baseline_guard": guard,
    }
    for _ in range(10):
        rewards = random_rewards(rng, num_authors)
        learner = rng.randrange(num_authors)
        slow, fast = both_advantages(rng, rewards, learner, guards, exponents)
        expected = torch.tensor(slow, dtype=torch.float64)
        torch.testing.assert_close(fast, expected, rtol=0.0, atol=1e-6)


def random_reference_rows(rng, num_authors, learner, alone):
    """Rows of all authors with the learner's advantages, some of them without a token."""
    rewards = random_rewards(rng, 1 if alone else num_authors)
    learner = 0 if alone else learner
    guards = {
        "std_correction": 1,
        "std_epsilon": 1e-6,
        "uniform_tolerance": 1e-8,
        "baseline_guard": "own_mean",
    }
    slow, _ = both_advantages(rng, rewards, learner, guards, (1.0, 1.0))
    rows = []
    for n, author in enumerate(rewards):
        for p, group in enumerate(author):
            for g, reward in enumerate(group):
                if reward is not None:
                    rows.append(random_row(rng, slow[n][p][g], shared=n != learner))
    return rows


def random_row(rng, advantage, *, shared):
    length = rng.choice([0, 1, 2, 3, 5, 8])
    old = [-rng.expovariate(1.0) for _ in range(length)]
    spread = rng.choice([0.01, 0.1, 0.5])
    source = sum(old) / max(length, 1)
    return reference.Row(
        logprobs=[value + rng.gauss(0.0, spread) for value in old],
        old_logprobs=[0.0] * length if shared else old,
        reference_logprobs=[value + rng.gauss(0.0, 0.3) for value in old],
        # The author of a shared row counted other tokens.
        source_mean=source + rng.gauss(0.05, spread) if shared else source,
        advantage=advantage,
        shared=shared,
    )


def as_loss_rows(rows):
    return make_rows(
        [row.logprobs for row in rows],
        old=[row.old_logprobs for row in rows],
        reference=[row.reference_logprobs for row in rows],
        source=[row.source_mean for row in rows],
        advantages=[row.advantage for row in rows],
        shared=[row.shared for row in rows],
        padding=float("nan"),
    )


@pytest.mark.parametrize("num_authors", [1, 2, 3, 4])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("kl_coefficient", [0.0, 0.3])
def test_loss_and_gradient_agree(num_authors, algorithm, normalization, kl_coefficient):
    rng = random.Random(f"{num_authors}{algorithm}{normalization}{kl_coefficient}")
    overrides = {
        **ALGORITHMS[algorithm],
        **NORMALIZATIONS[normalization],
        "kl_coefficient": kl_coefficient,
    }
    for update_index in (0, 3):
        learner = rng.randrange(num_authors)
        rows = random_reference_rows(rng, num_authors, learner, algorithm in ALONE)
        slow, slopes = reference.loss_and_gradient(rows, {**HACPO, **overrides}, update_index)
        fast_rows = as_loss_rows(rows)
        fast = micro_batch_loss(
            fast_rows,
            make_settings(**overrides),
            update_index=update_index,
            scale=scale_of(fast_rows),
        )
        assert fast.loss.item() == pytest.approx(slow, abs=1e-6)
        width = fast_rows.logprobs_BT.shape[1]
        expected = torch.tensor(
            [slope + [0.0] * (width - len(slope)) for slope in slopes], dtype=torch.float64
        )
        torch.testing.assert_close(gradient_of(fast_rows, fast.loss), expected, rtol=0.0, atol=1e-6)
