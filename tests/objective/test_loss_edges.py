"""Edges of the loss: rows without tokens, and input that is refused."""

import math

import pytest
import torch

from hacpo.objective import LossRows, LossScale, micro_batch_loss
from tests.objective.cases import gradient_of, loss_of, make_rows, make_settings, two_rows


@pytest.mark.parametrize("level", ["sequence", "token"])
@pytest.mark.parametrize("normalization", ["sequence_mean", "token_mean", "constant_length"])
def test_empty_rows_give_zero_and_no_nan(level, normalization):
    rows = make_rows(
        [[], []],
        source=[math.nan, -math.inf],
        advantages=[math.nan, 1.0],
        shared=[False, False],
        reference=[[], []],
        padding=math.nan,
        width=3,
    )
    constant = 5 if normalization == "constant_length" else None
    output = loss_of(
        rows,
        ratio_level=level,
        normalization=normalization,
        constant_length=constant,
        kl_coefficient=0.1,
    )
    assert output.loss.item() == 0.0
    assert (gradient_of(rows, output.loss) == 0.0).all()
    assert output.statistics.ratio_B.tolist() == [1.0, 1.0]
    assert not output.statistics.clipped_low_B.any()


@pytest.mark.parametrize("rows, width", [(0, 4), (0, 0), (2, 0)])
def test_a_micro_batch_without_rows_or_tokens_still_has_a_gradient(rows, width):
    batch = make_rows(
        [[] for _ in range(rows)],
        source=[0.0] * rows,
        advantages=[1.0] * rows,
        shared=[False] * rows,
        width=width,
    )
    output = micro_batch_loss(
        batch, make_settings(), update_index=0, scale=LossScale(num_sequences=4, num_tokens=9)
    )
    assert output.loss.item() == 0.0
    assert gradient_of(batch, output.loss).shape == (rows, width)


def test_an_empty_row_never_counts_as_clipped():
    # Its ratio is reported as 1, which lies above this range.
    rows = make_rows([[], [-1.0]], source=[0.0, -1.0], advantages=[1.0, 1.0], shared=[True, True])
    statistics = loss_of(rows, cross_upper=0.9).statistics
    assert statistics.clipped_high_B.tolist() == [False, True]


def test_token_ratios_refuse_shared_rows():
    with pytest.raises(ValueError, match="no row may be shared"):
        loss_of(two_rows(), ratio_level="token")


def test_kl_penalty_needs_its_reference_for_own_rows_only():
    with pytest.raises(ValueError, match="starting model"):
        loss_of(two_rows(), kl_coefficient=0.1)
    all_shared = two_rows(shared=[True, True])
    assert loss_of(all_shared, kl_coefficient=0.1).loss.isfinite()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"ratio_level": "word"}, "ratio_level"),
        ({"shared_term": "both"}, "shared_term"),
        ({"normalization": "sum"}, "normalization"),
        ({"constant_length": 7}, "constant_length"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": math.inf}, "alpha"),
        ({"clip_low": -0.1}, "clip_low"),
        ({"clip_high": math.nan}, "clip_high"),
        ({"cross_delta": -0.1}, "delta"),
        ({"cross_upper": 0.0}, "upper"),
        ({"kl_coefficient": -1.0}, "kl_coefficient"),
        ({"log_ratio_limit": 0.0}, "log_ratio_limit"),
        ({"alpha": 9.0}, "overflow"),
    ],
)
def test_senseless_settings_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        make_settings(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"mask_BT": torch.ones(2, 2)},
        {"mask_BT": torch.ones(2, 3, dtype=torch.bool)},
        {"advantages_B": torch.ones(3)},
        {"logprobs_BT": torch.ones(2)},
        {"reference_logprobs_BT": torch.ones(1, 2)},
    ],
)
def test_rows_that_do_not_fit_are_refused(change):
    names = (
        "logprobs_BT",
        "mask_BT",
        "old_logprobs_BT",
        "source_mean_logprobs_B",
        "advantages_B",
        "shared_B",
    )
    fitting = {name: getattr(two_rows(), name) for name in names}
    with pytest.raises(ValueError, match=r"shape|axes|bool"):
        LossRows(**{**fitting, **change})
