"""The configured numbers reach the callbacks."""

from __future__ import annotations

from pathlib import Path

from hacpo.assembly.assignment import Assignment
from hacpo.assembly.callbacks import AgentCallbacks, build_callbacks
from hacpo.assembly.task import build_task
from hacpo.runtime.hub import RolloutHub
from tests.config.composing import checked


def _callbacks(tmp_path: Path, *overrides: str) -> AgentCallbacks:
    config = checked(*overrides)
    assignment = Assignment(
        name="qwen",
        config=config,
        resolved={},
        run_dir=tmp_path,
        cache_dir=tmp_path,
        total_steps=6,
    )
    hub = RolloutHub(list(config.agents), start_timeout_s=1.0, swap_timeout_s=1.0)
    return build_callbacks(assignment, build_task(config), hub)


def test_the_exchange_gets_its_window_and_the_longest_shared_completion(tmp_path: Path) -> None:
    exchange = _callbacks(
        tmp_path,
        "algorithm.capability.window=3",
        "rollout.max_new_tokens=10",
        "rollout.shared_length_factor=1.5",
    ).exchange
    assert exchange is not None
    assert exchange.window.size == 3
    assert exchange._max_shared_tokens == 15


def test_without_an_exchange_agents_do_not_meet(tmp_path: Path) -> None:
    assert _callbacks(tmp_path, "algorithm=gspo").exchange is None


def test_the_evaluation_gets_its_pace_and_its_problems(tmp_path: Path) -> None:
    evaluation = _callbacks(
        tmp_path, "evaluation.every_steps=4", "evaluation.max_problems=7"
    ).evaluation
    assert evaluation is not None
    assert evaluation._every_steps == 4
    assert len(evaluation._problems) == 7
