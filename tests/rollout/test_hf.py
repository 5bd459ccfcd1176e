"""The sampling loop against transformers' own generate, and against exact probabilities."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from hacpo.rollout.engine import SamplingSettings
from hacpo.rollout.hf import HFEngine, sample_tokens
from hacpo.types import FinishReason
from tests.tiny_models import TinyModel

PROMPTS = ["3+4=", "5+7-1=", "9-8=", "2"]


def _generate(tiny: TinyModel, *, batch_size: int = 1024, **settings: float) -> list:
    engine = HFEngine(tiny.model, tiny.codec, batch_size=batch_size)
    prompts = [tiny.codec.encode_prompt(prompt) for prompt in PROMPTS]
    defaults = {"completions_per_prompt": 1, "max_new_tokens": 12, "temperature": 1.0}
    return engine.generate(prompts, SamplingSettings(**{**defaults, **settings}), seed=3)


@pytest.mark.parametrize("name", ["tiny_qwen", "tiny_llama"])
def test_greedy_equals_transformers_generate(name: str, request: pytest.FixtureRequest) -> None:
    tiny: TinyModel = request.getfixturevalue(name)
    ours = _generate(tiny, temperature=0.0)
    for prompt, (completion,) in zip(PROMPTS, ours, strict=True):
        ids = torch.tensor([tiny.codec.encode_prompt(prompt)])
        theirs = tiny.model.generate(
            ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12
        )
        assert list(completion.token_ids) == theirs[0, ids.shape[1] :].tolist()


def test_samples_do_not_depend_on_batch_size_or_on_what_left_the_batch(
    tiny_qwen: TinyModel,
) -> None:
    together = _generate(tiny_qwen, completions_per_prompt=6)
    one_prompt_at_a_time = _generate(tiny_qwen, completions_per_prompt=6, batch_size=1)
    assert together == one_prompt_at_a_time


def test_the_seed_decides(tiny_qwen: TinyModel) -> None:
    engine = HFEngine(tiny_qwen.model, tiny_qwen.codec, batch_size=64)
    prompts = [tiny_qwen.codec.encode_prompt(prompt) for prompt in PROMPTS]
    settings = SamplingSettings(completions_per_prompt=4, max_new_tokens=12)
    first = engine.generate(prompts, settings, seed=1)
    assert first == engine.generate(prompts, settings, seed=1)
    assert first != engine.generate(prompts, settings, seed=2)


def test_finish_reasons_and_texts(tiny_qwen: TinyModel) -> None:
    groups = _generate(tiny_qwen, completions_per_prompt=40)
    flat = [completion for group in groups for completion in group]
    reasons = Counter(completion.finish_reason for completion in flat)
    assert reasons[FinishReason.STOP]
    assert reasons[FinishReason.LENGTH]
    for completion in flat:
        stop_places = [
            place
            for place, token in enumerate(completion.token_ids)
            if token in tiny_qwen.codec.stop_ids
        ]
        if completion.finish_reason is FinishReason.STOP:
            assert stop_places == [len(completion.token_ids) - 1]
        else:
            assert not stop_places
            assert len(completion.token_ids) == 12


def test_sampled_frequencies_match_the_softmax() -> None:
    logits = torch.tensor([[2.0, 0.0, -1.0, -float("inf")]])
    draws = torch.rand(40_000, generator=torch.Generator().manual_seed(0))
    for temperature in (1.0, 0.6):
        tokens = sample_tokens(logits.expand(len(draws), -1), draws, temperature)
        measured = tokens.bincount(minlength=4) / len(draws)
        expected = (logits[0] / temperature).softmax(-1)
        # Four standard errors of a share of 40,000 draws are at most .01.
        assert torch.allclose(measured, expected, atol=0.01)
        assert measured[3] == 0


def test_the_largest_draw_stays_inside_tokens_that_have_a_probability() -> None:
    logits = torch.tensor([[0.0, 0.0, 0.0, -float("inf")]])
    largest = torch.nextafter(torch.tensor([1.0]), torch.tensor([0.0]))
    assert sample_tokens(logits, largest, 1.0).item() == 2
    assert sample_tokens(logits, torch.tensor([0.0]), 1.0).item() == 0


def test_top_p_keeps_the_fewest_tokens_that_hold_the_share() -> None:
    # .5, .3, .15, .05: the first two hold .8, so with .75 nothing else is drawn.
    logits = torch.tensor([0.15, 0.5, 0.05, 0.3]).log()
    draws = torch.rand(20_000, generator=torch.Generator().manual_seed(0))
    tokens = sample_tokens(logits.expand(len(draws), -1), draws, 1.0, 0.75)
    shares = tokens.bincount(minlength=4) / len(draws)
    assert shares[[0, 2]].tolist() == [0.0, 0.0]
    assert shares[1].item() == pytest.approx(0.5 / 0.8, abs=0.02)


def test_a_tiny_top_p_is_greedy() -> None:
    logits = torch.randn(50, 9, generator=torch.Generator().manual_seed(1))
    draws = torch.rand(50, generator=torch.Generator().manual_seed(2))
    assert torch.equal(sample_tokens(logits, draws, 1.0, 1e-6), logits.argmax(-1))


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_not_numbers_are_an_error(temperature: float) -> None:
    logits_RV = torch.tensor([[0.0, 1.0, 2.0], [0.0, float("nan"), 1.0]])
    with pytest.raises(FloatingPointError, match="logits are not numbers"):
        sample_tokens(logits_RV, torch.tensor([0.5, 0.5]), temperature)


def test_a_group_is_cut_where_it_is_larger_than_the_batch(tiny_qwen: TinyModel) -> None:
    sizes: list[int] = []
    hook = tiny_qwen.model.register_forward_pre_hook(
        lambda module, given, options: sizes.append(len(options["input_ids"])), with_kwargs=True
    )
    cut = _generate(tiny_qwen, completions_per_prompt=5, batch_size=2)
    hook.remove()
    assert max(sizes) == 2
    assert cut == _generate(tiny_qwen, completions_per_prompt=5)
