"""What each ablation takes out: the keys that it sets, and what the algorithm must use for that.

The files in `conf/ablation/` set the values; this table declares them. A test compares both, and a
run is refused when an ablation would not take out anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from hacpo.config.algorithm import Exchange, SharedTerm
from hacpo.config.errors import ConfigError
from hacpo.config.schema import Config

NONE = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ablation:
    """One part of HACPO and the values that take it out."""

    removes: str
    """The part, as it stands in a sentence."""
    sets: dict[str, float]
    """Every key that the ablation changes, with its value."""
    cross_term_only: bool = False
    """The part belongs to the surrogate (50) of shared completions."""


ABLATIONS = {
    "no_capability_advantage": Ablation(
        removes="the capability-aware baseline",
        sets={"algorithm.capability.baseline_exponent": 0.0},
    ),
    "no_capability_coefficient": Ablation(
        removes="the weight of more capable authors",
        sets={"algorithm.capability.coefficient_exponent": 0.0},
    ),
    "no_exponential_is": Ablation(
        removes="exponential importance sampling of shared completions",
        sets={"algorithm.alpha": 0.0},
        cross_term_only=True,
    ),
    "no_stepwise_clip": Ablation(
        removes="the stepwise schedule of the clip of shared completions",
        sets={"algorithm.cross_clip.step": 0.0},
        cross_term_only=True,
    ),
    "no_clip": Ablation(
        removes="the clip of shared completions",
        sets={
            "algorithm.cross_clip.delta": inf,
            "algorithm.cross_clip.step": 0.0,
            "algorithm.cross_clip.upper": inf,
        },
        cross_term_only=True,
    ),
}


def check_ablation(config: Config) -> None:
    """Refuse an ablation that is undeclared, that something overrides, or that does not apply."""
    if config.ablation == NONE:
        return
    ablation = ABLATIONS.get(config.ablation)
    if ablation is None:
        raise ConfigError(
            f"ablation {config.ablation!r} is not declared in hacpo/config/ablation.py",
            key="ablation",
            fix=f"ablation={NONE}, or one of {', '.join(ABLATIONS)}",
        )
    algorithm = config.algorithm
    if algorithm.exchange is Exchange.none:
        _refuse(config, ablation, "shares no completions")
    if ablation.cross_term_only and algorithm.shared_term is SharedTerm.own:
        _refuse(config, ablation, "treats shared completions like own ones")
    for key, value in ablation.sets.items():
        present = value_at(config, key)
        if present != value:
            raise ConfigError(
                f"ablation={config.ablation} sets {key} to {value:g}, but something else sets it "
                f"to {present}",
                key=key,
                fix=f"leave out either the ablation or the value of {key}",
            )


def value_at(config: Config, key: str) -> Any:
    """Return the value at a dotted key."""
    node: Any = config
    for name in key.split("."):
        node = getattr(node, name)
    return node


def check_ablation_changes(config: Config, overrides: Sequence[str]) -> None:
    """Refuse an ablation without which the configuration would be the same.

    Args:
        config: the configuration with the ablation in it.
        overrides: the command line that it was composed from, Hydra's own overrides included.
    """
    ablation = ABLATIONS.get(config.ablation)
    if ablation is None or not GlobalHydra.instance().is_initialized():
        return
    whole = _without_ablation(overrides)
    if all(OmegaConf.select(whole, key) == value for key, value in ablation.sets.items()):
        _refuse(config, ablation, "is without it already")


def _without_ablation(overrides: Sequence[str]) -> DictConfig:
    parsed = OverridesParser.create().parse_overrides(list(overrides))
    kept = [
        text
        for text, override in zip(overrides, parsed, strict=True)
        if override.key_or_group != "ablation"
    ]
    return (
        GlobalHydra.instance()
        .config_loader()
        .load_configuration(
            config_name="config", overrides=[*kept, f"ablation={NONE}"], run_mode=RunMode.RUN
        )
    )


def _refuse(config: Config, ablation: Ablation, reason: str) -> None:
    raise ConfigError(
        f"ablation={config.ablation} takes out {ablation.removes}, but "
        f"algorithm={config.algorithm.name} {reason}, so it would change nothing",
        key="ablation",
        fix=f"ablation={NONE}, or algorithm=hacpo",
    )
