"""An agent under a real Lightning Trainer: it learns, counts, and survives a bad gradient."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import lightning as L
import pytest
import torch
from torch.optim.lr_scheduler import LinearLR, LRScheduler

from hacpo.agent.module import Agent, Spent
from hacpo.agent.steps import step_loader
from tests.objectives import HACPO
from tests.tiny_agents import tiny_agent
from tests.tiny_models import TinyModel, build_tiny

QUIET: dict[str, Any] = {
    "accelerator": "cpu",
    "max_epochs": 1,
    "logger": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
    "enable_checkpointing": False,
}


def _fit(agent: Agent, tmp_path: Path, *, steps: int, **options: Any) -> L.Trainer:
    trainer = L.Trainer(default_root_dir=tmp_path, **{**QUIET, **options})
    trainer.fit(agent, train_dataloaders=step_loader(steps))
    return trainer


def test_a_reward_rises(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    agent = tiny_agent(tiny_qwen, reward=lambda _, text: float(len(text) % 2), lr=3e-3)
    rewards: list[float] = []

    class Rewards(L.Callback):
        def on_train_batch_end(self, *_: Any) -> None:
            rewards.append(agent.step_metrics.get("reward/mean", float("nan")))

    _fit(agent, tmp_path, steps=30, callbacks=[Rewards()])
    assert sum(rewards[-5:]) / 5 > sum(rewards[:5]) / 5 + 0.2


def test_counts_what_it_spends(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    agent = tiny_agent(tiny_qwen, sequences=6)
    _fit(agent, tmp_path, steps=3)
    # 3 prompts x 4 completions = 12 rows a step, 6 in an update.
    assert agent.spent.rollouts == 36
    assert agent.spent.updates == 6
    assert 36 <= agent.spent.generated_tokens <= 36 * 8
    assert agent.spent.trained_tokens == agent.spent.generated_tokens


def test_the_same_seed_gives_the_same_weights(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    start = {name: value.clone() for name, value in tiny_qwen.model.state_dict().items()}
    results = []
    for seed in (1, 1, 2):
        tiny_qwen.model.load_state_dict(start)
        _fit(tiny_agent(tiny_qwen, seed=seed), tmp_path, steps=2)
        results.append(
            torch.cat([value.flatten().clone() for value in tiny_qwen.model.state_dict().values()])
        )
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])


def test_dropout_stays_off_while_it_trains(tiny_qwen: TinyModel) -> None:
    agent = tiny_agent(tiny_qwen)
    agent.train()
    assert agent.training
    assert not any(module.training for module in agent.language_model.modules())


def test_a_checkpoint_keeps_weights_and_counts(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    agent = tiny_agent(tiny_qwen)
    trainer = _fit(agent, tmp_path, steps=2)
    trainer.save_checkpoint(tmp_path / "agent.ckpt")
    checkpoint = torch.load(tmp_path / "agent.ckpt", weights_only=True)
    assert Spent(**checkpoint["spent"]) == agent.spent
    for name, value in agent.language_model.state_dict().items():
        assert torch.equal(checkpoint["state_dict"][f"language_model.{name}"], value)
    assert checkpoint["optimizer_states"]


def test_a_gradient_that_is_not_finite_is_skipped_and_counted(
    tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    agent = tiny_agent(tiny_qwen)
    agent._gradient = replace(
        agent._gradient, backward=lambda loss: agent.manual_backward(loss * float("nan"))
    )
    before = [parameter.clone() for parameter in agent.language_model.parameters()]
    _fit(agent, tmp_path, steps=2)
    assert agent.step_metrics["update/skipped"] == 2.0
    for old, new in zip(before, agent.language_model.parameters(), strict=True):
        assert torch.equal(old, new)


def test_too_many_skipped_updates_in_a_row_end_the_run(
    tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    agent = tiny_agent(tiny_qwen)
    agent._gradient = replace(
        agent._gradient, backward=lambda loss: agent.manual_backward(loss * float("nan"))
    )
    with pytest.raises(FloatingPointError, match="5 updates in a row"):
        _fit(agent, tmp_path, steps=3)


def test_sharing_before_sampling_is_refused(tiny_qwen: TinyModel) -> None:
    with pytest.raises(RuntimeError, match="before the agent had sampled"):
        tiny_agent(tiny_qwen).accept({}, {})


@pytest.mark.parametrize("kl_coefficient", [0.0, 0.05])
def test_a_reference_model_exists_only_for_the_penalty(
    tiny_qwen: TinyModel, tmp_path: Path, kl_coefficient: float
) -> None:
    agent = tiny_agent(tiny_qwen, objective=replace(HACPO, kl_coefficient=kl_coefficient))
    assert (agent._gradient.reference is not None) == (kl_coefficient > 0)
    _fit(agent, tmp_path, steps=2)
    if agent._gradient.reference is not None:
        assert agent.step_metrics["kl/own_sum_mean"] > 0
        assert not any(p.requires_grad for p in agent._gradient.reference.parameters())


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed", "bf16-true"])
def test_the_penalty_is_zero_at_the_start_in_every_precision(
    tiny_qwen: TinyModel, tmp_path: Path, precision: str
) -> None:
    objective = replace(HACPO, kl_coefficient=0.05)
    # One update of all 12 rows: nothing has moved when the penalty is measured.
    agent = tiny_agent(tiny_qwen, objective=objective, sequences=12)
    _fit(agent, tmp_path, steps=1, precision=precision)
    assert agent.step_metrics["kl/own_sum_mean"] == 0.0
    for key in ("ratio/own_min", "ratio/own_max"):
        assert agent.step_metrics[key] == pytest.approx(1.0, abs=1e-5)


def test_a_schedule_moves_once_a_step(tiny_qwen: TinyModel, tmp_path: Path) -> None:
    def rise(optimizer: torch.optim.Optimizer) -> LRScheduler:
        return LinearLR(optimizer, start_factor=0.5, total_iters=2)

    agent = tiny_agent(tiny_qwen, sequences=6, lr=1e-3, schedule=rise)  # two updates a step
    rates: list[float] = []

    class Rates(L.Callback):
        def on_train_batch_end(self, *_: Any) -> None:
            rates.append(agent.step_metrics["update/lr"])

    _fit(agent, tmp_path, steps=4, callbacks=[Rates()])
    assert rates == pytest.approx([5e-4, 7.5e-4, 1e-3, 1e-3])


def test_gradient_checkpointing_learns_the_same(tmp_path: Path) -> None:
    weights = []
    for checkpointing in (False, True):
        agent = tiny_agent(build_tiny("qwen3"), gradient_checkpointing=checkpointing)
        _fit(agent, tmp_path, steps=2)
        weights.append(torch.cat([p.detach().flatten() for p in agent.parameters()]))
    assert torch.equal(*weights)
    assert not torch.equal(
        weights[0],
        torch.cat([p.detach().flatten() for p in build_tiny("qwen3").model.parameters()]),
    )
