from __future__ import annotations

import json
import multiprocessing
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from hacpo.task.arithmetic import build_arithmetic
from hacpo.warm_start.cache import WarmStart, warm_started
from tests.tiny_models import TinyModel, build_tiny

TASK = build_arithmetic(num_test=300, split_seed=0)
SETTINGS: dict[str, Any] = {"steps": 3, "batch_size": 4, "lr": 1e-3, "seed": 0}
HABITS = {"probability_in_hole": 0.5}


def start(
    cache: Path,
    tiny: TinyModel | None = None,
    *,
    habits: dict[str, float] | None = None,
    split_seed: int = 0,
    **changes: Any,
) -> tuple[WarmStart, PreTrainedModel]:
    tiny = tiny or build_tiny("qwen3")
    task = build_arithmetic(num_test=300, split_seed=split_seed)
    demonstrator = task.demonstrator(**(habits or HABITS))
    settings = SETTINGS | changes
    result = warm_started(
        tiny.model, tiny.codec, task.train, demonstrator, cache_dir=cache, **settings
    )
    return result, tiny.model


def test_the_second_time_it_is_read(tmp_path: Path) -> None:
    first, trained = start(tmp_path)
    second, read = start(tmp_path)
    assert (first.cached, second.cached) == (False, True)
    assert (second.key, second.loss) == (first.key, first.loss)
    for name, tensor in trained.state_dict().items():
        assert torch.equal(tensor, read.state_dict()[name]), name
    untouched = build_tiny("qwen3").model.state_dict()
    assert not torch.equal(untouched["lm_head.weight"], read.state_dict()["lm_head.weight"])
    assert not read.training


@pytest.mark.parametrize("damage", ["bit of the weights", "list", "no loss", "no digest"])
def test_a_damaged_entry_is_noticed_and_made_anew(tmp_path: Path, damage: str) -> None:
    first, trained = start(tmp_path)
    folder = tmp_path / "warm_start" / first.key
    weights, described = folder / "model.safetensors", folder / "warm_start.json"
    record = json.loads(described.read_text())
    if damage == "bit of the weights":
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(content)
    elif damage == "list":
        described.write_text("[]")
    elif damage == "no loss":
        described.write_text(json.dumps(record | {"loss": None}))
    else:
        del record["file_sha256"]
        described.write_text(json.dumps(record))
    second, again = start(tmp_path)
    assert (second.cached, second.loss) == (False, first.loss)
    for name, tensor in trained.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name]), name
    assert start(tmp_path)[0].cached


def test_tied_weights_stay_tied(tmp_path: Path) -> None:
    for _ in range(2):
        tiny = build_tiny("qwen3")
        tiny.model.config.tie_word_embeddings = True
        tiny.model.tie_weights()
        result, model = start(tmp_path, tiny)
        assert model.lm_head.weight.data_ptr() == model.model.embed_tokens.weight.data_ptr()
    assert result.cached


def test_progress_is_reported_in_both_cases(tmp_path: Path) -> None:
    seen: list[tuple[int, int, float]] = []
    for _ in range(2):
        result, _ = start(tmp_path, on_progress=lambda *report: seen.append(report))
    assert [step for step, _, _ in seen] == [1, 2, 3, 3]
    assert seen[-1] == (3, 3, result.loss)


@pytest.mark.parametrize(
    "change",
    [
        {"steps": 4},
        {"batch_size": 5},
        {"lr": 2e-3},
        {"seed": 1},
        {"habits": {"probability_in_hole": 0.6}},
        {"split_seed": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_shapes_it_changes_the_key(tmp_path: Path, change: dict[str, Any]) -> None:
    first, _ = start(tmp_path)
    other, _ = start(tmp_path, **change)
    assert not other.cached
    assert other.key != first.key


def test_model_and_tokenizer_change_the_key(tmp_path: Path) -> None:
    tinies = [
        build_tiny("qwen3"),
        build_tiny("qwen3", seed=1),
        build_tiny("llama"),
        build_tiny("qwen3", merges=3),
    ]
    keys = {start(tmp_path, tiny)[0].key for tiny in tinies}
    assert len(keys) == 4


def test_threads_do_not_change_the_key(tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        first, _ = start(tmp_path)
        torch.set_num_threads(1)
        second, _ = start(tmp_path)
    finally:
        torch.set_num_threads(threads)
    assert second.cached
    assert second.key == first.key


def test_the_global_generator_is_left_alone(tmp_path: Path) -> None:
    tiny = build_tiny("qwen3")
    torch.manual_seed(7)
    expected = torch.rand(2)
    torch.manual_seed(7)
    start(tmp_path, tiny)
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize("name", ["model.safetensors", "warm_start.json"])
def test_a_damaged_entry_is_made_again(tmp_path: Path, name: str) -> None:
    first, trained = start(tmp_path)
    file = tmp_path / "warm_start" / first.key / name
    file.write_bytes(file.read_bytes()[:20])
    second, again = start(tmp_path)
    assert not second.cached
    assert torch.equal(trained.lm_head.weight, again.lm_head.weight)
    assert start(tmp_path)[0].cached


def test_an_interrupted_warm_start_leaves_no_entry(tmp_path: Path) -> None:
    def interrupt(step: int, total: int, loss: float) -> None:
        if step == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start(tmp_path, on_progress=interrupt)
    assert not any(path.is_dir() for path in (tmp_path / "warm_start").iterdir())
    assert not start(tmp_path)[0].cached


def test_the_entry_says_what_shaped_it(tmp_path: Path) -> None:
    result, _ = start(tmp_path)
    entry = json.loads((tmp_path / "warm_start" / result.key / "warm_start.json").read_text())
    assert entry["torch"] == torch.__version__
    assert entry["architecture"]["model_type"] == "qwen3"
    assert entry["loss"] == result.loss


def make(cache: Path, results: Queue[tuple[bool, float]]) -> None:
    """Make a warm start in a process of its own."""
    result, model = start(cache, steps=40)
    results.put((result.cached, model.lm_head.weight.sum().item()))


@pytest.mark.slow
def test_two_processes_make_the_same_one_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [context.Process(target=make, args=(tmp_path, results)) for _ in range(2)]
    for process in processes:
        process.start()
    found = [results.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    assert sorted(cached for cached, _ in found) == [False, True]
    assert found[0][1] == found[1][1]
