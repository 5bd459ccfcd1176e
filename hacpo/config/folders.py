"""Whether results can be written where the settings say, found out before anything is made."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hacpo.config.errors import ConfigError


def check_writable(folder: str, key: str) -> None:
    """Raise ConfigError unless the folder can be made, or written to where it exists.

    Nothing stays behind: the nearest existing folder above is tried with a temporary file.
    """
    if not folder.strip():
        raise ConfigError(f"{key} is empty", key=key, fix=f"{key}=outputs")
    nearest = Path(folder).absolute()
    while not os.path.lexists(nearest):
        nearest = nearest.parent
    reason = _refusal(nearest)
    if reason is not None:
        raise ConfigError(
            f"cannot write to {folder!r}: {reason}", key=key, fix=f"{key}=FOLDER, a writable one"
        )


def _refusal(folder: Path) -> str | None:
    """Return why no file can be made in an existing folder; None: it can."""
    if not folder.is_dir():
        return f"{str(folder)!r} is not a folder"
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return f"no file can be made in {str(folder)!r} ({error.strerror})"
