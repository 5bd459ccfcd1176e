"""Which problems a step trains on: an index stream that is a function of (seed, step).

Nothing is remembered between calls, so a resumed run goes on with exactly the same problems, and
agents in different processes see the same ones.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from hacpo.types import Problem


def step_problems(
    problems: Sequence[Problem], *, seed: int, step: int, prompts_per_step: int
) -> tuple[Problem, ...]:
    """Return the problems of a step, numbered from 0.

    Each problem comes once an epoch. A step may run over the end of an epoch, and even then it
    holds no problem twice.

    Raises:
        ValueError: when a step asks for more problems than there are.
    """
    indices = step_indices(len(problems), seed=seed, step=step, prompts_per_step=prompts_per_step)
    return tuple(problems[index] for index in indices)


def step_indices(
    num_problems: int, *, seed: int, step: int, prompts_per_step: int
) -> tuple[int, ...]:
    """Return the indices behind `step_problems`."""
    if not 1 <= prompts_per_step <= num_problems:
        raise ValueError(
            f"prompts_per_step is {prompts_per_step}, but there are {num_problems} training "
            "problems, and a step holds between one and all of them"
        )
    if step < 0:
        raise ValueError(f"step is at least 0, got {step}")
    epoch, start = divmod(step * prompts_per_step, num_problems)
    order = _epoch_order(num_problems, seed, epoch, prompts_per_step)
    chosen = order[start : start + prompts_per_step]
    missing = prompts_per_step - len(chosen)
    if missing:
        chosen += _epoch_order(num_problems, seed, epoch + 1, prompts_per_step)[:missing]
    return chosen


@lru_cache(maxsize=8)
def _epoch_order(
    num_problems: int, seed: int, epoch: int, prompts_per_step: int
) -> tuple[int, ...]:
    """Return one epoch's order, a permutation.

    Each order depends on the one before, because the step that both share must not hold a problem
    twice; so it is built from the first epoch on, which takes milliseconds an epoch.
    """
    order: list[int] = []
    for number in range(epoch + 1):
        used = number * num_problems % prompts_per_step
        tail = frozenset(order[num_problems - used :])
        shuffled = list(range(num_problems))
        random.Random(f"{seed}/{number}").shuffle(shuffled)
        order = _without_repeats(shuffled, tail, (prompts_per_step - used) % prompts_per_step)
    return tuple(order)


def _without_repeats(shuffled: list[int], tail: frozenset[int], count: int) -> list[int]:
    """Return the permutation with nothing of `tail` among its first `count` places."""
    front = [index for index in shuffled if index not in tail][:count]
    placed = frozenset(front)
    return front + [index for index in shuffled if index not in placed]
