"""Files and folders that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a path to write aside; it takes the place of `path` when the block succeeds.

    A file or a folder may be written. Whatever stood at `path` stays when the block fails.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    _remove(aside)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield aside
        if aside.is_dir() and path.exists():
            _remove(path)
        os.replace(aside, path)
    finally:
        _remove(aside)


def write_whole(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with written_whole(path) as aside:
        aside.write_text(text, encoding="utf-8")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
