"""Two agents of different architecture and tokenizer meet through a real hub, in two threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from hacpo.agent.module import Agent
from hacpo.callbacks.exchange import RolloutExchange
from hacpo.callbacks.hub import HubError, PromptMismatch
from hacpo.runtime.hub import RolloutHub
from hacpo.types import FinishReason
from tests.tiny_agents import PROBLEMS, tiny_agent
from tests.tiny_models import TinyModel


def _meet(
    agents: list[Agent], *, max_shared_tokens: int = 16, deaf: str = ""
) -> list[RolloutExchange]:
    hub = RolloutHub([agent.name for agent in agents], start_timeout_s=30.0, swap_timeout_s=30.0)
    exchanges = [
        RolloutExchange(
            hub,
            authors=[o.name for o in agents if o is not agent and agent.name != deaf],
            window=5,
            max_shared_tokens=max_shared_tokens,
        )
        for agent in agents
    ]

    def step(agent: Agent, exchange: RolloutExchange) -> None:
        hub.join(agent.name)
        batch = agent.on_after_batch_transfer(0, 0)
        exchange.on_train_batch_start(None, agent, batch, 0)

    with ThreadPoolExecutor(len(agents)) as pool:
        for outcome in [
            pool.submit(step, agent, exchange)
            for agent, exchange in zip(agents, exchanges, strict=True)
        ]:
            outcome.result(timeout=60)
    return exchanges


def test_each_learns_from_the_others_texts_in_its_own_tokens(
    tiny_qwen: TinyModel, tiny_llama: TinyModel
) -> None:
    qwen, llama = tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")
    _meet([qwen, llama])
    assert qwen.step_batch is not None
    assert llama.step_batch is not None
    assert set(qwen.step_batch.shared) == {"llama"}
    for shared_group, own_group in zip(
        qwen.step_batch.shared["llama"], llama.step_batch.own, strict=True
    ):
        for shared, own in zip(shared_group, own_group, strict=True):
            assert shared.rollout == own.rollout
            stopped = own.rollout.finish_reason is FinishReason.STOP
            assert shared.token_ids == tiny_qwen.codec.encode_completion(
                own.rollout.text, stopped=stopped
            )
            assert (shared.token_ids[-1:] == (tiny_qwen.codec.eos_id,)) == stopped


def test_both_agree_on_capabilities_and_log_the_same_keys(
    tiny_qwen: TinyModel, tiny_llama: TinyModel
) -> None:
    agents = [tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")]
    _meet(agents)
    first, second = (agent.step_batch for agent in agents)
    assert first is not None
    assert second is not None
    assert first.capabilities == second.capabilities
    rewards = [own.rollout.reward for group in first.own for own in group]
    assert first.capabilities["qwen"] == pytest.approx(sum(rewards) / len(rewards))
    assert agents[0].step_metrics.keys() == agents[1].step_metrics.keys()


def test_three_agents_share_with_each_other(tiny_qwen: TinyModel, tiny_llama: TinyModel) -> None:
    agents = [
        tiny_agent(tiny_qwen, name="a"),
        tiny_agent(tiny_llama, name="b"),
        tiny_agent(tiny_llama, name="c", seed=1),
    ]
    _meet(agents)
    for agent in agents:
        assert agent.step_batch is not None
        assert set(agent.step_batch.shared) == {"a", "b", "c"} - {agent.name}


def test_what_is_too_long_in_the_learners_tokens_is_dropped_and_counted(
    tiny_qwen: TinyModel, tiny_llama: TinyModel
) -> None:
    agents = [tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")]
    _meet(agents, max_shared_tokens=3)
    qwen = agents[0]
    assert qwen.step_batch is not None
    shared = [one for group in qwen.step_batch.shared["llama"] for one in group]
    dropped = [one for one in shared if not one.token_ids]
    assert dropped
    assert all(len(one.token_ids) <= 3 for one in shared)
    assert qwen.step_metrics["author/llama/drift_dropped"] == len(dropped) / len(shared)


def test_agents_that_see_different_problems_are_an_error(
    tiny_qwen: TinyModel, tiny_llama: TinyModel
) -> None:
    qwen, llama = tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")
    llama._problems_at = lambda step: PROBLEMS[1:4]
    with pytest.raises(HubError) as caught:
        _meet([qwen, llama])
    assert isinstance(caught.value, PromptMismatch) or "different problems" in str(caught.value)
    assert "arithmetic/" in str(caught.value)


def test_the_window_is_saved_and_restored(tiny_qwen: TinyModel, tiny_llama: TinyModel) -> None:
    exchange, _ = _meet([tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")])
    restored = RolloutExchange(exchange._hub, authors=["llama"], window=5, max_shared_tokens=16)
    restored.load_state_dict(exchange.state_dict())
    assert restored.window == exchange.window
    assert set(restored.window.smoothed()) == {"qwen", "llama"}


def test_capabilities_are_smoothed_over_the_window(
    tiny_qwen: TinyModel, tiny_llama: TinyModel
) -> None:
    agents = [tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")]
    exchange, _ = _meet(agents)
    now = exchange.window.smoothed()["qwen"]
    exchange.window = exchange.window.push({"qwen": now + 0.5, "llama": 0.0})
    assert exchange.window.smoothed()["qwen"] == pytest.approx(now + 0.25)


def test_who_learns_from_nobody_is_still_learnt_from(
    tiny_qwen: TinyModel, tiny_llama: TinyModel
) -> None:
    qwen, llama = tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")
    _meet([qwen, llama], deaf="qwen")
    assert qwen.step_batch is not None
    assert llama.step_batch is not None
    assert qwen.step_batch.shared == {}
    assert set(llama.step_batch.shared) == {"qwen"}
    assert set(qwen.step_batch.capabilities) == {"qwen", "llama"}
