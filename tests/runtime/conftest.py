"""Fixtures of the runtime's tests: real processes, and a way to see whether one is left."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from hacpo.types import (
    AgentRollouts,
    AgentSummary,
    FinishReason,
    Rollout,
    RolloutGroup,
)

COOKIE = "HACPO_TEST_COOKIE"


@pytest.fixture(autouse=True)
def targets_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let spawned processes import `targets:...`; spawn hands them the parent's path."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def leftovers(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Mark every process started in this test, and return how to list those that still live.

    A process that has just been killed gets two seconds to vanish. The resource tracker that
    multiprocessing keeps for the whole pytest process is not one of ours.
    """
    cookie = uuid.uuid4().hex
    monkeypatch.setenv(COOKIE, cookie)

    def living() -> list[str]:
        deadline = time.monotonic() + 2
        while (found := _with_cookie(cookie)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    return living


def _with_cookie(cookie: str) -> list[str]:
    mark = f"{COOKIE}={cookie}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                environment = (folder / "environ").read_bytes()
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            ours = "resource_tracker import main" in command and parent == os.getpid()
            if mark in environment and not ours:
                found.append(f"{folder.name} {command}")
    return found


@pytest.fixture
def make_rollouts() -> Callable[..., AgentRollouts]:
    """Return a maker of one agent's rollouts: one rollout per problem."""

    def make(author: str, step: int, problems: tuple[str, ...] = ("p1", "p2")) -> AgentRollouts:
        return AgentRollouts(
            step=step,
            author=author,
            groups=tuple(
                RolloutGroup(
                    problem_id=problem,
                    author=author,
                    rollouts=(
                        Rollout(
                            problem_id=problem,
                            author=author,
                            text="11",
                            reward=1.0,
                            logprob_sum=-0.5,
                            num_tokens=2,
                            finish_reason=FinishReason.STOP,
                            policy_version=step,
                        ),
                    ),
                )
                for problem in problems
            ),
        )

    return make


@pytest.fixture
def summary() -> AgentSummary:
    """Return a summary with a figure in every field."""
    return AgentSummary(
        accuracy_before=0.442,
        accuracy_after=0.886,
        accuracy_best=0.9,
        accuracy_mean=0.779,
        rollouts=7680,
        generated_tokens=81234,
        trained_tokens=162000,
        updates=240,
        steps=60,
        seconds={"sampling": 60.0, "update": 30.0},
        stop_reason="steps",
        checkpoint="outputs/run/a/last.ckpt",
        export="outputs/run/a/hf",
        samples="outputs/run/a/samples.jsonl",
        wandb_dir="outputs/run/a/wandb/offline-run-1",
    )
