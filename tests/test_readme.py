"""What the documents tell a reader to type works, and what they list is there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException

from hacpo.config.load import check
from hacpo.config.register import register

ROOT = Path(__file__).parents[1]
CONF = ROOT / "conf"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture(autouse=True)
def hydra_with_our_configs() -> Iterator[None]:
    register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        yield


def code_lines(document: Path) -> list[str]:
    """Return the lines of fenced blocks, those joined that end with a backslash."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in re.sub(r"\\\n", " ", block).splitlines()]


def command_lines() -> list[str]:
    """Return the arguments of every `python run.py` and `make demo ARGS=` in the documents."""
    found = []
    for document in DOCUMENTS:
        inline = re.findall(r"`([^`\n]+)`", document.read_text())
        for line in [*code_lines(document), *inline]:
            match = re.match(r"(?:\$ )?python run\.py(.*)|make demo ARGS=(.*)", line)
            if match and "..." not in line:
                found.append((match[1] or match[2] or "").strip())
    return sorted(set(found))


def composed_overrides(arguments: str) -> Iterator[list[str]]:
    """Yield the overrides of each run that a command line stands for, sweeps spelt out."""
    words = shlex.split(arguments, comments=True)
    words = [part for word in words for part in (shlex.split(word) if " " in word else [word])]
    options = [word for word in words if word[:1] == "~" or ("=" in word and word[:1] != "-")]
    parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
    choices = []
    for override in parser.parse_overrides(options):
        if override.is_sweep_override():
            key = override.get_key_element()
            choices.append([f"{key}={value}" for value in override.sweep_string_iterator()])
        else:
            choices.append([override.input_line or ""])
    for chosen in product(*choices):
        yield list(chosen)


def test_documents_show_command_lines() -> None:
    assert len(command_lines()) >= 8


@pytest.mark.parametrize("arguments", command_lines())
def test_command_line_is_one_that_runs(arguments: str) -> None:
    runs = list(composed_overrides(arguments))
    assert runs
    for overrides in runs:
        config = check(compose("config", overrides=overrides), overrides)
        assert config.agents


def test_a_wrong_command_line_would_be_found() -> None:
    """Guards the test above: what it composes must be what it read."""
    (overrides,) = composed_overrides("ablation=no_such_thing")
    with pytest.raises(HydraException):
        compose("config", overrides=overrides)
    assert len(list(composed_overrides("-m 'ablation=glob(no_*)' seed=0,1 # all"))) == 10


def group_table() -> dict[str, set[str]]:
    rows = re.findall(r"^\| `(\w+)` \|[^|]+\| (.+) \|$", (ROOT / "README.md").read_text(), re.M)
    return {group: set(re.findall(r"`(\w+)`", options)) for group, options in rows}


def test_group_table_lists_every_option() -> None:
    table = group_table()
    folders = {folder.name for folder in CONF.iterdir() if folder.is_dir()}
    # These stand for a part of an agents file or of a suite, not for a choice of their own.
    groups = folders - {"agent", "optimizer", "schedule", "reward_part", "benchmark", "hydra"}
    assert set(table) == groups
    assert table == {name: {path.stem for path in (CONF / name).glob("*.yaml")} for name in groups}


def test_map_names_what_is_there() -> None:
    text = (ROOT / "README.md").read_text()
    rows = re.findall(r"^\| `([\w./]+)` \| ", text.split("## Map")[1].split("## ")[0], re.M)
    assert [path for path in rows if not (ROOT / path).exists()] == []
    packages = {f"hacpo/{path.parent.name}/" for path in (ROOT / "hacpo").glob("*/__init__.py")}
    assert packages <= set(rows)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", document.read_text())
    assert [target for target in targets if not (document.parent / target).exists()] == []
