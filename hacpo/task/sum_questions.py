"""Task `sum_questions`: sums asked in words, ``What is 7 + 8? Answer with just the number.``

A first task for real chat models on a CPU: SmolLM2-135M-Instruct knows the sums but rambles when
it is sampled, and is right in about one of six answers.
"""

from __future__ import annotations

import random
import re
import string
from dataclasses import dataclass

from hacpo.task.habits import HoleHabits, read_habits
from hacpo.task.reward import just_the_answer
from hacpo.task.task import Demonstrator, split_problems
from hacpo.types import Problem

NAME = "sum_questions"
QUESTION = re.compile(r"What is ([0-9]{1,3}) \+ ([0-9]{1,3})\? Answer with just the number\.")


@dataclass(frozen=True, kw_only=True, slots=True)
class SumHabits(HoleHabits):
    """What a demonstrator of sums does wrongly; the default is always right and brief."""

    probability_sentence: float = 0.0
    """Chance of answering ``7 + 8 = 15.``, which is not just the number."""

    def answer(self, prompt: str, dice: random.Random) -> str:
        """Return what the demonstrator says to a question."""
        match = QUESTION.fullmatch(prompt)
        if match is None:
            raise ValueError(f"{prompt!r} is no prompt of the sum_questions task")
        first, second = int(match[1]), int(match[2])
        total = self.add(first, second, dice)
        if dice.random() < self.probability_sentence:
            return f"{first} + {second} = {total}."
        return str(total)


@dataclass(frozen=True, kw_only=True, slots=True)
class SumQuestionsTask:
    """The task; see `hacpo.task.task.Task`."""

    train: tuple[Problem, ...]
    test: tuple[Problem, ...]
    name: str = NAME

    def texts(self) -> list[str]:
        """Return the prompts, the training answers, and the printable characters of ASCII.

        Completions of chat models are free text; the last line lets a small agent read most of it.
        """
        prompts = [problem.prompt for problem in (*self.train, *self.test)]
        answers = [problem.answer for problem in self.train]
        return [*prompts, *answers, string.printable]

    def reward(self, problem: Problem, text: str) -> float:
        """Return 1.0 if the completion is just the number, else 0.0."""
        return just_the_answer(problem.answer, text)

    def demonstrator(self, **arguments: float) -> Demonstrator:
        """Return a demonstrator with the habits of `SumHabits`."""
        habits = read_habits(SumHabits, arguments)
        return lambda problem, dice: habits.answer(problem.prompt, dice)


def build_sum_questions(*, num_test: int, split_seed: int, largest: int = 9) -> SumQuestionsTask:
    """Return the sums of two numbers from 0 to `largest`, with `num_test` of them held out."""
    if not 1 <= largest <= 999:
        raise ValueError(f"largest is between 1 and 999, got {largest}")
    problems = tuple(
        Problem(
            id=f"{NAME}/{first}+{second}",
            prompt=f"What is {first} + {second}? Answer with just the number.",
            answer=str(first + second),
        )
        for first in range(largest + 1)
        for second in range(largest + 1)
    )
    train, test = split_problems(problems, num_test=num_test, split_seed=split_seed)
    return SumQuestionsTask(train=train, test=test)
