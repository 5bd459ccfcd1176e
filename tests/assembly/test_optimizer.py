"""An optimizer or a schedule with wrong arguments is refused before anything is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from hacpo.assembly.agent import build_agent
from hacpo.assembly.assignment import Assignment
from hacpo.assembly.optimizer import build_optimizer, build_schedule
from hacpo.config.agent import AgentConfig
from tests.config.composing import checked


def agent_of(*overrides: str) -> AgentConfig:
    return checked(*overrides).agents["qwen"]


def test_arguments_are_tried_before_the_warm_start(tmp_path: Path) -> None:
    assignment = Assignment(
        name="qwen",
        config=checked("+agents.qwen.optimizer.weight_decai=0.1"),
        resolved={},
        run_dir=tmp_path,
        cache_dir=tmp_path,
        total_steps=1,
    )
    reports: list[object] = []
    with pytest.raises(ValueError, match=r"torch\.optim\.AdamW cannot be made: .*weight_decai"):
        build_agent(assignment, reports.append)
    assert reports == []


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("agents.qwen.optimizer._target_=torch.optim.AdamWW", "AdamWW cannot be made"),
        ("agents.qwen.optimizer._target_=torch.nn.Linear", "cannot be made"),
        ("agents.qwen.optimizer.betas=[2.0,0.9]", "Invalid beta parameter"),
    ],
)
def test_wrong_optimizers_are_named(override: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        build_optimizer(agent_of(override))


def test_an_optimizer_of_matrices_alone_passes() -> None:
    muon = ["agents.qwen.optimizer._target_=torch.optim.Muon", "~agents.qwen.optimizer.betas"]
    assert callable(build_optimizer(agent_of(*muon)))


def test_without_a_schedule_the_rate_is_constant() -> None:
    agent = agent_of()
    assert build_schedule(agent, build_optimizer(agent)) is None


def test_cosine_falls_over_the_scaled_budget() -> None:
    agent = agent_of("+schedule@agents.qwen.schedule=cosine", "budget.steps=8", "budget.scale=0.5")
    factory = build_optimizer(agent)
    make = build_schedule(agent, factory)
    assert make is not None
    optimizer = factory([torch.nn.Parameter(torch.zeros(1))])
    schedule = make(optimizer)
    rates = []
    for _ in range(5):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    # 2e-4 times (1 + cos(pi k / 4)) / 2
    expected = [2e-4, 2e-4 * 0.853553, 1e-4, 2e-4 * 0.146447, 0.0]
    assert rates == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_a_wrong_schedule_is_named() -> None:
    agent = agent_of("+schedule@agents.qwen.schedule=warmup", "+agents.qwen.schedule.total=3")
    with pytest.raises(ValueError, match=r"LinearLR cannot be made: .*'total'"):
        build_schedule(agent, build_optimizer(agent))
