"""Sentences for files under `conf/` that cannot be read or say something wrong."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from hacpo.config.errors import ConfigError
from hacpo.config.explain_setting import unknown_setting
from hacpo.config.vocabulary import Vocabulary


def broken_file(error: yaml.MarkedYAMLError) -> ConfigError:
    """Return the mistake of a file that is no YAML, or that names something twice."""
    mark = error.problem_mark
    file = f"{_short(mark.name)}, line {mark.line + 1}" if mark else None
    twice = re.search(r"found duplicate key (\S+)", error.problem or "")
    if twice:
        name = twice.group(1)
        return ConfigError(
            f"the name {name!r} stands twice in one mapping; under `agents`, that would be two "
            "agents with one name",
            file=file,
            fix="give each its own name",
        )
    problem = error.problem or str(error)
    return ConfigError(f"this file is no readable YAML: {problem}", file=file)


def _short(path: str) -> str:
    """Return a path relative to where the command runs, when it lies below."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


def file_with_mistake(file: str, text: str, vocabulary: Vocabulary) -> ConfigError:
    """Return the mistake of a file that sets an unknown key, or a value of the wrong type.

    Args:
        file: the file, as the user knows it.
        text: what Hydra says; OmegaConf's message and the key follow its first line.
        vocabulary: the words that exist.
    """
    key = re.search(r"full_key: (\S+)", text)
    path = key.group(1) if key else None
    detail = text.partition("\n")[2].partition("\n")[0]
    if path and "Key '" in detail:
        mistake = unknown_setting(path, "", vocabulary, free=False)
        return ConfigError(mistake.message, key=path, file=file, fix=mistake.fix)
    return ConfigError(detail, key=path, file=file)
