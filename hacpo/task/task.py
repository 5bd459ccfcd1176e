"""What every task offers, and the fixed split of its problems."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

from hacpo.types import Problem

Demonstrator = Callable[[Problem, random.Random], str]
"""Writes one completion of a problem; right or wrong as its habits and the dice will."""


class Task(Protocol):
    """Problems with a verifiable answer.

    A task is any object of this shape; `task._target_` names the function that builds it.
    """

    @property
    def name(self) -> str:
        """Name of the task; problem ids begin with it."""
        ...

    @property
    def train(self) -> tuple[Problem, ...]:
        """Problems for the warm start and for reinforcement learning."""
        ...

    @property
    def test(self) -> tuple[Problem, ...]:
        """Problems kept out of both; accuracy is measured on them."""
        ...

    def texts(self) -> list[str]:
        """Return texts that a tokenizer built in code must cover and learns its merges from."""
        ...

    def reward(self, problem: Problem, text: str) -> float:
        """Return the reward of a completion: pure, bounded in time, safe on any text."""
        ...

    def demonstrator(self, **arguments: float) -> Demonstrator:
        """Return a demonstrator with the given habits; ValueError for unknown ones."""
        ...


def split_problems(
    problems: Sequence[Problem], *, num_test: int, split_seed: int
) -> tuple[tuple[Problem, ...], tuple[Problem, ...]]:
    """Return (train, test) in the order of `problems`; `split_seed` alone decides who is where.

    Raises:
        ValueError: when no training problem would be left.
    """
    if not 0 <= num_test < len(problems):
        raise ValueError(
            f"num_test is {num_test}, but the task has {len(problems)} problems "
            "and at least one must be left to train on"
        )
    chosen = random.Random(f"split/{split_seed}").sample(range(len(problems)), num_test)
    in_test = frozenset(chosen)
    train = tuple(problem for place, problem in enumerate(problems) if place not in in_test)
    test = tuple(problem for place, problem in enumerate(problems) if place in in_test)
    return train, test
