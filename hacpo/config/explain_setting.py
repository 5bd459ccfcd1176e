"""Sentences for settings and groups that do not exist, with what was probably meant."""

from __future__ import annotations

from hacpo.config.errors import ConfigError
from hacpo.config.nearest import nearest_keys, nearest_option
from hacpo.config.vocabulary import Vocabulary

BENCHMARK = "benchmark"
SUITES = "benchmarks"


def unknown_setting(key: str, value: str, vocabulary: Vocabulary, *, free: bool) -> ConfigError:
    """Return the mistake of a key that is not known.

    Args:
        key: the dotted key.
        value: what it was to be set to; empty when the mistake stands in a file.
        vocabulary: the keys that exist.
        free: whether the key belongs to a mapping that takes any, once it is added with `+`.
    """
    after = f"={value}" if value else ""
    if key.startswith(f"{SUITES}.") and not any(
        name.startswith(f"{SUITES}.") for name in vocabulary.settings
    ):
        return ConfigError(
            f"there is no setting {key}, because no benchmark is chosen",
            key=key,
            fix=f"benchmarks=paper7 {key}{after}",
        )
    known = [*vocabulary.choices, *vocabulary.settings]
    likely = [f"{name}{after}" for name in nearest_keys(key, known)]
    if free:
        likely.append(f"+{key}{after} to add it")
    return ConfigError(
        f"there is no setting {key}",
        key=key,
        fix=", or ".join(likely) or "python run.py --cfg job, which lists all settings",
    )


def unknown_group_key(key: str, value: str, vocabulary: Vocabulary) -> ConfigError:
    """Return the mistake of a `group=option` or `group@place=option` that is not in the defaults.

    Example: `agent=tiny_qwen3`, which does not say whose model is meant.
    """
    plain = key.lstrip("+~")
    group, _, place = plain.partition("@")
    if group not in vocabulary.groups:
        best = nearest_option(group, vocabulary.groups)
        after = f"@{place}" if place else ""
        return ConfigError(
            f"there is no group {group!r}; the groups are {', '.join(vocabulary.groups)}",
            key=plain,
            fix=f"{best}{after}={value}" if best else None,
        )
    if group == BENCHMARK and (not place or not _places(group, vocabulary)):
        return _benchmark_without_place(plain, value)
    if not place:
        whose = [f"{name}={value}" for name in _places(group, vocabulary)]
        return ConfigError(
            f"{group} does not say which agent it is for",
            key=plain,
            fix=", or ".join(whose) or None,
        )
    places = _places(group, vocabulary)
    likely = nearest_keys(plain, places, limit=1) or places[:1]
    fixes = [f"{name}={value}" for name in likely]
    if not key.startswith("+"):
        fixes.append(f"+{plain}={value} to add it")
    return ConfigError(
        f"nothing is chosen under {plain} yet; there are {', '.join(places)}",
        key=plain,
        fix=", or ".join(fixes),
    )


def _places(group: str, vocabulary: Vocabulary) -> list[str]:
    return [name for name in vocabulary.choices if name.startswith(f"{group}@")]


def _benchmark_without_place(key: str, value: str) -> ConfigError:
    return ConfigError(
        "a benchmark is chosen with a suite, or added under a name of its own",
        key=key,
        fix=f"benchmarks=paper7, or +{BENCHMARK}@benchmarks.{value}={value}",
    )


def no_equals_sign(argument: str, vocabulary: Vocabulary) -> ConfigError:
    """Return the mistake of an argument without `=`, such as `hacpo` or `seed`."""
    for group, options in vocabulary.groups.items():
        if argument in options and group in vocabulary.choices:
            return ConfigError(
                f"{argument!r} does not say what it is the choice of",
                key=group,
                fix=f"{group}={argument}",
            )
    likely = nearest_keys(argument, [*vocabulary.choices, *vocabulary.settings], limit=1)
    return ConfigError(
        f"the argument {argument!r} is no setting; settings look like key=value",
        fix=f"{likely[0]}=VALUE" if likely else "python run.py --help",
    )
