"""Finds what somebody meant by a word that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

LIKE_ENOUGH = 0.6
"""difflib's ratio from which one part of a key counts as a misspelling of another."""


def nearest_option(word: str, options: Iterable[str]) -> str | None:
    """Return the option of a short list that looks most like the word, if any does."""
    matches = difflib.get_close_matches(word.lower(), list(options), n=1, cutoff=0.5)
    return matches[0] if matches else None


def nearest_keys(key: str, known: Sequence[str], *, limit: int = 3) -> list[str]:
    """Return the known dotted keys that somebody may have meant, the likeliest first.

    Example: ``nearest_keys("algorithm.alhpa", [...])`` gives ``["algorithm.alpha"]``, and so does
    ``nearest_keys("alpha", [...])``: a key without its path finds the whole one.
    """
    whole = sorted((name for name in known if name.endswith(f".{key}")), key=_place)
    if whole:
        return whole[:limit]
    best = max(known, key=lambda name: _likeness(key, name), default="")
    if _likeness(key, best) >= LIKE_ENOUGH:
        return [best]
    return _by_last_part(key, known)


def _likeness(key: str, name: str) -> float:
    """Return how alike two keys are: as alike as the two parts that differ most."""
    parts, others = key.split("."), name.split(".")
    if len(parts) != len(others):
        return 0.0
    pairs = zip(parts, others, strict=True)
    return min(difflib.SequenceMatcher(None, part, other).ratio() for part, other in pairs)


def _by_last_part(key: str, known: Sequence[str]) -> list[str]:
    last = key.rpartition(".")[2]
    lasts = {name.rpartition(".")[2]: name for name in sorted(known, key=_place, reverse=True)}
    matches = difflib.get_close_matches(last, list(lasts), n=1, cutoff=0.75)
    return [lasts[match] for match in matches]


def _place(key: str) -> tuple[int, bool]:
    """Sort short keys first, and a recipe after the settings that read it."""
    return key.count("."), key.startswith("recipe.")
