"""The whole loss, (50) and (53): hand-computed values, reductions, refusals."""

import math

import pytest
import torch

from hacpo.objective import LossRows
from tests.objective.cases import NO_CLIP, loss_of, make_rows, random_rows, two_rows

LOG = math.log


def test_loss_by_hand():
    # Own: min(1*2, 1*2) = 2. Shared: 0.9 * 0.9^1 * -1 = -0.81. Loss = -(2 - 0.81) / 2 = -0.595
    output = loss_of(two_rows())
    assert output.loss.item() == pytest.approx(-0.595)
    assert output.statistics.ratio_B.tolist() == pytest.approx([1.0, 0.9])
    assert not output.statistics.clipped_low_B.any()
    assert not output.statistics.clipped_high_B.any()
    assert output.statistics.kl_sum_B.tolist() == [0.0, 0.0]


def test_normalisations_by_hand():
    # Terms 2 (two tokens) and -0.81 (one token), 2 rows and 3 tokens in the update.
    by_token = loss_of(two_rows(), normalization="token_mean")
    assert by_token.loss.item() == pytest.approx(-(2 * 2 - 0.81) / 3)
    constant = loss_of(two_rows(), normalization="constant_length", constant_length=4)
    assert constant.loss.item() == pytest.approx(-(2 * 2 - 0.81) / (2 * 4))


def test_grpo_by_hand():
    # Token ratios 2 and 0.5 with A = 1 and the range [0.8, 1.2]: (min(2, 1.2) + 0.5) / 2 = 0.85
    rows = make_rows(
        [[LOG(0.8), LOG(0.1)]],
        old=[[LOG(0.4), LOG(0.2)]],
        source=[LOG(0.4 * 0.2) / 2],
        advantages=[1.0],
        shared=[False],
    )
    output = loss_of(rows, ratio_level="token", clip_low=0.2, clip_high=0.2)
    assert output.loss.item() == pytest.approx(-0.85)
    assert output.statistics.clipped_high_B.tolist() == [True]
    # The geometric mean of 2 and 0.5
    assert output.statistics.ratio_B.tolist() == pytest.approx([1.0])


def test_kl_by_hand():
    # Own row: reference 1/4 against 1/2 in both tokens, 0.193147 each (see test_kl); the shared
    # row has none. Loss = -0.595 + 0.1 * 0.193147 / 2
    rows = two_rows(reference=[[LOG(0.25), LOG(0.25)], [LOG(0.01)]])
    output = loss_of(rows, kl_coefficient=0.1)
    assert output.loss.item() == pytest.approx(-0.595 + 0.1 * 0.193147 / 2, abs=1e-6)
    assert output.statistics.kl_sum_B.tolist() == pytest.approx([2 * 0.193147, 0.0], abs=1e-6)


def test_kl_is_measured_without_being_punished():
    rows = two_rows(reference=[[LOG(0.25), LOG(0.25)], [0.0]])
    output = loss_of(rows)
    assert output.loss.item() == pytest.approx(-0.595)
    assert output.statistics.kl_sum_B[0].item() > 0.3


def test_the_clip_rises_with_the_updates_of_a_step():
    # Bound 1 - 0.2 + m * 0.025: ratio 0.9 is inside up to m = 4 and below from m = 5 (0.925)
    for m, clipped in ((0, False), (3, False), (5, True), (100, True)):
        output = loss_of(two_rows(), update_index=m, cross_delta=0.2)
        assert output.statistics.clipped_low_B.tolist() == [False, clipped]


def test_one_mean_over_a_mixed_batch_is_half_the_sum_of_two_means():
    own = make_rows(
        [[-1.0], [-1.2]], source=[-1.0, -1.21], advantages=[1.0, -1.0], shared=[False, False]
    )
    shared = make_rows(
        [[-1.1], [-1.3]], source=[-1.0, -1.2], advantages=[0.5, 2.0], shared=[True, True]
    )
    mixed = make_rows(
        [[-1.0], [-1.2], [-1.1], [-1.3]],
        source=[-1.0, -1.21, -1.0, -1.2],
        advantages=[1.0, -1.0, 0.5, 2.0],
        shared=[False, False, True, True],
    )
    total = loss_of(own).loss + loss_of(shared).loss
    assert loss_of(mixed).loss.item() == pytest.approx(total.item() / 2)


def test_one_agent_is_gspo():
    rows = random_rows(11, count=12, shared=False)
    hacpo = loss_of(rows, update_index=2)
    # Nothing of the cross side matters when no row is shared.
    other = loss_of(rows, update_index=0, alpha=3.0, cross_delta=0.1, shared_term="own")
    assert hacpo.loss.item() == other.loss.item()
    # (47) written out
    ratio = hacpo.statistics.ratio_B
    surrogate = torch.minimum(
        ratio * rows.advantages_B, ratio.clamp(0.98, 1.03) * rows.advantages_B
    )
    present = rows.mask_BT.any(1)
    assert hacpo.loss.item() == pytest.approx(-surrogate[present].mean().item())


def test_naive_treats_shared_rows_as_own():
    rows = random_rows(12, count=12)
    as_own = LossRows(
        logprobs_BT=rows.logprobs_BT,
        mask_BT=rows.mask_BT,
        old_logprobs_BT=rows.old_logprobs_BT,
        source_mean_logprobs_B=rows.source_mean_logprobs_B,
        advantages_B=rows.advantages_B,
        shared_B=torch.zeros_like(rows.shared_B),
    )
    assert rows.shared_B.any()
    naive = loss_of(rows, shared_term="own")
    assert naive.loss.item() == loss_of(as_own).loss.item()
    assert naive.loss.item() != loss_of(rows).loss.item()


def test_alpha_zero_without_clip_is_plain_importance_sampling():
    rows = random_rows(13, count=9)
    output = loss_of(rows, alpha=0.0, **NO_CLIP)
    present = rows.mask_BT.any(1)
    expected = -(output.statistics.ratio_B * rows.advantages_B)[present].mean()
    assert output.loss.item() == pytest.approx(expected.item())
    assert not (output.statistics.clipped_low_B | output.statistics.clipped_high_B).any()


def test_step_zero_makes_every_update_alike():
    rows = random_rows(14, count=9)
    losses = {loss_of(rows, update_index=m, cross_step=0.0).loss.item() for m in range(5)}
    assert len(losses) == 1


def test_statistics_are_raw_and_detached():
    rows = make_rows([[-9.0]], source=[-1.0], advantages=[1.0], shared=[True])
    statistics = loss_of(rows).statistics
    # Far below the range, and reported as it is.
    assert statistics.ratio_B.item() == pytest.approx(math.exp(-8.0))
    assert statistics.clipped_low_B.item() is True
    for name in ("ratio_B", "clipped_low_B", "clipped_high_B", "kl_sum_B"):
        assert not getattr(statistics, name).requires_grad


def test_loss_keeps_the_dtype_of_the_logprobs():
    rows = two_rows()
    narrow = LossRows(
        logprobs_BT=rows.logprobs_BT.detach().float().requires_grad_(),
        mask_BT=rows.mask_BT,
        old_logprobs_BT=rows.old_logprobs_BT,
        source_mean_logprobs_B=rows.source_mean_logprobs_B,
        advantages_B=rows.advantages_B,
        shared_B=rows.shared_B,
    )
    output = loss_of(narrow)
    assert output.loss.dtype == torch.float32
    assert output.loss.item() == pytest.approx(-0.595, abs=1e-6)
