"""What can be said on the command line: every group with its options, every setting by its path.

Only composed when something was not understood, to find what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

CONF = Path(__file__).resolve().parents[2] / "conf"


@dataclass(frozen=True, kw_only=True, slots=True)
class Vocabulary:
    """The words that Hydra understands."""

    groups: dict[str, tuple[str, ...]]
    """Options by group, such as `algorithm`."""
    choices: dict[str, str]
    """What is chosen, by the key that changes it: `algorithm`, `agent@agents.qwen`."""
    settings: tuple[str, ...]
    """Every setting by its path, such as `algorithm.cross_clip.delta`, and every part above one."""


def read_vocabulary(overrides: Sequence[str], conf: Path = CONF) -> Vocabulary:
    """Return the words that fit a command line as far as it can be composed.

    Args:
        overrides: the command line; choices of groups decide which settings exist, so they are
            tried, and whatever cannot be composed is left out.
        conf: the folder with `config.yaml`.
    """
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(conf), version_base="1.3"):
        groups = _groups()
        chosen = [text for text in overrides if text.partition("=")[0] in groups]
        composed = _compose_what_works(chosen)
        return Vocabulary(
            groups=groups,
            choices=_choices(composed),
            settings=tuple(_paths(composed, "")),
        )


def _compose_what_works(chosen: Sequence[str]) -> DictConfig:
    working: list[str] = []
    composed = compose("config", return_hydra_config=True)
    for text in chosen:
        try:
            composed = compose("config", [*working, text], return_hydra_config=True)
        except (HydraException, OmegaConfBaseException, ValueError):
            continue
        working.append(text)
    return composed


def _choices(composed: DictConfig) -> dict[str, str]:
    choices = cast(dict[str, str], OmegaConf.to_container(composed.hydra.runtime.choices))
    return {key: choice for key, choice in choices.items() if not key.startswith("hydra/")}


def _groups() -> dict[str, tuple[str, ...]]:
    loader = GlobalHydra.instance().config_loader()
    names = [name for name in loader.list_groups("") if name != "hydra"]
    return {name: tuple(loader.get_group_options(name)) for name in names}


def _paths(node: Any, path: str) -> Iterator[str]:
    if not isinstance(node, DictConfig) or node._is_none():
        return
    for key in cast(list[str], list(node)):
        if not path and key == "hydra":
            continue
        yield f"{path}{key}"
        yield from _paths(node._get_node(key), f"{path}{key}.")
