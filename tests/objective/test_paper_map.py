"""docs/paper.md names functions and tests; they must exist."""

import re
from pathlib import Path

import hacpo.objective

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")


def test_every_test_it_names_exists():
    named = re.findall(r"`(\w+/\w+\.py)::(\w+)`", TEXT)
    assert len(named) > 50
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / "tests" / path).exists()
        or f"def {name}(" not in (ROOT / "tests" / path).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_every_function_it_names_is_public():
    # Rows of the first table: | equation | says | function | test |
    table = TEXT.split("## Equations")[1].split("## Reductions")[0]
    rows = [re.split(r"(?<!\\)\|", line) for line in table.splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[3])}
    assert len(named) > 15
    assert named - set(hacpo.objective.__all__) == set()
