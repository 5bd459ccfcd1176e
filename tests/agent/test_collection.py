"""Own rollouts: seeds, the precision of sampling, and the distribution of the log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

from hacpo.agent.module import Agent
from hacpo.types import StepBatch
from tests.tiny_agents import PROBLEMS, tiny_agent
from tests.tiny_models import TinyModel


def _texts(batch: StepBatch) -> list[str]:
    return [own.rollout.text for group in batch.own for own in group]


def _sampled(agent: Agent, step: int) -> list[str]:
    agent._problems_at = lambda _: PROBLEMS[:3]  # only the seed may differ between steps
    return _texts(agent.on_after_batch_transfer(step, 0))


def test_samples_differ_by_step_by_seed_of_the_run_and_by_agent(tiny_qwen: TinyModel) -> None:
    first = _sampled(tiny_agent(tiny_qwen), 0)
    assert first == _sampled(tiny_agent(tiny_qwen), 0)
    assert first != _sampled(tiny_agent(tiny_qwen), 1)
    assert first != _sampled(tiny_agent(tiny_qwen, seed=1), 0)
    assert first != _sampled(tiny_agent(tiny_qwen, name="llama"), 0)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_log_probabilities_are_those_of_the_sampling_temperature(
    tiny_qwen: TinyModel, temperature: float
) -> None:
    batch = tiny_agent(tiny_qwen, temperature=temperature).on_after_batch_transfer(0, 0)
    own = batch.own[0][0]
    ids = torch.tensor([own.prompt_ids + own.completion.token_ids])
    with torch.no_grad():
        logits_TV = tiny_qwen.model(input_ids=ids).logits[0].float() / temperature
    start = len(own.prompt_ids)
    expected = [
        float(logits_TV[start + place - 1].log_softmax(-1)[token])
        for place, token in enumerate(own.completion.token_ids)
    ]
    assert own.old_logprobs == pytest.approx(expected, abs=1e-5)
    assert own.rollout.logprob_sum == pytest.approx(sum(expected), abs=1e-5)


def test_it_samples_in_the_precision_that_it_learns_in(
    tiny_qwen: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = tiny_agent(tiny_qwen)
    inside = []

    @contextmanager
    def precision() -> Iterator[None]:
        inside.append("entered")
        yield
        inside.append("left")

    generate = agent.collector.engine.generate

    def watched(*arguments: object, **options: object) -> object:
        inside.append("sampled")
        return generate(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(agent, "precision", precision)
    monkeypatch.setattr(agent.collector.engine, "generate", watched)
    agent.on_after_batch_transfer(0, 0)
    assert inside == ["entered", "sampled", "left"]
