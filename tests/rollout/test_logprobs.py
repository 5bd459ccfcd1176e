"""Log-probabilities: against a plain forward, under padding, and at a temperature."""

from __future__ import annotations

import pytest
import torch

from hacpo.rollout.logprobs import completion_logprobs, frozen_logprobs, pad_rows
from tests.tiny_models import TinyModel

ROWS = [((4, 5, 6), (7, 8, 9, 2)), ((5,), (4, 4)), ((6, 7, 8, 9, 10), (3, 5, 7, 9, 11, 2))]


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_equals_log_softmax_of_each_row_alone(tiny_qwen: TinyModel, temperature: float) -> None:
    together = frozen_logprobs(
        tiny_qwen.model, ROWS, pad_id=0, temperature=temperature, token_budget=1000
    )
    for (prompt, completion), values in zip(ROWS, together, strict=True):
        with torch.no_grad():
            logits = tiny_qwen.model(torch.tensor([[*prompt, *completion]])).logits[0]
        expected = (logits / temperature).log_softmax(-1)
        for place, token in enumerate(completion):
            assert values[place] == pytest.approx(
                expected[len(prompt) - 1 + place, token].item(), abs=2e-6
            )


def test_cutting_into_micro_batches_changes_nothing(tiny_llama: TinyModel) -> None:
    whole = frozen_logprobs(tiny_llama.model, ROWS, pad_id=0, temperature=1.0, token_budget=1000)
    cut = frozen_logprobs(tiny_llama.model, ROWS, pad_id=0, temperature=1.0, token_budget=1)
    for one, other in zip(whole, cut, strict=True):
        assert one == pytest.approx(other, abs=2e-6)


def test_masks_come_from_lengths_so_padding_with_eos_keeps_the_real_eos() -> None:
    padded = pad_rows(ROWS, pad_id=2, device=torch.device("cpu"))
    assert padded.mask_BT.sum(1).tolist() == [4, 2, 6]
    assert padded.attention_mask_BLT.sum(1).tolist() == [7, 3, 11]
    assert padded.completion_ids_BT[0].tolist() == [7, 8, 9, 2, 2, 2]
    assert padded.position_ids_BLT[1].tolist() == [0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]


def test_masked_places_are_zero_and_carry_no_gradient(tiny_qwen: TinyModel) -> None:
    padded = pad_rows(ROWS, pad_id=0, device=torch.device("cpu"))
    logprobs = completion_logprobs(tiny_qwen.model, padded, temperature=1.0)
    assert torch.all(logprobs[~padded.mask_BT] == 0)
    assert torch.all(logprobs[padded.mask_BT] < 0)
    logprobs[~padded.mask_BT].sum().backward()
    assert all(
        parameter.grad is None or torch.all(parameter.grad == 0)
        for parameter in tiny_qwen.model.parameters()
    )
