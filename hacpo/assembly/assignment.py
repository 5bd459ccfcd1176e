"""What the parent hands to an agent's process, and where that agent leaves its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hacpo.config.agent import AgentConfig
from hacpo.config.schema import Config


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """The work of one agent: the whole configuration, and its place in the run."""

    name: str
    config: Config
    resolved: dict[str, Any]
    """The same configuration as plain values, for W&B."""
    run_dir: Path
    cache_dir: Path
    total_steps: int

    @property
    def agent(self) -> AgentConfig:
        """This agent's own part of the configuration."""
        return self.config.agents[self.name]

    @property
    def folder(self) -> Path:
        """Where this agent leaves everything."""
        return agent_folder(self.run_dir, self.name)


def agent_folder(run_dir: Path, name: str) -> Path:
    """Return the folder of one agent inside a run."""
    return run_dir / "agents" / name
