"""Reward functions as a user writes them: good ones and bad ones."""

from __future__ import annotations

import os
import time

from hacpo.types import Problem


def shortness(problem: Problem, text: str, *, longest: int = 10) -> float:
    """Reward short texts."""
    print("what a function prints must not reach the parent")
    return max(0.0, 1.0 - len(text) / longest)


def moody(problem: Problem, text: str) -> float:
    """Do what the text says: raise, hang, die, or return no number."""
    if text == "raise":
        raise KeyError("missing")
    if text == "hang":
        time.sleep(60)
    if text == "die":
        os._exit(3)
    return float("nan") if text == "nan" else 1.0


def wrong_parameters(text: str) -> float:
    """Take too little."""
    return 0.0
