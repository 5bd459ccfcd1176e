"""Composes configurations as `run.py` does, without running anything."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf, flag_override

from hacpo.config.check import check_composed
from hacpo.config.explain import explain
from hacpo.config.load import check
from hacpo.config.register import register
from hacpo.config.schema import Config
from hacpo.config.vocabulary import CONF

NEEDED = {
    "agents=solo": ["algorithm=gspo"],
    "benchmark=jsonl": [f"benchmarks.one.path={CONF.parent / 'hacpo/evaluation/data/sums.jsonl'}"],
    "reward_part=function": ["reward.parts.one._target_=tests.reward.my_rewards.shortness"],
}
"""What must be said along with options that cannot stand alone."""


@cache
def composed(*overrides: str, conf: Path = CONF) -> DictConfig:
    """Return the composed configuration, with its `hydra` node. Look at it, do not change it."""
    register()
    with initialize_config_dir(str(conf), version_base="1.3"):
        return compose("config", overrides=list(overrides), return_hydra_config=True)


def without_hydra(config: DictConfig) -> DictConfig:
    """Return a copy as `run.py` hands it on."""
    own = copy.deepcopy(config)
    with flag_override(own, ["struct", "readonly"], False):
        del own["hydra"]
    return own


def checked(*overrides: str, conf: Path = CONF) -> Config:
    """Return the checked configuration of a command line; values alone are looked at."""
    return check(without_hydra(composed(*overrides, conf=conf)))


def refused(*overrides: str, conf: Path = CONF) -> str:
    """Return what a user is told about a command line that cannot work.

    Fails the test if nothing is refused, or if nobody explains why.
    """
    register()
    try:
        with initialize_config_dir(str(conf), version_base="1.3"):
            check_composed(compose("config", list(overrides), return_hydra_config=True))
    except Exception as error:
        mistake = explain(error, overrides, conf)
        if mistake is None:
            raise
        return str(mistake)
    raise AssertionError(f"{overrides} were not refused")


def flat(config: DictConfig) -> dict[str, Any]:
    """Return every resolved value by its dotted key."""
    values: dict[str, Any] = {}

    def walk(node: Any, path: str) -> None:
        if isinstance(node, dict) and node:
            for key, child in node.items():
                walk(child, f"{path}.{key}" if path else str(key))
        else:
            values[path] = node

    walk(OmegaConf.to_container(config, resolve=True, enum_to_str=True), "")
    return values


def options(group: str) -> list[str]:
    """Return the options of a group, from its folder."""
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))
