"""Where a run came from: versions, machine, and the state of the repository."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = (
    "hacpo",
    "torch",
    "transformers",
    "tokenizers",
    "lightning",
    "hydra-core",
    "omegaconf",
    "wandb",
    "numpy",
    "vllm",
    "ray",
)
GIT_TIMEOUT_S = 5


def provenance(project: Path) -> dict[str, Any]:
    """Return versions, machine and git state, ready for JSON. Missing parts are None."""
    return {
        "command": sys.argv,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu_count": os.cpu_count(),
        "packages": {name: _version(name) for name in PACKAGES},
        "git": {
            "commit": _git(project, "rev-parse", "HEAD"),
            "branch": _git(project, "rev-parse", "--abbrev-ref", "HEAD"),
            "changed_files": _changed(project),
        },
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _changed(project: Path) -> list[str] | None:
    status = _git(project, "status", "--porcelain")
    return None if status is None else [line[3:] for line in status.splitlines()]


def _git(project: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=project,
            capture_output=True,
            text=True,
            timeout=GIT_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.rstrip("\n")
