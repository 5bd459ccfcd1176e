"""Task `arithmetic`: one or two additions or subtractions of single digits, step by step.

``5+7-1=`` -> ``5+7=12;12-1=11``. A small model can learn it in seconds, yet it has thousands of
compositions, and a habit in one fact shows in many of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from hacpo.task.habits import HoleHabits, read_habits
from hacpo.task.reward import after_last_equals
from hacpo.task.task import Demonstrator, split_problems
from hacpo.types import Problem

NAME = "arithmetic"
PROMPT = re.compile(r"[0-9](?:[+-][0-9]){1,2}=")


@dataclass(frozen=True, kw_only=True, slots=True)
class ArithmeticHabits(HoleHabits):
    """What an arithmetic demonstrator does wrongly; the default is always right."""

    carry_forgotten: float = 0.0
    """Chance that an addition that carries comes out ten too small."""
    borrow_off_by_one: float = 0.0
    """Chance that a subtraction that borrows comes out one too large."""

    def apply(self, total: int, sign: str, digit: int, dice: random.Random) -> int:
        """Return what the demonstrator makes of one step, such as 12 - 1."""
        units = total % 10
        if sign == "-":
            slips = units < digit and dice.random() < self.borrow_off_by_one
            return total - digit + int(slips)
        forgets = units + digit >= 10 and dice.random() < self.carry_forgotten
        return self.add(total, digit, dice) - 10 * int(forgets)


@dataclass(frozen=True, kw_only=True, slots=True)
class ArithmeticTask:
    """The task; see `hacpo.task.task.Task`."""

    train: tuple[Problem, ...]
    test: tuple[Problem, ...]
    name: str = NAME

    def texts(self) -> list[str]:
        """Return every prompt, and the right solutions of the training problems."""
        prompts = [problem.prompt for problem in (*self.train, *self.test)]
        return prompts + [solution(problem) for problem in self.train]

    def reward(self, problem: Problem, text: str) -> float:
        """Return 1.0 if the text after the last `=` is exactly the answer, else 0.0."""
        return after_last_equals(problem.answer, text)

    def demonstrator(self, **arguments: float) -> Demonstrator:
        """Return a demonstrator with the habits of `ArithmeticHabits`."""
        habits = read_habits(ArithmeticHabits, arguments)
        return lambda problem, dice: write_out(problem.prompt, habits, dice)


def build_arithmetic(*, num_test: int, split_seed: int) -> ArithmeticTask:
    """Return the task with `num_test` problems held out.

    The problems are all chains whose partial results are never negative: 155 with one operation
    and 2605 with two, 2760 in all.
    """
    problems = tuple(
        Problem(id=f"{NAME}/{prompt}", prompt=prompt, answer=str(answer))
        for prompt, answer in chains()
    )
    train, test = split_problems(problems, num_test=num_test, split_seed=split_seed)
    return ArithmeticTask(train=train, test=test)


def chains() -> Iterator[tuple[str, int]]:
    """Yield (prompt, answer) of every chain whose partial results are never negative."""
    steps = list(product("+-", range(10)))
    for count in (1, 2):
        for first, chain in product(range(10), product(steps, repeat=count)):
            totals = [first]
            for sign, digit in chain:
                totals.append(totals[-1] + (digit if sign == "+" else -digit))
            if min(totals) >= 0:
                text = "".join(f"{sign}{digit}" for sign, digit in chain)
                yield f"{first}{text}=", totals[-1]


def write_out(prompt: str, habits: ArithmeticHabits, dice: random.Random) -> str:
    """Return the worked solution of a prompt. An error is carried on into the next step."""
    if PROMPT.fullmatch(prompt) is None:
        raise ValueError(f"{prompt!r} is no prompt of the arithmetic task")
    total, written = int(prompt[0]), []
    for place in range(1, len(prompt) - 1, 2):
        sign, digit = prompt[place], int(prompt[place + 1])
        result = habits.apply(total, sign, digit, dice)
        written.append(f"{total}{sign}{digit}={result}")
        total = result
    return ";".join(written)


def solution(problem: Problem) -> str:
    """Return the right worked solution of a problem."""
    return write_out(problem.prompt, ArithmeticHabits(), random.Random(0))
