"""The shape of the house: layers, a light start, names, sizes, docstrings."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "hacpo"
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 60
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
HEAVY = ["torch", "transformers", "lightning", "vllm", "wandb"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_imports_keep_to_the_contracts() -> None:
    failed = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert not failed, "an import breaks a contract of pyproject.toml; `make lint-imports` shows it"


@pytest.mark.parametrize(
    "module", ["hacpo", "hacpo.types", "hacpo.config", "hacpo.runtime", "hacpo.experiment"]
)
def test_command_starts_without_heavy_libraries(module: str) -> None:
    code = f"import sys, {module}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_every_module_of_the_light_packages_starts_light() -> None:
    """A package's `__init__` may be light while a module in it is not."""
    light = [path for path in MODULES if path.relative_to(PACKAGE).parts[0] == "config"]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in light]
    code = (
        "import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    everywhere = [*MODULES, *(ROOT / "tests").rglob("*.py")]
    names = {relative(path): {*path.relative_to(ROOT).with_suffix("").parts} for path in everywhere}
    assert [name for name, parts in names.items() if parts & VAGUE_NAMES] == []


def test_files_are_short() -> None:
    lengths = {relative(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FILE_LINES} == {}


def test_functions_are_short() -> None:
    lengths = {
        f"{relative(path)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, Function)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}


def test_command_only_composes() -> None:
    assert len((ROOT / "run.py").read_text().splitlines()) <= 40


def test_tests_mirror_the_package() -> None:
    packages = {path.parent.relative_to(PACKAGE) for path in MODULES} - {Path()}
    untested = [
        str(package)
        for package in sorted(packages)
        if not list((ROOT / "tests" / package).rglob("test_*.py"))
    ]
    assert untested == [], "packages of hacpo without tests in the folder of the same name"


def public_definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield public classes, functions and methods; what a function defines inside is its own."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
            continue
        yield f"{prefix}{node.name}", node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node, f"{node.name}.")


def is_overload(node: ast.AST) -> bool:
    return any("overload" in ast.dump(mark) for mark in getattr(node, "decorator_list", []))


def test_everything_public_has_a_docstring() -> None:
    bare = []
    for path in MODULES:
        tree = ast.parse(path.read_text())
        if not ast.get_docstring(tree):
            bare.append(relative(path))
        bare += [
            f"{relative(path)}:{node.lineno} {name}"
            for name, node in public_definitions(tree)
            if not ast.get_docstring(node) and not is_overload(node)
        ]
    assert bare == []
