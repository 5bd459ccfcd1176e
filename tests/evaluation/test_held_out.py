"""Greedy evaluation: graded answers in order, and the shares that are reported."""

from __future__ import annotations

import pytest

from hacpo.evaluation.held_out import Answer, Evaluation, evaluate
from hacpo.rollout.hf import HFEngine
from hacpo.types import Problem
from tests.tiny_models import TinyModel


def test_answers_stand_in_the_order_of_the_problems(
    tiny_qwen: TinyModel, problems: tuple[Problem, ...]
) -> None:
    engine = HFEngine(tiny_qwen.model, tiny_qwen.codec, batch_size=2)
    result = evaluate(
        problems,
        engine=engine,
        codec=tiny_qwen.codec,
        score=lambda asked, texts: [float(p.id == "arithmetic/b") for p in asked],
        max_new_tokens=6,
        step=4,
    )
    assert result.step == 4
    assert [answer.problem_id for answer in result.answers] == [p.id for p in problems]
    assert [answer.gold for answer in result.answers] == ["7", "11", "1"]
    assert result.accuracy == pytest.approx(1 / 3)


def test_it_is_greedy_and_so_repeats(tiny_qwen: TinyModel, problems: tuple[Problem, ...]) -> None:
    engine = HFEngine(tiny_qwen.model, tiny_qwen.codec, batch_size=64)
    first, second = (
        evaluate(
            problems,
            engine=engine,
            codec=tiny_qwen.codec,
            score=lambda asked, texts: [1.0] * len(texts),
            max_new_tokens=6,
            step=0,
        )
        for _ in range(2)
    )
    assert first == second


def test_shares_are_means_over_answers() -> None:
    answers = tuple(
        Answer(
            problem_id=str(number),
            prompt="",
            gold="",
            completion="",
            reward=reward,
            truncated=truncated,
        )
        for number, (reward, truncated) in enumerate(
            [(1.0, False), (0.0, True), (1.0, False), (1.0, False)]
        )
    )
    evaluation = Evaluation(step=0, answers=answers)
    assert evaluation.accuracy == 0.75
    assert evaluation.truncated_share == 0.25
