from __future__ import annotations

import random
from collections import Counter

import pytest
import torch

from hacpo.task.arithmetic import build_arithmetic
from hacpo.types import Problem
from hacpo.warm_start.demonstrations import Demonstrations, draw_demonstrations
from tests.tiny_models import TinyModel

TASK = build_arithmetic(num_test=300, split_seed=0)
PROBLEMS = TASK.train[:10]


def draw(
    tiny: TinyModel, *, problems: tuple[Problem, ...] = PROBLEMS, seed: int = 0, steps: int = 5
) -> Demonstrations:
    demonstrator = TASK.demonstrator(probability_in_hole=0.5)
    return draw_demonstrations(
        problems, demonstrator, tiny.codec, steps=steps, batch_size=4, seed=seed
    )


def test_a_batch_holds_prompt_completion_and_eos(tiny_qwen: TinyModel) -> None:
    problem = Problem(id="x", prompt="5+7-1=", answer="11")
    demonstrations = draw_demonstrations(
        [problem], TASK.demonstrator(), tiny_qwen.codec, steps=2, batch_size=3, seed=0
    )
    input_ids, learnt = demonstrations.batch(1)
    prompt = tiny_qwen.codec.encode_prompt("5+7-1=")
    completion = tiny_qwen.codec.encode_completion("5+7=12;12-1=11", stopped=True)
    assert input_ids.tolist() == [[*prompt, *completion]] * 3
    assert learnt.tolist() == [[False] * 6 + [True] * 15] * 3


def test_masks_come_from_lengths_even_when_pad_is_eos(tiny_qwen: TinyModel) -> None:
    """Masking by the padding id would remove EOS, and the model would never learn to stop."""
    tiny_qwen.codec.pad_id = tiny_qwen.codec.eos_id
    problems = (
        Problem(id="short", prompt="3+4=", answer="7"),
        Problem(id="long", prompt="5+7-1=", answer="11"),
    )
    demonstrations = draw_demonstrations(
        problems, TASK.demonstrator(), tiny_qwen.codec, steps=1, batch_size=4, seed=0
    )
    input_ids, learnt = demonstrations.batch(0)
    learnt_eos = (input_ids == tiny_qwen.codec.eos_id) & learnt
    assert learnt_eos.sum(1).tolist() == [1] * 4
    assert sorted(learnt.sum(1).tolist()) == [6, 6, 15, 15]


def test_a_batch_is_as_wide_as_its_longest_row(tiny_qwen: TinyModel) -> None:
    short = Problem(id="short", prompt="3+4=", answer="7")
    long = Problem(id="long", prompt="5+7-1=", answer="11")
    demonstrations = draw_demonstrations(
        [short, long], TASK.demonstrator(), tiny_qwen.codec, steps=20, batch_size=1, seed=0
    )
    widths = {demonstrations.batch(step)[0].shape[1] for step in range(20)}
    assert widths == {10, 21}


def test_every_problem_comes_once_before_any_comes_again(tiny_qwen: TinyModel) -> None:
    input_ids, prompt_lengths, rows = (
        getattr(draw(tiny_qwen), name) for name in ("input_ids_UT", "prompt_lengths_U", "rows_SB")
    )
    prompts = [
        tiny_qwen.codec.decode_completion(input_ids[row, : prompt_lengths[row]].tolist())
        for row in rows.flatten().tolist()
    ]
    assert sorted(prompts[:10]) == sorted(problem.prompt for problem in PROBLEMS)
    assert set(Counter(prompts).values()) == {2}  # 20 rows, 10 problems
    assert prompts[:10] != prompts[10:]


def test_the_seed_decides_the_demonstrations(tiny_qwen: TinyModel) -> None:
    first = draw(tiny_qwen)
    random.seed(99)
    torch.manual_seed(99)
    assert draw(tiny_qwen).digest() == first.digest()
    assert draw(tiny_qwen, seed=1).digest() != first.digest()


def test_the_digest_sees_the_tokenizer_and_the_steps(
    tiny_qwen: TinyModel, tiny_llama: TinyModel
) -> None:
    digests = {
        draw(tiny_qwen).digest(),
        draw(tiny_llama).digest(),
        draw(tiny_qwen, steps=6).digest(),
    }
    assert len(digests) == 3


def test_nothing_to_train_on_is_refused(tiny_qwen: TinyModel) -> None:
    with pytest.raises(ValueError, match="0 steps"):
        draw(tiny_qwen, steps=0)
    with pytest.raises(ValueError, match="0 problems"):
        draw(tiny_qwen, problems=())
