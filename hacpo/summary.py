"""`summary.json`: what a run came to, whole or failed."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hacpo.config.schema import Config
from hacpo.files import write_whole
from hacpo.types import AgentSummary

SUMMARY_FILE = "summary.json"


def finished_summary(
    config: Config, agents: Mapping[str, AgentSummary], *, score: float, seconds: float
) -> dict[str, Any]:
    """Return the summary of a run that ended as planned, with its score.

    `seconds.phases` holds, for each phase, the time of the agent that spent most on it.
    """
    reasons = sorted({summary.stop_reason for summary in agents.values()})
    return {
        **_head(config, status="finished", seconds=seconds),
        "stop_reason": ", ".join(reasons),
        "steps": max(summary.steps for summary in agents.values()),
        "score": score,
        "seconds": {"total": seconds, "phases": _slowest(agents)},
        "agents": {name: asdict(summary) for name, summary in agents.items()},
    }


def broken_summary(
    config: Config,
    *,
    status: str,
    cause: str,
    seconds: float,
    finished: Mapping[str, AgentSummary] | None = None,
) -> dict[str, Any]:
    """Return the summary of a run that broke off; `status` is failed or interrupted.

    Agents that had ended before stand in it with what they came to.
    """
    return {
        **_head(config, status=status, seconds=seconds),
        "stop_reason": cause,
        "agents": {name: asdict(summary) for name, summary in (finished or {}).items()},
    }


def write_summary(run_dir: Path, summary: Mapping[str, Any]) -> None:
    """Write `summary.json` whole."""
    write_whole(run_dir / SUMMARY_FILE, json.dumps(summary, indent=2) + "\n")


def score(agents: Mapping[str, AgentSummary]) -> float:
    """Return the mean held-out accuracy of the agents at the end, for sweepers; NaN if unknown."""
    known = [s.accuracy_after for s in agents.values() if s.accuracy_after is not None]
    return statistics.fmean(known) if known else float("nan")


def _head(config: Config, *, status: str, seconds: float) -> dict[str, Any]:
    return {
        "status": status,
        "mode": config.mode.value,
        "name": config.name,
        "algorithm": config.algorithm.name,
        "ablation": config.ablation,
        "task": config.task.name,
        "seed": config.seed,
        "seconds": {"total": seconds},
    }


def _slowest(agents: Mapping[str, AgentSummary]) -> dict[str, float]:
    phases = {phase for summary in agents.values() for phase in summary.seconds}
    return {
        phase: max(summary.seconds.get(phase, 0.0) for summary in agents.values())
        for phase in sorted(phases)
    }
