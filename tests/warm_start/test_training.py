from __future__ import annotations

import math

import pytest
import torch

from hacpo.rollout.logprobs import completion_logprobs, pad_rows
from hacpo.task.arithmetic import build_arithmetic
from hacpo.types import Problem
from hacpo.warm_start.demonstrations import draw_demonstrations
from hacpo.warm_start.training import completion_loss, learning_rate, train
from tests.tiny_models import TinyModel, build_tiny

TASK = build_arithmetic(num_test=300, split_seed=0)
PROBLEMS = (
    Problem(id="short", prompt="3+4=", answer="7"),
    Problem(id="long", prompt="5+7-1=", answer="11"),
)


def test_learning_rate_rises_and_falls_to_zero() -> None:
    rates = [learning_rate(step, 100, 3e-3) for step in range(100)]
    assert rates[:3] == pytest.approx([1e-3, 2e-3, 3e-3])
    assert max(rates) == pytest.approx(3e-3)
    assert rates[2:] == sorted(rates[2:], reverse=True)
    assert rates[99] == pytest.approx(0.0, abs=1e-9)
    # 3 rising steps; half way through the other 97, the cosine is at about a half.
    assert rates[50] == pytest.approx(1.5e-3, rel=0.03)


@pytest.mark.parametrize("total", [1, 2])
def test_the_shortest_schedules_are_finite(total: int) -> None:
    assert all(math.isfinite(learning_rate(step, total, 1.0)) for step in range(total))


def test_loss_is_that_of_the_completions_under_the_policy(tiny_qwen: TinyModel) -> None:
    """Warm start and reinforcement learning agree on what the log-probability of a row is."""
    codec = tiny_qwen.codec
    demonstrations = draw_demonstrations(
        PROBLEMS, TASK.demonstrator(), codec, steps=1, batch_size=4, seed=0
    )
    loss = completion_loss(tiny_qwen.model, *demonstrations.batch(0))
    pairs = [("3+4=", "3+4=7"), ("5+7-1=", "5+7=12;12-1=11")]
    rows = [
        (codec.encode_prompt(prompt), codec.encode_completion(text, stopped=True))
        for prompt, text in pairs
    ]
    padded = pad_rows(rows, pad_id=codec.pad_id, device=torch.device("cpu"))
    with torch.no_grad():
        logprobs = completion_logprobs(tiny_qwen.model, padded, temperature=1.0)
    assert loss.item() == pytest.approx(-(logprobs.sum() / padded.mask_BT.sum()).item(), rel=1e-5)


def test_the_model_learns_and_reports(tiny_llama: TinyModel) -> None:
    demonstrations = draw_demonstrations(
        PROBLEMS, TASK.demonstrator(), tiny_llama.codec, steps=40, batch_size=4, seed=0
    )
    before = completion_loss(tiny_llama.model, *demonstrations.batch(0)).item()
    seen: list[tuple[int, int, float]] = []
    last = train(
        tiny_llama.model, demonstrations, lr=1e-2, on_progress=lambda *report: seen.append(report)
    )
    assert [(step, total) for step, total, _ in seen] == [(step, 40) for step in range(1, 41)]
    assert seen[0][2] == pytest.approx(before)
    assert last == pytest.approx(sum(loss for _, _, loss in seen[-4:]) / 4)
    assert last < 0.2 * before
    assert not tiny_llama.model.training


def test_training_twice_gives_the_same_weights() -> None:
    results = []
    for noise in (1, 2):
        tiny = build_tiny("qwen3")
        torch.manual_seed(noise)
        demonstrations = draw_demonstrations(
            PROBLEMS, TASK.demonstrator(), tiny.codec, steps=3, batch_size=4, seed=0
        )
        train(tiny.model, demonstrations, lr=1e-2)
        results.append(tiny.model.state_dict())
    for name, tensor in results[0].items():
        assert torch.equal(tensor, results[1][name]), name
