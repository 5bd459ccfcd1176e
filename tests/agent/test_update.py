"""One update: gradients do not depend on the cut, ratios start at 1, zero rows cost nothing."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch

from hacpo.agent.rows import TrainingRow
from hacpo.agent.update import GradientPass, UpdateOutcome
from hacpo.objective import ObjectiveSettings
from hacpo.rollout.engine import SamplingSettings
from hacpo.rollout.hf import HFEngine
from hacpo.rollout.logprobs import frozen_logprobs
from tests.objectives import HACPO
from tests.tiny_models import TinyModel


def _rows(tiny: TinyModel, *, temperature: float = 1.0) -> list[TrainingRow]:
    """Eight sampled rows of different lengths; every second one is passed off as shared."""
    engine = HFEngine(tiny.model, tiny.codec, batch_size=64)
    prompts = [tiny.codec.encode_prompt(text) for text in ("3+4=", "5+7-1=")]
    settings = SamplingSettings(
        completions_per_prompt=4, max_new_tokens=12, temperature=temperature
    )
    groups = engine.generate(prompts, settings, seed=5)
    tokens = [
        (prompt, completion.token_ids)
        for prompt, group in zip(prompts, groups, strict=True)
        for completion in group
    ]
    logprobs = frozen_logprobs(
        tiny.model, tokens, pad_id=0, temperature=temperature, token_budget=10_000
    )
    return [
        TrainingRow(
            author="llama" if number % 2 else "qwen",
            shared=bool(number % 2),
            tokens=row,
            advantage=(-1.0) ** (number // 2) * (1 + number),
            old_logprobs=() if number % 2 else values,
            source_mean_logprob=sum(values) / len(values) - (0.1 if number % 2 else 0.0),
        )
        for number, (row, values) in enumerate(zip(tokens, logprobs, strict=True))
    ]


def _accumulate(
    tiny: TinyModel,
    rows: Sequence[TrainingRow],
    *,
    objective: ObjectiveSettings = HACPO,
    token_budget: int = 10_000,
    temperature: float = 1.0,
) -> tuple[UpdateOutcome, torch.Tensor]:
    tiny.model.zero_grad()
    reference = copy.deepcopy(tiny.model) if objective.kl_coefficient else None
    outcome = GradientPass(
        model=tiny.model,
        reference=reference,
        objective=objective,
        pad_id=0,
        temperature=temperature,
        token_budget=token_budget,
        backward=lambda loss: loss.backward(),
    ).accumulate(rows, update_index=0)
    gradient = torch.cat([parameter.grad.flatten() for parameter in tiny.model.parameters()])
    return outcome, gradient


def _budget_for(rows: Sequence[TrainingRow], cuts: int) -> int:
    width = max(len(row.tokens[0]) for row in rows) + max(len(row.tokens[1]) for row in rows)
    return width * (len(rows) // cuts)


@pytest.mark.parametrize("normalization", ["sequence_mean", "token_mean", "constant_length"])
@pytest.mark.parametrize("kl_coefficient", [0.0, 0.1])
def test_gradient_does_not_depend_on_how_the_batch_is_cut(
    tiny_qwen: TinyModel, normalization: str, kl_coefficient: float
) -> None:
    objective = replace(
        HACPO,
        normalization=normalization,
        constant_length=12 if normalization == "constant_length" else None,
        kl_coefficient=kl_coefficient,
    )
    rows = _rows(tiny_qwen)
    whole, expected = _accumulate(tiny_qwen, rows, objective=objective)
    assert whole.micro_batches == 1
    assert expected.norm() > 0
    for cuts, at_least in ((2, 2), (8, 8)):
        budget = 1 if cuts == 8 else _budget_for(rows, cuts)
        outcome, gradient = _accumulate(tiny_qwen, rows, objective=objective, token_budget=budget)
        assert outcome.micro_batches >= at_least
        assert (gradient - expected).norm() / expected.norm() < 1e-5
        assert outcome.loss == pytest.approx(whole.loss, rel=1e-5)


@pytest.mark.parametrize("temperature", [1.0, 0.6])
@pytest.mark.parametrize("token_budget", [1, 60, 10_000])
def test_own_ratio_is_one_before_the_first_update(
    tiny_llama: TinyModel, temperature: float, token_budget: int
) -> None:
    rows = _rows(tiny_llama, temperature=temperature)
    outcome, _ = _accumulate(tiny_llama, rows, temperature=temperature, token_budget=token_budget)
    own = [row.ratio for row in outcome.rows if not row.shared]
    assert len(own) == 4
    assert own == pytest.approx([1.0] * 4, abs=1e-5)
    # The shared rows claim an author whose mean log-probability is .1 lower: e^.1.
    shared = [row.ratio for row in outcome.rows if row.shared]
    assert shared == pytest.approx([1.10517] * 4, rel=1e-4)


def test_rows_of_advantage_zero_cost_nothing_and_change_nothing(tiny_qwen: TinyModel) -> None:
    rows = _rows(tiny_qwen)
    silent = [replace(row, advantage=0.0) if number < 4 else row for number, row in enumerate(rows)]
    outcome, gradient = _accumulate(tiny_qwen, silent)
    assert len(outcome.rows) == 4
    # They still count in the mean: half of the gradient that the other four have alone.
    _, alone = _accumulate(tiny_qwen, silent[4:])
    assert (gradient - alone / 2).norm() / alone.norm() < 1e-5
    assert outcome.trained_tokens == sum(len(row.tokens[1]) for row in rows)


def test_rows_of_advantage_zero_keep_their_kl(tiny_qwen: TinyModel) -> None:
    rows = [replace(row, advantage=0.0) for row in _rows(tiny_qwen)]
    outcome, _ = _accumulate(tiny_qwen, rows, objective=replace(HACPO, kl_coefficient=0.1))
    assert {row.author for row in outcome.rows} == {"qwen"}


def test_an_update_without_signal_still_gives_every_parameter_a_gradient(
    tiny_qwen: TinyModel,
) -> None:
    rows = [replace(row, advantage=0.0) for row in _rows(tiny_qwen)]
    outcome, gradient = _accumulate(tiny_qwen, rows)
    assert outcome.micro_batches == 0
    assert outcome.loss == 0.0
    assert torch.all(gradient == 0)


def test_log_probabilities_that_do_not_fit_their_tokens_are_refused(tiny_qwen: TinyModel) -> None:
    rows = _rows(tiny_qwen)
    broken = [replace(rows[0], old_logprobs=rows[0].old_logprobs[:-1])]
    with pytest.raises(ValueError, match="log-probabilities for"):
        _accumulate(tiny_qwen, broken)
