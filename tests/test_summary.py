"""`summary.json`: what it holds for a run that ended, and for one that broke off."""

from __future__ import annotations

import json
import math
from pathlib import Path

from hacpo.summary import broken_summary, finished_summary, score, write_summary
from hacpo.types import AgentSummary
from tests.config.composing import checked


def _agent(accuracy: float | None, **seconds: float) -> AgentSummary:
    return AgentSummary(
        accuracy_before=0.1,
        accuracy_after=accuracy,
        accuracy_best=accuracy,
        accuracy_mean=accuracy,
        rollouts=8,
        generated_tokens=80,
        trained_tokens=160,
        updates=4,
        steps=2,
        seconds=seconds,
        stop_reason="budget: steps",
        checkpoint=None,
        export=None,
        samples=None,
        wandb_dir=None,
    )


def test_phases_are_those_of_the_slowest_agent(tmp_path: Path) -> None:
    agents = {"a": _agent(0.5, update=3.0, generate=1.0), "b": _agent(0.7, update=2.0)}
    write_summary(tmp_path, finished_summary(checked(), agents, score=score(agents), seconds=9.0))
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["seconds"] == {"total": 9.0, "phases": {"generate": 1.0, "update": 3.0}}
    assert summary["score"] == 0.6
    assert summary["steps"] == 2
    assert summary["agents"]["b"]["accuracy_after"] == 0.7


def test_a_run_without_evaluation_has_no_score() -> None:
    assert math.isnan(score({"a": _agent(None)}))


def test_a_broken_run_says_why() -> None:
    cause = "agent llama: killed by SIGKILL"
    summary = broken_summary(checked(), status="failed", cause=cause, seconds=1.0)
    assert summary["status"] == "failed"
    assert summary["stop_reason"] == "agent llama: killed by SIGKILL"


def test_agents_that_had_finished_stand_in_a_failed_runs_summary() -> None:
    summary = broken_summary(
        checked(), status="failed", cause="c", seconds=1.0, finished={"a": _agent(0.5)}
    )
    assert summary["agents"]["a"]["accuracy_after"] == 0.5
