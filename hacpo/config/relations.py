"""What several settings must be together. Each check looks at one relation and names it."""

from __future__ import annotations

from math import inf

from hacpo.config.algorithm import (
    AlgorithmConfig,
    Exchange,
    LossNormalization,
    SharedTerm,
)
from hacpo.config.errors import ConfigError
from hacpo.config.names import PLAIN_WORD
from hacpo.config.relations_benchmark import check_benchmarks
from hacpo.config.relations_sharing import check_sharing, learnt_per_prompt
from hacpo.config.schema import Config, Mode

LARGEST_EXPONENT = 80.0
"""As in `hacpo.objective.settings`, which cannot be imported without torch."""


def check_relations(config: Config) -> None:
    """Raise ConfigError for the first relation that does not hold.

    What concerns learning is looked at only where there is any.
    """
    check_agent_names(config)
    check_devices(config)
    check_benchmarks(config)
    if config.mode is Mode.train:
        check_learning(config)


def check_learning(config: Config) -> None:
    """Raise ConfigError for the first relation that training needs and that does not hold."""
    check_sharing(config)
    check_group_size(config)
    check_unused(config.algorithm)
    check_updates(config)
    check_loss(config.algorithm)
    check_ratio_limit(config.algorithm)
    check_budget(config)


def check_agent_names(config: Config) -> None:
    """There is an agent, and every name can stand as a folder's name beside the others."""
    if not config.agents:
        raise ConfigError("there is no agent to train", key="agents", fix="agents=tiny_pair")
    seen: dict[str, str] = {}
    for name in config.agents:
        if PLAIN_WORD.fullmatch(str(name)) is None:
            raise ConfigError(
                f"the agent name {str(name)!r} is not a plain word: a letter, then up to 39 "
                "letters, digits, _ or -",
                key="agents",
            )
        twin = seen.setdefault(name.lower(), name)
        if twin != name:
            raise ConfigError(
                f"the agents {twin!r} and {name!r} differ in upper and lower case alone, and their "
                "folders would be one on some file systems",
                key="agents",
                fix="give one of them another name",
            )


def check_group_size(config: Config) -> None:
    """A group needs two completions: alone, one has nothing to be compared with."""
    size = config.rollout.completions_per_prompt * config.algorithm.rollout_factor
    if size < 2:
        raise ConfigError(
            "one completion per prompt has no others to be compared with, so its advantage is "
            "always 0",
            key="rollout.completions_per_prompt",
            fix="rollout.completions_per_prompt=8, or any number from 2 on",
        )


def check_unused(algorithm: AlgorithmConfig) -> None:
    """A setting that the algorithm does not read stands at the value that says so."""
    if algorithm.exchange is not Exchange.none and algorithm.shared_term is SharedTerm.cross:
        return
    clip = algorithm.cross_clip
    values = {
        "alpha": (algorithm.alpha, 0.0),
        "cross_clip.delta": (clip.delta, inf),
        "cross_clip.step": (clip.step, 0.0),
        "cross_clip.upper": (clip.upper, inf),
    }
    if algorithm.exchange is Exchange.none:
        capability = algorithm.capability
        values["capability.baseline_exponent"] = (capability.baseline_exponent, 0.0)
        values["capability.coefficient_exponent"] = (capability.coefficient_exponent, 0.0)
        reason = "nothing is shared (algorithm.exchange=none)"
    else:
        reason = "shared completions are treated like own ones (algorithm.shared_term=own)"
    for name, (value, unused) in values.items():
        if value != unused:
            raise ConfigError(
                f"algorithm.{name}={value:g} has no effect, because {reason}",
                key=f"algorithm.{name}",
                fix="leave it out, or say algorithm=hacpo",
            )


def check_updates(config: Config) -> None:
    """One update holds no more completions than a step yields to any of the agents."""
    sequences, prompts = config.algorithm.update.sequences, config.rollout.prompts_per_step
    learner, per_prompt = min(
        ((name, learnt_per_prompt(config, name)) for name in config.agents),
        key=lambda entry: entry[1],
    )
    rows = prompts * per_prompt
    if sequences > rows:
        raise ConfigError(
            f"an update of {sequences} sequences is larger than a step, which yields {rows} to "
            f"{learner} ({prompts} prompts x {per_prompt} completions, own and shared)",
            key="algorithm.update.sequences",
            fix=f"algorithm.update.sequences={rows} for one update per step, or less for more",
        )


def check_loss(algorithm: AlgorithmConfig) -> None:
    """The constant length is given exactly when the loss is divided by it."""
    loss = algorithm.loss
    wanted = loss.normalization is LossNormalization.constant_length
    if wanted and loss.constant_length is None:
        raise ConfigError(
            "the loss is divided by a constant length, and none is given",
            key="algorithm.loss.constant_length",
            fix="algorithm.loss.constant_length=256, in tokens",
        )
    if not wanted and loss.constant_length is not None:
        raise ConfigError(
            f"algorithm.loss.constant_length={loss.constant_length} has no effect, because the "
            f"loss is normalised by {loss.normalization}",
            key="algorithm.loss.constant_length",
            fix="algorithm.loss.normalization=constant_length",
        )


def check_ratio_limit(algorithm: AlgorithmConfig) -> None:
    """s^(1 + alpha) stays finite in float32 for the largest log-ratio that is let through."""
    exponent = (1 + algorithm.alpha) * algorithm.loss.log_ratio_limit
    if exponent > LARGEST_EXPONENT:
        raise ConfigError(
            f"(1 + algorithm.alpha) x algorithm.loss.log_ratio_limit is {exponent:g}, and beyond "
            f"{LARGEST_EXPONENT:g} the weight of a shared completion could overflow",
            key="algorithm.loss.log_ratio_limit",
            fix=f"algorithm.loss.log_ratio_limit={LARGEST_EXPONENT / (1 + algorithm.alpha):.3g}",
        )


def check_budget(config: Config) -> None:
    """The scaled budget is at least one step."""
    if round(config.budget.steps * config.budget.scale) < 1:
        raise ConfigError(
            f"{config.budget.steps} steps x {config.budget.scale:g} rounds to no step at all",
            key="budget.scale",
            fix="budget.steps=1 budget.scale=1",
        )


def check_devices(config: Config) -> None:
    """Each agent trains on one device; more is not built yet."""
    if config.trainer.devices != 1:
        raise ConfigError(
            f"trainer.devices={config.trainer.devices}: several devices per agent are not built "
            "yet",
            key="trainer.devices",
            fix="trainer.devices=1",
        )
