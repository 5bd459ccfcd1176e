"""Reads the rows of a data set: JSON lines, Parquet, or the hub.

A row is a mapping of column names to plain values. The packages that Parquet and the hub need are
optional, and are imported only when they are asked for.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

Row = Mapping[str, Any]

EXTRA = "pip install 'hacpo[eval]'"
"""What installs the optional packages."""
HUB_LIBRARY = "datasets"
PARQUET_LIBRARY = "pyarrow.parquet"


def read_file(path: Path) -> list[Row]:
    """Return the rows of a `.jsonl` or `.parquet` file.

    Raises:
        ValueError: with a sentence for the user when the file cannot be read.
    """
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return _read_json_lines(path)
    if suffix == ".parquet":
        return _read_parquet(path)
    raise ValueError(f"{path} is neither a .jsonl nor a .parquet file")


def read_hub(hub_id: str, *, configs: Sequence[str], split: str, revision: str | None) -> list[Row]:
    """Return the rows of one split of a data set on the hub, or in the hub's local cache.

    Args:
        hub_id: such as `openai/gsm8k`.
        configs: read one after the other; none at all means the data set's default.
        split: such as `test`.
        revision: commit to read; None takes the newest.

    Raises:
        ValueError: with a sentence for the user when nothing could be read.
    """
    library = _optional(HUB_LIBRARY, f"reading {hub_id} from the hub")
    rows: list[Row] = []
    for config in configs or (None,):
        try:
            part = library.load_dataset(hub_id, config, split=split, revision=revision)
            rows += list(part)
        except Exception as error:  # the library raises a wide family, network errors included
            where = hub_id if config is None else f"{hub_id} ({config})"
            at = f" at revision {revision}" if revision else ""
            raise ValueError(
                f"the split {split} of {where}{at} cannot be read from the hub, nor from its cache "
                f"on this machine: {type(error).__name__}: {_first_line(error)}"
            ) from error
    return rows


def _read_json_lines(path: Path) -> list[Row]:
    rows: list[Row] = []
    # Only "\n" ends a line: str.splitlines would also cut at separators inside of texts.
    with path.open(encoding="utf-8", newline="\n") as file:
        try:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    rows.append(_json_row(line, path, number))
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not UTF-8 text: {error}") from error
    return rows


def _json_row(line: str, path: Path, number: int) -> Row:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {number} of {path} is no JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError(f"line {number} of {path} is no JSON object")
    return row


def _read_parquet(path: Path) -> list[Row]:
    library = _optional(PARQUET_LIBRARY, f"reading {path}")
    try:
        rows: list[Row] = library.read_table(path).to_pylist()
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        raise ValueError(f"{path} is no readable Parquet file: {_first_line(error)}") from error
    return rows


def _optional(name: str, purpose: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ValueError(f"{purpose} needs the package {package}: {EXTRA}") from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or "no reason given"
