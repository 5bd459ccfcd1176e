"""The meter stops a run within one step of every limit, for all agents after the same step."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lightning as L
import pytest

from hacpo.agent.module import Agent
from hacpo.agent.steps import step_loader
from hacpo.callbacks.agent_callback import AgentCallback
from hacpo.callbacks.budget import BudgetMeter
from hacpo.callbacks.evaluation import HeldOutEvaluation
from hacpo.callbacks.limits import Limits, Scope
from hacpo.callbacks.saving import AgentSaver
from hacpo.runtime.hub import RolloutHub
from tests.tiny_agents import PROBLEMS, Scored, has_even_sum, tiny_agent
from tests.tiny_models import TinyModel

STEPS = 8


class Counted(AgentCallback):
    """Counts what was sampled without asking the agent."""

    def __init__(self) -> None:
        self.rollouts: list[int] = []
        self.tokens: list[int] = []

    def before_updates(self, trainer: L.Trainer, agent: Agent) -> None:
        own = [rollout for group in agent.current_batch.own for rollout in group]
        self.rollouts.append(len(own))
        self.tokens.append(sum(rollout.rollout.num_tokens for rollout in own))


def _fit(agent: Agent, folder: Path, *callbacks: L.Callback) -> None:
    trainer = L.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        default_root_dir=folder,
        callbacks=list(callbacks),
    )
    trainer.fit(agent, train_dataloaders=step_loader(STEPS))


def _hub(*names: str) -> RolloutHub:
    return RolloutHub(names, start_timeout_s=30.0, swap_timeout_s=30.0)


def _meter(hub: RolloutHub, scope: Scope = Scope.ALL, **amounts: float) -> BudgetMeter:
    """Return a meter whose clock ticks once a second whenever it is read."""
    ticks = itertools.count()
    return BudgetMeter(
        hub,
        limits=Limits(steps=STEPS, scope=scope, amounts=amounts),
        gpus=2.0,
        price_per_gpu_hour=1800.0,  # 1 a second on two devices
        clock=lambda: float(next(ticks)),
    )


@pytest.mark.parametrize(
    ("unit", "limit", "steps"),
    [
        ("rollouts", 25, 3),  # 3 prompts x 4 completions a step
        ("rollouts", 24, 2),
        ("seconds", 4.0, 3),  # read at the start (1 s) and after every step
        ("gpu_hours", 6 / 3600, 2),  # 3 s on two devices
        ("money", 5.0, 4),
    ],
)
def test_it_stops_after_the_step_that_reaches_the_limit(
    unit: str, limit: float, steps: int, tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    agent, counted = tiny_agent(tiny_qwen), Counted()
    meter = _meter(_hub("qwen"), **{unit: limit})
    _fit(agent, tmp_path, counted, meter)
    assert meter.current.steps == len(counted.rollouts) == steps
    assert agent.stop_reason == f"budget: {unit}"
    assert getattr(meter.history[steps], unit) >= limit > getattr(meter.history[steps - 1], unit)
    assert meter.left == 0.0


@pytest.mark.parametrize("unit", ["generated_tokens", "trained_tokens"])
def test_tokens_are_those_that_were_sampled(
    unit: str, tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    agent, counted = tiny_agent(tiny_qwen), Counted()
    meter = _meter(_hub("qwen"), **{unit: 150})
    _fit(agent, tmp_path, counted, meter)
    steps = meter.current.steps
    assert 1 < steps < STEPS
    for step in range(1, steps + 1):
        assert meter.history[step].generated_tokens == sum(counted.tokens[:step])
        assert meter.history[step].rollouts == sum(counted.rollouts[:step])
    assert getattr(meter.history[steps], unit) >= 150 > getattr(meter.history[steps - 1], unit)


def test_without_limits_nobody_meets_and_steps_end_the_run(
    tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    agent = tiny_agent(tiny_qwen)
    meter = _meter(_hub("qwen", "never there"))
    _fit(agent, tmp_path, meter)
    assert (meter.current.steps, agent.stop_reason) == (STEPS, "budget: steps")


@pytest.mark.parametrize(("scope", "steps"), [(Scope.ALL, 2), (Scope.EACH, 4)])
def test_all_agents_stop_after_the_same_step(
    scope: Scope, steps: int, tiny_qwen: TinyModel, tiny_llama: TinyModel, tmp_path: Path
) -> None:
    agents = [tiny_agent(tiny_qwen), tiny_agent(tiny_llama, name="llama")]
    hub = _hub("qwen", "llama")
    meters = [_meter(hub, scope, rollouts=48) for _ in agents]

    with ThreadPoolExecutor(2) as pool:
        for outcome in [
            pool.submit(_fit, agent, tmp_path, meter)
            for agent, meter in zip(agents, meters, strict=True)
        ]:
            outcome.result(timeout=60)
    assert [meter.current.steps for meter in meters] == [steps, steps]
    assert {agent.stop_reason for agent in agents} == {"budget: rollouts"}


def test_the_last_step_is_evaluated_and_saved(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    agent = tiny_agent(tiny_qwen)
    evaluation = HeldOutEvaluation(
        PROBLEMS,
        score=Scored(has_even_sum).grade,
        every_steps=100,
        last_step=STEPS,
        max_new_tokens=6,
        at_start=True,
        path=tmp_path / "evaluation.jsonl",
        on_evaluation=lambda _: None,
    )
    saver = AgentSaver(
        checkpoint=tmp_path / "agent.ckpt", export=None, every_steps=0, last_step=STEPS
    )
    _fit(agent, tmp_path, _meter(_hub("qwen"), rollouts=30), evaluation, saver)
    assert list(evaluation.history) == [0, 3]
    assert saver.checkpoint.exists()
    assert 0 < agent.spent.evaluation_tokens <= 2 * 6 * len(PROBLEMS)


def test_a_resumed_meter_goes_on_counting(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    first, second = _meter(_hub("qwen")), _meter(_hub("qwen"))
    _fit(tiny_agent(tiny_qwen), tmp_path, first)
    second.load_state_dict(first.state_dict())
    assert second.history == first.history
    # 1 tick at the start, one a step, one for the state: then this meter's own.
    assert second.now(tiny_agent(tiny_qwen)).seconds == STEPS + 3
