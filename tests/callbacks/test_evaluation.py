"""The held-out evaluation: greedy answers, and the accuracies that a run reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from hacpo.assembly.run import accuracies
from hacpo.callbacks.evaluation import HeldOutEvaluation
from hacpo.evaluation.held_out import evaluate
from tests.tiny_agents import PROBLEMS, Scored, has_even_sum, tiny_agent
from tests.tiny_models import TinyModel


def _evaluation(tmp_path: Path) -> HeldOutEvaluation:
    return HeldOutEvaluation(
        PROBLEMS,
        score=Scored(has_even_sum).grade,
        every_steps=2,
        last_step=5,
        max_new_tokens=6,
        at_start=True,
        path=tmp_path / "evaluation.jsonl",
        on_evaluation=lambda _: None,
    )


def test_answers_are_the_most_probable_tokens(tiny_qwen: TinyModel) -> None:
    agent = tiny_agent(tiny_qwen)
    codec = agent.collector.codec
    found = evaluate(
        PROBLEMS,
        engine=agent.collector.engine,
        codec=codec,
        score=Scored(has_even_sum).grade,
        max_new_tokens=6,
        step=0,
    )
    for problem, answer in zip(PROBLEMS, found.answers, strict=True):
        ids = list(codec.encode_prompt(problem.prompt))
        start = len(ids)
        for _ in range(6):
            with torch.no_grad():
                ids.append(int(tiny_qwen.model(torch.tensor([ids])).logits[0, -1].argmax()))
            if ids[-1] in codec.stop_ids:
                break
        assert answer.completion == codec.decode_completion(ids[start:])


def test_it_evaluates_at_the_start_when_due_and_at_the_end(
    tiny_qwen: TinyModel, tmp_path: Path
) -> None:
    agent, callback = tiny_agent(tiny_qwen), _evaluation(tmp_path)
    callback.before_learning(None, agent)  # type: ignore[arg-type]
    for step in range(1, 6):
        callback.after_step(None, agent, step=step)  # type: ignore[arg-type]
    assert sorted(callback.history) == [0, 2, 4, 5]
    lines = [json.loads(line) for line in (tmp_path / "evaluation.jsonl").open()]
    assert [line["problem_id"] for line in lines] == [problem.id for problem in PROBLEMS]
    assert {line["step"] for line in lines} == {5}


def test_the_best_accuracy_is_one_that_was_learnt(tmp_path: Path) -> None:
    callback = _evaluation(tmp_path)
    callback.history = {0: 0.9, 2: 0.5, 4: 0.7, 5: 0.6}
    before, after, best, mean = accuracies(callback)
    assert (before, after, best) == (0.9, 0.6, 0.7)
    assert mean == pytest.approx(0.6)
    callback.history = {0: 0.9}
    assert accuracies(callback) == (0.9, None, None, None)
    assert accuracies(None) == (None, None, None, None)
