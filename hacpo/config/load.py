"""From what Hydra composed to a checked, read-only configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, cast

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import (
    InterpolationToMissingValueError,
    MissingMandatoryValue,
    OmegaConfBaseException,
)

from hacpo.config.ablation import check_ablation, check_ablation_changes
from hacpo.config.errors import ConfigError
from hacpo.config.explain_value import explain_value
from hacpo.config.folders import check_writable
from hacpo.config.nearest import nearest_option
from hacpo.config.ranges import check_ranges
from hacpo.config.relations import check_relations
from hacpo.config.relations_agent import check_agents
from hacpo.config.schema import Config


def load(composed: DictConfig) -> Config:
    """Return the checked configuration; `composed` is resolved and becomes read-only.

    Call it first: whatever a user can have got wrong is found here, before anything expensive.

    Raises:
        ConfigError: for the first mistake, with a sentence for the user.
    """
    config = check(composed, overrides_of_this_run())
    OmegaConf.set_readonly(composed, True)
    return config


def check(composed: DictConfig, overrides: Sequence[str] = ()) -> Config:
    """Return the configuration as objects once everything about it is right.

    Args:
        composed: without the `hydra` node; it is resolved in place.
        overrides: the command line, which tells whether an ablation changes anything; without it,
            only the values are looked at.
    """
    check_keys(composed)
    config = _objects(composed)
    check_ranges(config)
    check_ablation(config)
    check_relations(config)
    check_agents(config)
    check_ablation_changes(config, overrides)
    check_writable(config.output.root, "output.root")
    check_writable(config.output.cache, "output.cache")
    config.seal()
    return config


def _objects(composed: DictConfig) -> Config:
    """Return the configuration as objects, and resolve `composed` in place."""
    try:
        config = cast(Config, OmegaConf.to_object(composed))
        OmegaConf.resolve(composed)
        return config
    except (InterpolationToMissingValueError, MissingMandatoryValue) as error:
        OmegaConf.resolve(composed)
        raise _missing(composed) from error
    except OmegaConfBaseException as error:
        raise explain_value(error) from error


def overrides_of_this_run() -> list[str]:
    """Return the command line of the run that Hydra started, empty outside of one."""
    if not HydraConfig.initialized():
        return []
    return command_line(HydraConfig.get().overrides)


def command_line(overrides: Any) -> list[str]:
    """Return Hydra's overrides and those of the run as they were typed, `${...}` included."""
    typed = cast(dict[str, list[str]], OmegaConf.to_container(overrides, resolve=False))
    return [*typed["hydra"], *typed["task"]]


def check_keys(composed: DictConfig) -> None:
    """Raise ConfigError for a key that the schema does not know, or one that was deleted.

    `+key=value` and `~key` on the command line can do both.
    """
    _check_keys(composed, Config, "")


def _missing(composed: DictConfig) -> ConfigError:
    """Return the mistake that values are still `???`."""
    missing = sorted(OmegaConf.missing_keys(composed))
    recipe = [key for key in missing if key.startswith("recipe.")]
    key = recipe[0] if recipe else missing[0]
    fix = "agents=tiny_pair, or another choice of agents" if recipe else f"{key}=VALUE"
    return ConfigError(f"nothing sets {key}", key=key, fix=fix)


def _check_keys(node: DictConfig, schema: type, path: str) -> None:
    known = [field.name for field in fields(schema)]
    present = cast(list[str], list(node))
    for name in present:
        if name not in known:
            key = f"{path}{name}"
            best = nearest_option(name, known)
            raise ConfigError(
                f"there is no setting {key}, so nothing would read it",
                key=key,
                fix=f"{path}{best}" if best else f"one of {', '.join(known)}",
            )
    for name in known:
        if name not in present:
            raise ConfigError(
                f"the setting {path}{name} was taken out, and nothing works without it",
                key=f"{path}{name}",
                fix=f"leave out ~{path}{name}",
            )
        for key, child in _children(node, str(name), path):
            _check_keys(child, OmegaConf.get_type(child) or dict, key)


def _children(node: DictConfig, name: str, path: str) -> list[tuple[str, DictConfig]]:
    """Return the structured nodes right below a key: itself, or the values of a mapping."""
    child: Any = node._get_node(name)
    if not isinstance(child, DictConfig) or child._is_none() or child._is_missing():
        return []
    if child._is_interpolation():
        return []
    if is_dataclass(OmegaConf.get_type(child)):
        return [(f"{path}{name}.", child)]
    return [
        (f"{path}{name}.{key}.", grandchild)
        for key in cast(list[str], list(child))
        if isinstance(grandchild := child._get_node(key), DictConfig)
        and is_dataclass(OmegaConf.get_type(grandchild))
    ]
