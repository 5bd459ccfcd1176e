"""What must not change the loss: padding, the order of rows, and how an update is cut."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hacpo.objective import LossRows, micro_batch_loss
from tests.objective.cases import gradient_of, make_settings, quickly, random_rows, scale_of

SETTINGS = [
    {},
    {"shared_term": "own", "normalization": "token_mean"},
    {"kl_coefficient": 0.2, "normalization": "constant_length", "constant_length": 6},
]


def fields(rows):
    names = (
        "logprobs_BT",
        "mask_BT",
        "old_logprobs_BT",
        "source_mean_logprobs_B",
        "advantages_B",
        "shared_B",
        "reference_logprobs_BT",
    )
    return {name: getattr(rows, name) for name in names}


def taken(rows, index):
    """Rows by index, still attached to the log-probabilities of the whole."""
    return LossRows(**{name: value[index] for name, value in fields(rows).items()})


def padded(rows, columns, value):
    """More columns, filled with `value`; padding inside the rows is filled too."""

    def widen(tensor):
        extra = torch.full((len(tensor), columns), value, dtype=tensor.dtype)
        filled = torch.where(rows.mask_BT, tensor, value)
        return torch.cat([filled, extra], dim=1)

    wide = {
        name: widen(value_BT)
        for name, value_BT in fields(rows).items()
        if name.endswith("logprobs_BT")
    }
    no_more = torch.zeros(len(rows.mask_BT), columns, dtype=torch.bool)
    mask_BT = torch.cat([rows.mask_BT, no_more], dim=1)
    return LossRows(**{**fields(rows), **wide, "mask_BT": mask_BT})


def run(rows, overrides, scale):
    return micro_batch_loss(rows, make_settings(**overrides), update_index=2, scale=scale)


@pytest.mark.parametrize("value", [0.0, -7.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("overrides", SETTINGS)
def test_padding_changes_nothing(overrides, value):
    rows = random_rows(21, count=8)
    scale = scale_of(rows)
    plain, wide = run(rows, overrides, scale), run(padded(rows, 3, value), overrides, scale)
    torch.testing.assert_close(wide.loss, plain.loss)
    torch.testing.assert_close(gradient_of(rows, wide.loss), gradient_of(rows, plain.loss))
    torch.testing.assert_close(wide.statistics.ratio_B, plain.statistics.ratio_B)


@pytest.mark.parametrize("value", [0.0, math.nan, -math.inf])
def test_padding_changes_nothing_with_token_ratios(value):
    rows = random_rows(22, count=8, shared=False)
    overrides = {"ratio_level": "token", "kl_coefficient": 0.2}
    plain = run(rows, overrides, scale_of(rows))
    wide = run(padded(rows, 2, value), overrides, scale_of(rows))
    torch.testing.assert_close(wide.loss, plain.loss)
    torch.testing.assert_close(gradient_of(rows, wide.loss), gradient_of(rows, plain.loss))


@quickly
@given(st.integers(0, 10_000), st.sampled_from(SETTINGS), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(seed, overrides, rng):
    rows = random_rows(seed, count=9)
    order = list(range(9))
    rng.shuffle(order)
    plain = run(rows, overrides, scale_of(rows))
    moved = run(taken(rows, order), overrides, scale_of(rows))
    torch.testing.assert_close(moved.loss, plain.loss)
    torch.testing.assert_close(gradient_of(rows, moved.loss), gradient_of(rows, plain.loss))
    torch.testing.assert_close(moved.statistics.ratio_B, plain.statistics.ratio_B[order])


@pytest.mark.parametrize("parts", [1, 2, 8])
@pytest.mark.parametrize("overrides", [*SETTINGS, {"ratio_level": "token"}])
def test_the_cut_into_micro_batches_does_not_matter(overrides, parts):
    rows = random_rows(23, count=16, shared="ratio_level" not in overrides)
    whole = run(rows, overrides, scale_of(rows))
    losses = [
        run(taken(rows, index), overrides, scale_of(rows)).loss
        for index in torch.arange(16).chunk(parts)
    ]
    torch.testing.assert_close(torch.stack(losses).sum(), whole.loss)
    summed = sum(gradient_of(rows, loss) for loss in losses)
    torch.testing.assert_close(summed, gradient_of(rows, whole.loss), rtol=1e-12, atol=1e-15)


@quickly
@given(st.integers(0, 10_000), st.lists(st.integers(0, 12), max_size=6))
def test_any_uneven_cut_gives_the_same_gradient(seed, cuts):
    rows = random_rows(seed, count=12)
    whole = gradient_of(rows, run(rows, {}, scale_of(rows)).loss)
    edges = [0, *sorted(cuts), 12]
    summed = torch.zeros_like(whole)
    for start, end in itertools.pairwise(edges):
        part = taken(rows, slice(start, end))
        summed += gradient_of(rows, run(part, {}, scale_of(rows)).loss)
    torch.testing.assert_close(summed, whole, rtol=1e-12, atol=1e-15)
