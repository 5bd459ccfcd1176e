"""Tells Hydra the schema and the resolvers that `conf/` uses. Called once, before composing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

from hydra.core.config_store import ConfigStore
from omegaconf import ListConfig, OmegaConf

from hacpo.config.schema import Config

LONGEST_FOLDER_NAME = 120
"""Characters; file systems end at 255 bytes, and run folders put a time before it."""


def register() -> None:
    """Store the schema and register the resolvers; calling it again changes nothing."""
    ConfigStore.instance().store(name="schema", node=Config, provider="hacpo")
    OmegaConf.register_new_resolver("run_name", run_name, replace=True)
    OmegaConf.register_new_resolver("at_most", at_most, replace=True)
    OmegaConf.register_new_resolver("data_file", data_file, replace=True)
    OmegaConf.register_new_resolver("steps_of", steps_of, replace=True)
    OmegaConf.register_new_resolver("folder_name", folder_name, replace=True)
    # Cached, because Hydra reads the sweep's folder again in every run of it.
    OmegaConf.register_new_resolver("sweep_name", sweep_name, replace=True, use_cache=True)


def run_name(agents: str, algorithm: str, ablation: str, mode: str = "train") -> str:
    """Return the name of an experiment, such as `tiny_pair-hacpo-no_clip`.

    Outside of training it is named after what is done: `tiny_pair-evaluate`.
    """
    if mode != "train":
        return f"{agents}-{mode}"
    parts = [agents, algorithm] + ([] if ablation == "none" else [ablation])
    return "-".join(parts)


def at_most(value: int, limit: int | None) -> int:
    """Return the smaller of both; a limit of None is none."""
    return value if limit is None else min(value, limit)


def data_file(name: str) -> str:
    """Return the path of a data file that the package brings along."""
    return str(Path(__file__).parents[1] / "evaluation" / "data" / name)


def steps_of(steps: int, scale: float) -> int:
    """Return how many steps a scaled budget is, at least one."""
    return max(1, round(steps * scale))


def folder_name(text: str) -> str:
    """Return a text as one folder name: no separators or spaces, and not too long."""
    plain = re.sub(r"[^\w.,=+@~-]+", "_", str(text)).strip("_.")
    return plain[:LONGEST_FOLDER_NAME] or "run"


def sweep_name(overrides: ListConfig) -> str:
    """Return what varies in a sweep, such as `algorithm+seed`."""
    typed = cast(list[str], OmegaConf.to_container(overrides, resolve=False))
    keys = [text.partition("=")[0] for text in typed if re.search(r"=.*[,(]", text)]
    return folder_name("+".join(keys) or "sweep")
