"""Sentences for values that OmegaConf refuses: wrong types, bad references."""

from __future__ import annotations

import re

from omegaconf.errors import InterpolationKeyError, OmegaConfBaseException

from hacpo.config.errors import ConfigError
from hacpo.config.nearest import nearest_option

KINDS = {
    "Integer": "a whole number",
    "Float": "a number",
    "Boolean": "true or false",
    "String": "a text",
}
"""OmegaConf's names of types, in plain words."""


def explain_value(error: OmegaConfBaseException, *, setting: str | None = None) -> ConfigError:
    """Return the mistake behind OmegaConf's exception.

    Args:
        error: what OmegaConf raised; it knows the key.
        setting: the argument of the command line that set the value, such as `seed=x`.
    """
    key = str(error.full_key or (setting or "").lstrip("+~").partition("=")[0] or "") or None
    text = str(error).partition("\n")[0]
    if isinstance(error, InterpolationKeyError):
        reference = _quoted(text)
        return ConfigError(f"{key} refers to ${{{reference}}}, which does not exist", key=key)
    return _wrong_type(text, key, given=(setting or "").partition("=")[2])


def _wrong_type(text: str, key: str | None, *, given: str) -> ConfigError:
    shown = f"{given!r}" if given else _quoted(text) or "this value"
    options = re.search(r"expected one of \[(.*)\]", text)
    if options:
        words = options.group(1).split(", ")
        best = nearest_option(given or _quoted(text), words)
        return ConfigError(
            f"{key} must be one of {', '.join(words)}, and is {shown}",
            key=key,
            fix=f"{key}={best or words[0]}",
        )
    wanted = _wanted(text)
    if wanted:
        return ConfigError(f"{key} must be {wanted}, and is {shown}", key=key)
    if "does not support deletion" in text:
        return ConfigError(f"{key} cannot be taken out", key=key, fix=f"{key}=VALUE")
    if "not a ListConfig" in text:
        return ConfigError(
            f"{key} must be a list, and is {shown}", key=key, fix=f"'{key}=[{given or 'a,b'}]'"
        )
    if "is not a subclass of" in text or "Cannot assign" in text:
        return ConfigError(
            f"{key} is a group of settings and cannot be {shown} as a whole",
            key=key,
            fix=f"set one of them: {key}.SETTING={given or 'VALUE'}",
        )
    return ConfigError(text, key=key)


def _wanted(text: str) -> str | None:
    """Return what kind of single value was asked for, in words."""
    if "is not a valid bool" in text:
        return KINDS["Boolean"]
    if "is not Optional" in text:
        return "given"
    kind = re.search(r"could not be converted to (\w+)", text)
    return KINDS.get(kind.group(1), kind.group(1).lower()) if kind else None


def _quoted(text: str) -> str:
    """Return the first quoted part of a message, or nothing."""
    found = re.search(r"'([^']*)'", text)
    return found.group(1) if found else ""
