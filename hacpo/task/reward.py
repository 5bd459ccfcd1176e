"""Rewards as functions of two strings.

Completions are compared as text and never evaluated or turned into numbers, so a hostile one (a
million digits, code, control characters) costs one pass over it and scores 0.
"""

from __future__ import annotations


def after_last_equals(answer: str, completion: str) -> float:
    """Return 1.0 if the text after the last `=` is exactly the answer, else 0.0.

    White space and leading zeros count as differences; without any `=` the reward is 0.0.
    """
    _, equals, tail = completion.rpartition("=")
    return float(equals == "=" and tail == answer)


def just_the_answer(answer: str, completion: str) -> float:
    """Return 1.0 if the completion is the answer and nothing else, else 0.0.

    White space around it and then one final full stop are forgiven.
    """
    return float(completion.strip().removesuffix(".") == answer)
