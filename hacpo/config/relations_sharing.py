"""Who learns what from whom: the relations of `algorithm.exchange` and `algorithm.sharing`."""

from __future__ import annotations

import math

from hacpo.config.algorithm import Exchange, RatioLevel, SharingConfig
from hacpo.config.errors import ConfigError
from hacpo.config.nearest import nearest_option
from hacpo.config.schema import Config

KEY = "algorithm.sharing"


def check_sharing(config: Config) -> None:
    """Only several agents can share, and only sequence-level ratios reach other tokenizers."""
    algorithm = config.algorithm
    if algorithm.exchange is Exchange.none:
        _check_nothing_is_set(config)
        return
    if len(config.agents) < 2:
        name = next(iter(config.agents))
        raise ConfigError(
            f"algorithm={algorithm.name} shares rollouts between agents, and {name!r} is the only "
            "agent",
            key="algorithm.exchange",
            fix="algorithm=gspo for one agent, or agents=tiny_pair for two",
        )
    if algorithm.ratio is RatioLevel.token:
        raise ConfigError(
            "token-level ratios cannot weigh rollouts of other agents, whose tokens are different",
            key="algorithm.ratio",
            fix="algorithm.ratio=sequence, or algorithm=grpo, which shares nothing",
        )
    _check_successes(config)
    _check_graph(config)


def authors_of(config: Config, learner: str) -> tuple[str, ...]:
    """Return the other agents that a learner learns from, in the run's order."""
    if config.algorithm.exchange is Exchange.none:
        return ()
    chosen = config.algorithm.sharing.learns_from.get(learner)
    return tuple(
        name for name in config.agents if name != learner and (chosen is None or name in chosen)
    )


def learnt_per_prompt(config: Config, learner: str) -> int:
    """Return how many completions of a prompt a learner trains on, own and shared."""
    own = config.rollout.completions_per_prompt * config.algorithm.rollout_factor
    shared = float(own * len(authors_of(config, learner)))
    ratio = config.algorithm.sharing.ratio
    return own + int(shared if math.isinf(ratio) else min(shared, round(ratio * own)))


def _check_nothing_is_set(config: Config) -> None:
    unused = SharingConfig()
    for name in ("ratio", "success_reward", "smallest_advantage", "learns_from"):
        value = getattr(config.algorithm.sharing, name)
        if value != getattr(unused, name):
            raise ConfigError(
                f"{KEY}.{name}={value} has no effect, because nothing is shared "
                "(algorithm.exchange=none)",
                key=f"{KEY}.{name}",
                fix="leave it out, or say algorithm=hacpo",
            )


def _check_successes(config: Config) -> None:
    algorithm = config.algorithm
    given = algorithm.sharing.success_reward != SharingConfig().success_reward
    if given and algorithm.exchange is not Exchange.successes_only:
        raise ConfigError(
            f"{KEY}.success_reward={algorithm.sharing.success_reward:g} has no effect, because "
            "failures are shared too",
            key=f"{KEY}.success_reward",
            fix="algorithm.exchange=successes_only",
        )


def _check_graph(config: Config) -> None:
    agents = list(config.agents)
    for learner, authors in config.algorithm.sharing.learns_from.items():
        key = f"{KEY}.learns_from.{learner}"
        for name in (learner, *authors):
            if name not in config.agents:
                raise ConfigError(
                    f"{name!r} is no agent of this run; the agents are {', '.join(agents)}",
                    key=key,
                    fix=f"say {nearest_option(name, agents) or agents[0]} instead",
                )
        if learner in authors:
            raise ConfigError(
                f"{learner} learns from its own completions in any case; name only others", key=key
            )
        if len(set(authors)) < len(authors):
            raise ConfigError(f"an author stands twice in the list of {learner}", key=key)
