"""What a developer runs, what a commit runs and what CI runs are one list."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
RUN = ROOT / "run.py"
IMPORT_NAMES = {"hydra": "hydra-core", "math_verify": "math-verify", "yaml": "pyyaml"}
"""Where the name of an import is not that of its package."""
IMPORTED_FOR_US = {"wandb"}
"""Lightning imports it when its WandbLogger is used."""


def lint_targets() -> list[str]:
    lines = re.findall(r"^LINTS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return lines[0].split()


def test_commit_hooks_are_the_linters_of_ci() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]
    assert [hook["entry"] for hook in hooks] == [f"make {name}" for name in lint_targets()]
    assert {repo["repo"] for repo in config["repos"]} == {"local"}


def test_ci_runs_linters_and_then_tests() -> None:
    assert (ROOT / ".ci/run").read_text().rstrip().endswith("exec make lint test")
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_help_lists_the_tasks_that_readers_are_told_of() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    told = re.findall(r"`make ([a-z-]+)", (ROOT / "README.md").read_text())
    assert told
    for task in told:
        assert re.search(rf"^  make {task}\s+\S", shown, re.MULTILINE), task


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return [Requirement(text) for text in [*project["dependencies"], *extras["dev"]]]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints/cpu.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


@pytest.mark.parametrize("requirement", requirements(), ids=lambda requirement: requirement.name)
def test_pinned_version_lies_in_the_declared_range(requirement: Requirement) -> None:
    pin = pins()[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(pin), f"{requirement} does not admit {pin}"


def imported_packages() -> set[str]:
    """Return the packages outside the project that any module of it imports, lazily or not."""
    trees = [ast.parse(path.read_text()) for path in [*(ROOT / "hacpo").rglob("*.py"), RUN]]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in names} - {*sys.stdlib_module_names, "hacpo"}


def test_base_dependencies_are_what_the_code_imports() -> None:
    imported = {IMPORT_NAMES.get(name, name) for name in imported_packages()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    base = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    assert imported | IMPORTED_FOR_US == base


def test_ci_tries_both_ends_of_the_torch_range() -> None:
    """The oldest torch that we declare is one that CI runs, and so is the newest."""
    torch = next(each for each in requirements() if each.name == "torch")
    bounds = {each.operator: each.version for each in torch.specifier}
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    tried = workflow["jobs"]["ranges"]["strategy"]["matrix"]["torch"]
    assert tried == [f"torch=={bounds['>=']}.*", f"torch<{bounds['<']}"]


def test_no_large_or_ignored_file_is_tracked() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert tracked == "", "files that .gitignore names are tracked"
