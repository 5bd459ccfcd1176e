"""The three normalisations of the loss."""

import pytest
import torch

from hacpo.objective import LossScale, row_weights

LENGTHS = torch.tensor([4, 0, 1])
SCALE = LossScale(num_sequences=10, num_tokens=50)


def weights(normalization, constant_length=None, scale=SCALE):
    return row_weights(
        LENGTHS,
        normalization=normalization,
        scale=scale,
        constant_length=constant_length,
        dtype=torch.float64,
    ).tolist()


def test_weights_by_hand():
    assert weights("sequence_mean") == [0.1, 0.0, 0.1]  # 1/10 each, nothing for an empty row
    assert weights("token_mean") == [0.08, 0.0, 0.02]  # 4/50, 1/50
    assert weights("constant_length", 20) == [0.02, 0.0, 0.005]  # 4/(10*20), 1/(10*20)


def test_scale_counts_only_rows_with_tokens():
    assert LossScale.of_lengths([3, 0, 2]) == LossScale(num_sequences=2, num_tokens=5)
    assert LossScale.of_lengths([]) == LossScale(num_sequences=0, num_tokens=0)


@pytest.mark.parametrize("normalization", ["sequence_mean", "token_mean", "constant_length"])
def test_an_update_of_empty_rows_divides_by_nothing(normalization):
    constant = 8 if normalization == "constant_length" else None
    result = row_weights(
        torch.zeros(3, dtype=torch.long),
        normalization=normalization,
        scale=LossScale(num_sequences=0, num_tokens=0),
        constant_length=constant,
        dtype=torch.float32,
    )
    assert result.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("normalization", ["sequence_mean", "token_mean"])
def test_weights_of_a_whole_update_add_up_to_one(normalization):
    scale = LossScale.of_lengths(LENGTHS.tolist())
    assert sum(weights(normalization, scale=scale)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "normalization, constant",
    [("mean", None), ("constant_length", None), ("constant_length", 0), ("token_mean", 5)],
)
def test_settings_that_do_not_fit_are_refused(normalization, constant):
    with pytest.raises(ValueError, match="normalization"):
        weights(normalization, constant)


@pytest.mark.parametrize("sequences, tokens", [(-1, 5), (3, 2)])
def test_impossible_counts_are_refused(sequences, tokens):
    with pytest.raises(ValueError, match="at least one token per sequence"):
        LossScale(num_sequences=sequences, num_tokens=tokens)
