"""Composition root: from the composed configuration to a finished run and its summary.

Imports no torch: agents live in their own processes, and a mistake is reported at once.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from hacpo.assembly.assignment import Assignment, agent_folder
from hacpo.assembly.task import check_task
from hacpo.config.errors import ConfigError
from hacpo.config.load import load
from hacpo.config.register import steps_of
from hacpo.config.schema import Config, Mode
from hacpo.evaluation.benchmark_result import BenchmarkResult, read_results
from hacpo.evaluation.result_table import print_results
from hacpo.files import write_whole
from hacpo.provenance import provenance
from hacpo.runtime.errors import AgentRunError, RunInterrupted
from hacpo.runtime.final import print_final
from hacpo.runtime.live import progress_view
from hacpo.runtime.local import run_agents
from hacpo.summary import broken_summary, finished_summary, score, write_summary
from hacpo.types import AgentSummary

TARGETS = {
    Mode.train: "hacpo.assembly.run:run_agent",
    Mode.evaluate: "hacpo.assembly.evaluate:run_evaluation",
}
"""What an agent's process runs, by mode."""
METRICS_FILE = "metrics.csv"
PROJECT = Path(__file__).resolve().parent.parent


def run(composed: DictConfig) -> float:
    """Train or evaluate the agents of one composed configuration and return the run's score.

    The score is the mean over agents: of the held-out accuracy at the end of a training, of the
    benchmarks' figures in an evaluation.

    Raises:
        ConfigError: the configuration has a mistake; nothing was started.
        AgentRunError: an agent failed; the others were ended, and `summary.json` says why.
    """
    config = load(composed)
    check_task(config)
    run_dir = Path(HydraConfig.get().runtime.output_dir).resolve()
    _write_origin(run_dir, composed)
    started = time.monotonic()
    try:
        agents = _run_agents(config, composed, run_dir)
    except RunInterrupted as interruption:
        cause = f"interrupted by {interruption.signal_name}"
        _leave_broken(config, run_dir, "interrupted", cause, time.monotonic() - started)
        print(f"{cause}; what there is lies in {run_dir}", file=sys.stderr)
        raise
    except BaseException as error:
        cause = str(error) or type(error).__name__
        finished = error.finished if isinstance(error, AgentRunError) else {}
        _leave_broken(config, run_dir, "failed", cause, time.monotonic() - started, finished)
        raise
    seconds = time.monotonic() - started
    if config.mode is Mode.evaluate:
        return _end_evaluation(config, agents, run_dir, seconds)
    return _end_training(config, agents, run_dir, seconds)


def _leave_broken(
    config: Config,
    run_dir: Path,
    status: str,
    cause: str,
    seconds: float,
    finished: Mapping[str, AgentSummary] | None = None,
) -> None:
    summary = broken_summary(config, status=status, cause=cause, seconds=seconds, finished=finished)
    try:
        write_summary(run_dir, summary)
    except OSError as error:  # a full disk must not hide why the run broke off
        print(f"summary.json could not be written: {error}", file=sys.stderr)


def _end_training(
    config: Config, agents: Mapping[str, AgentSummary], run_dir: Path, seconds: float
) -> float:
    summary = finished_summary(config, agents, score=score(agents), seconds=seconds)
    results = _results(agents, run_dir) if config.benchmarks else {}
    write_summary(run_dir, {**summary, "benchmarks": _headlines(results)})
    metrics = {name: agent_folder(run_dir, name) / METRICS_FILE for name in agents}
    print_final(agents, Console(), metrics=metrics)
    if results:
        print_results(results, Console())
    return score(agents)


def _end_evaluation(
    config: Config, agents: Mapping[str, AgentSummary], run_dir: Path, seconds: float
) -> float:
    results = _results(agents, run_dir)
    mean = statistics.fmean(
        result.headline.value for listed in results.values() for result in listed
    )
    summary = finished_summary(config, agents, score=mean, seconds=seconds)
    write_summary(run_dir, {**summary, "benchmarks": _headlines(results)})
    print_results(results, Console())
    print(f"answers, verdicts and settings: {run_dir / 'agents'}")
    return mean


def _results(agents: Mapping[str, AgentSummary], run_dir: Path) -> dict[str, list[BenchmarkResult]]:
    return {name: read_results(agent_folder(run_dir, name)) for name in agents}


def _headlines(results: Mapping[str, list[BenchmarkResult]]) -> dict[str, Any]:
    return {
        name: {
            result.benchmark: {"metric": result.metric, **asdict(result.headline)}
            for result in listed
        }
        for name, listed in results.items()
    }


def _run_agents(config: Config, composed: DictConfig, run_dir: Path) -> Mapping[str, AgentSummary]:
    assignments = {
        name: Assignment(
            name=name,
            config=config,
            resolved=_plain(composed),
            run_dir=run_dir,
            cache_dir=Path(config.output.cache).resolve(),
            total_steps=total_steps(config),
        )
        for name in config.agents
    }
    doing = {
        Mode.train: f"learn {config.task.name}",
        Mode.evaluate: f"answer {', '.join(config.benchmarks)}",
    }
    title = f"{config.name}: {', '.join(config.agents)} {doing[config.mode]}"
    with progress_view(title) as view:
        return run_agents(
            TARGETS[config.mode],
            assignments,
            run_dir=run_dir,
            threads=config.runtime.threads_per_agent or threads_per_agent(len(assignments)),
            swap_timeout_s=config.runtime.swap_timeout_s,
            start_timeout_s=config.runtime.start_timeout_s,
            on_tick=view,
        )


def total_steps(config: Config) -> int:
    """Return the steps that the budget allows, at least one."""
    return steps_of(config.budget.steps, config.budget.scale)


def threads_per_agent(agents: int) -> int:
    """Return an equal share of this machine's cores, at least one."""
    return max(1, (os.cpu_count() or 1) // agents)


def _plain(composed: DictConfig) -> dict[str, Any]:
    container = OmegaConf.to_container(
        composed, resolve=True, throw_on_missing=True, enum_to_str=True
    )
    assert isinstance(container, dict)
    return {str(key): value for key, value in container.items()}


def _write_origin(run_dir: Path, composed: DictConfig) -> None:
    run_dir.mkdir(parents=True, exist_ok=True)
    try:
        # Exclusive: two runs that start in the same second must not write into each other.
        with (run_dir / "config.yaml").open("x", encoding="utf-8") as file:
            file.write(OmegaConf.to_yaml(composed, resolve=True))
    except FileExistsError as error:
        raise ConfigError(
            f"the folder {run_dir} already holds a run, which would be overwritten",
            key="hydra.run.dir",
            fix="leave hydra.run.dir out, or name a folder that does not exist",
        ) from error
    write_whole(run_dir / "versions.json", json.dumps(provenance(PROJECT), indent=2) + "\n")
