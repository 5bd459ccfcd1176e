"""A command that runs agents, to be interrupted or killed by the tests: parent.py RUN_DIR."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from hacpo.runtime.local import run_agents
from hacpo.types import AgentStatus


def announce(statuses: Mapping[str, AgentStatus]) -> None:
    """Say once that both agents are at work."""
    if len(statuses) == 2 and not announced:
        announced.append(True)
        print("ready", *(status.message for status in statuses.values()), flush=True)


announced: list[bool] = []

if __name__ == "__main__":
    run_agents(
        "targets:learn_or_stall",
        {"a": "swap", "b": "stall"},
        run_dir=Path(sys.argv[1]),
        threads=1,
        swap_timeout_s=60,
        start_timeout_s=60,
        on_tick=announce,
    )
