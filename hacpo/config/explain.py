"""Turns what Hydra raises over a command line or a file into a sentence for the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import yaml
from hydra.errors import (
    HydraException,
    MissingConfigException,
    OverrideParseException,
)
from omegaconf.errors import OmegaConfBaseException

from hacpo.config.errors import ConfigError
from hacpo.config.explain_file import broken_file, file_with_mistake
from hacpo.config.explain_setting import no_equals_sign, unknown_group_key, unknown_setting
from hacpo.config.explain_value import explain_value
from hacpo.config.nearest import nearest_option
from hacpo.config.vocabulary import CONF, Vocabulary, read_vocabulary


def explain(
    error: BaseException, overrides: Sequence[str] = (), conf: Path = CONF
) -> ConfigError | None:
    """Return the mistake behind an exception that was raised while composing.

    Args:
        error: what Hydra, OmegaConf or the YAML reader raised.
        overrides: the command line.
        conf: the folder with `config.yaml`.

    Returns:
        The mistake, or None when the exception is nothing that a user can mend.
    """
    if isinstance(error, ConfigError):
        return error
    if isinstance(error, yaml.MarkedYAMLError):
        return broken_file(error)
    return _Composition(error, overrides, conf).explained()


class _Composition:
    """One failed composition: the exception, the command line, and the words that exist."""

    def __init__(self, error: BaseException, overrides: Sequence[str], conf: Path) -> None:
        self.error = error
        self.text = str(error)
        self.overrides = overrides
        self.conf = conf

    def explained(self) -> ConfigError | None:
        """The mistake, or None."""
        match self.error:
            case MissingConfigException():
                return self.missing_option(self.error)
            case OverrideParseException():
                return self.unreadable(self.error)
            case HydraException():
                return self.other()
            case OmegaConfBaseException():
                return explain_value(self.error)
            case ValueError() if "Config group override must be" in self.text:
                return self.group_without_option()
        return None

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that exist; none at all if even the default cannot be composed."""
        try:
            return read_vocabulary(self.overrides, self.conf)
        except (HydraException, OmegaConfBaseException, OSError, yaml.YAMLError):
            return Vocabulary(groups={}, choices={}, settings=())

    def argument(self, key: str) -> str | None:
        """Return the argument that sets a key, as it was typed."""
        return next(
            (text for text in self.overrides if text.lstrip("+~").partition("=")[0] == key), None
        )

    def missing_option(self, error: MissingConfigException) -> ConfigError:
        """`algorithm=hapco`: a group has no such option."""
        group, _, option = (error.missing_cfg_file or "").rpartition("/")
        options = list(error.options or ())
        if not group or not options:
            return ConfigError(self.text.partition("\n")[0])
        key = next(
            (
                text.partition("=")[0]
                for text in self.overrides
                if text.lstrip("+").startswith(group) and text.endswith(option)
            ),
            group,
        )
        best = nearest_option(option, options)
        return ConfigError(
            f"the group {group!r} has no option {option!r}; it has {', '.join(options)}",
            key=key.lstrip("+"),
            fix=f"{key}={best or options[0]}",
        )

    def unreadable(self, error: OverrideParseException) -> ConfigError:
        """An argument that is no `key=value`, or whose value cannot be read."""
        argument = str(error.override)
        if "=" not in argument and not argument.startswith("~"):
            return no_equals_sign(argument, self.vocabulary)
        key, _, value = argument.partition("=")
        if re.search(r"(^|[.@+~])\d", key):
            return ConfigError(f"in {argument!r}, a name begins with a digit; names need a letter")
        return ConfigError(
            f"the argument {argument!r} cannot be read; values with special characters are quoted "
            "twice",
            key=key.lstrip("+~"),
            fix=f"'{key}=\"{value}\"'",
        )

    def group_without_option(self) -> ConfigError:
        """`agents=null` or `algorithm=3`: a choice that is no name."""
        groups = self.vocabulary.groups
        for text in self.overrides:
            key, _, value = text.partition("=")
            if key in groups and value not in groups[key]:
                return ConfigError(
                    f"{key} takes the name of an option, and {value!r} is none",
                    key=key,
                    fix=f"{key}={self.vocabulary.choices.get(key, groups[key][0])}, or another of "
                    f"{', '.join(groups[key])}",
                )
            if not key:
                return ConfigError(f"the argument {text!r} does not say what is set")
        return ConfigError(self.text)

    def other(self) -> ConfigError:
        """Whatever else Hydra refuses: told apart by its message."""
        patterns: tuple[tuple[str, Callable[[re.Match[str]], ConfigError]], ...] = (
            (r"^Error merging override ", lambda found: self.bad_value()),
            (r"^Could not override '([^']*)'", self.unknown_key),
            (r"looks like a config group override, but config group '([^']*)'", self.unknown_key),
            (r"^Multiple values for agents?@agents\.([^.]*)\. ", self.twin_agents),
            (r"^(?:agent|optimizer)@agents\.([^.\s]*)\S* appears more than", self.twin_agents),
            (r"^Multiple values for benchmark@benchmarks\.([^.]*)\. ", self.twin_benchmarks),
            (r"^Ambiguous value for argument '(.*)'", self.several_values),
            (r"^Sweep parameters '(.*)' requires", self.several_values),
            (r"An item is already at '([^']*)'", self.already_there),
            (r"^Could not delete '?(?:from config\. )?'?([^' ]*)", self.nothing_to_delete),
            (r"^In '([^']*)': (\w+) raised while composing", self.file_with_mistake),
        )
        for pattern, sentence in patterns:
            found = re.search(pattern, self.text)
            if found:
                return sentence(found)
        return ConfigError(" ".join(self.text.split()))

    def bad_value(self) -> ConfigError:
        """A value of the wrong type."""
        setting = self.text.removeprefix("Error merging override ").strip()
        cause = self.error.__cause__
        if isinstance(cause, OmegaConfBaseException):
            return explain_value(cause, setting=setting)
        return ConfigError(f"the argument {setting!r} cannot be used")

    def unknown_key(self, found: re.Match[str]) -> ConfigError:
        """A setting or a group that does not exist."""
        key = found.group(1)
        typed = self.argument(key) or next(
            (text for text in self.overrides if text.lstrip("+~").startswith(f"{key}@")), key
        )
        value = typed.partition("=")[2]
        if "@" in typed.partition("=")[0] or key in self.vocabulary.groups:
            return unknown_group_key(typed.partition("=")[0], value, self.vocabulary)
        free = "Dict[str, Any]" in str(self.error.__cause__)
        return unknown_setting(key, value, self.vocabulary, free=free)

    def twin_agents(self, found: re.Match[str]) -> ConfigError:
        """A second agent under a name that is taken."""
        name = found.group(1)
        typed = self.argument(f"agent@agents.{name}")
        option = typed.partition("=")[2] if typed else ""
        more = f"+agent@agents.{name}_2={option} for one more agent"
        instead = f"agent@agents.{name}={option} in its place"
        return ConfigError(
            f"two agents are called {name!r}, and each needs a name of its own",
            key=f"agent@agents.{name}",
            fix=f"{more}, or {instead}" if option else "give one of them another name",
        )

    def twin_benchmarks(self, found: re.Match[str]) -> ConfigError:
        """A second benchmark under a name that is taken."""
        key = f"benchmark@benchmarks.{found.group(1)}"
        typed = (self.argument(key) or f"{key}=NAME").lstrip("+")
        return ConfigError(
            f"two benchmarks are called {found.group(1)!r}, and each needs a name of its own",
            key=key,
            fix=f"{typed} in its place, or another name",
        )

    def several_values(self, found: re.Match[str]) -> ConfigError:
        """`algorithm.alpha=0,1` without `-m`."""
        typed = found.group(1)
        key, _, value = typed.partition("=")
        listed = f"; a list would be '{key}=[{value}]'"
        return ConfigError(
            f"{typed} gives several values to one run",
            key=key.lstrip("+~"),
            fix=f"-m {typed} for one run each" + ("" if key in self.vocabulary.groups else listed),
        )

    def already_there(self, found: re.Match[str]) -> ConfigError:
        """`+key=value` for a key that exists."""
        key = found.group(1)
        typed = (self.argument(key) or f"{key}=VALUE").lstrip("+")
        return ConfigError(f"{key} exists already, so it takes no +", key=key, fix=typed)

    def nothing_to_delete(self, found: re.Match[str]) -> ConfigError:
        """`~key` for a key that does not exist."""
        key = re.sub(r"^~", "", found.group(1))
        quoted = re.search(r"'([^']*)'", self.text)
        return ConfigError(
            f"there is no {quoted.group(1) if quoted else key} that could be taken out",
            key=quoted.group(1) if quoted else key,
        )

    def file_with_mistake(self, found: re.Match[str]) -> ConfigError:
        """A file under `conf/`, or an added group that lands in the wrong place."""
        for text in self.overrides:
            group, _, option = text.removeprefix("+").partition("=")
            if group in self.vocabulary.groups and group not in self.vocabulary.choices:
                return unknown_group_key(group, option, self.vocabulary)
        return file_with_mistake(f"conf/{found.group(1)}.yaml", self.text, self.vocabulary)
