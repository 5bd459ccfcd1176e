"""The main job through the command line: what it leaves, and that it repeats to the bit."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import torch
import yaml
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.callbacks.test_recording import DOCS, documented_keys
from tests.integration.command import Finished, run

pytestmark = pytest.mark.slow

AGENTS = ("qwen", "llama")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """One short run of the default, with W&B offline."""
    return run(tmp_path_factory.mktemp("main") / "first", "logger=wandb", "seed=5")


@pytest.fixture(scope="module")
def repeated(finished: Finished) -> Finished:
    """The same run once more; its warm start comes from the cache."""
    return run(finished.folder.parent / "second", "seed=5")


def _rows(finished: Finished, agent: str) -> list[dict[str, str]]:
    with (finished.agent(agent) / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


def test_it_ends_well_and_says_where_to_look(finished: Finished) -> None:
    assert finished.code == 0, finished.output
    for word in ("warm start", "training", "checkpoint", "wandb leet", "wandb sync"):
        assert word in finished.output


def test_the_summary_is_complete(finished: Finished) -> None:
    summary = finished.summary
    assert summary["status"] == "finished"
    assert summary["stop_reason"] == "budget: steps"
    assert (summary["algorithm"], summary["ablation"], summary["seed"]) == ("hacpo", "none", 5)
    assert summary["steps"] == 2
    assert summary["seconds"]["phases"].keys() >= {"generate", "update", "exchange", "evaluate"}
    assert tuple(summary["agents"]) == AGENTS
    for agent in summary["agents"].values():
        # 2 steps x 16 prompts x 8 completions; 256 rows of both agents in updates of 64.
        assert (agent["rollouts"], agent["updates"], agent["steps"]) == (256, 8, 2)
        assert 0 <= agent["accuracy_before"] <= 1
        assert agent["accuracy_best"] >= agent["accuracy_after"]
        assert agent["trained_tokens"] > agent["generated_tokens"] > 256


def test_what_it_was_made_of_is_kept(finished: Finished) -> None:
    config = yaml.safe_load((finished.folder / "config.yaml").read_text())
    assert config["algorithm"]["alpha"] == 1.0
    assert config["seed"] == 5
    versions = json.loads((finished.folder / "versions.json").read_text())
    assert versions["packages"]["torch"]
    assert "commit" in versions["git"]


def test_metrics_are_the_same_keys_for_every_agent_and_documented(finished: Finished) -> None:
    keys = [set(_rows(finished, agent)[0]) for agent in AGENTS]
    assert keys[0] == keys[1]
    generic = {
        key.replace(f"author/{agent}/", "author/NAME/")
        for key in keys[0] - {"step"}
        for agent in AGENTS
        if f"author/{agent}/" in key or not key.startswith("author/")
    }
    known = documented_keys(DOCS.read_text())
    spelt_out = {
        key.replace("ratio/own", stem)
        for key in known
        if key.startswith("ratio/own")
        for stem in ("ratio/shared", "author/NAME/ratio")
    }
    assert generic <= known | spelt_out, sorted(generic - known - spelt_out)


def test_the_same_seed_repeats_every_metric_to_the_bit(
    finished: Finished, repeated: Finished
) -> None:
    assert repeated.code == 0, repeated.output
    for agent in AGENTS:
        first, second = _rows(finished, agent), _rows(repeated, agent)
        assert len(first) == len(second) == 3
        for one, other in zip(first, second, strict=True):
            timeless = {key for key in one if not key.startswith("time/")}
            assert {key: one[key] for key in timeless} == {key: other[key] for key in timeless}
        for name in ("samples.jsonl", "evaluation.jsonl"):
            assert (finished.agent(agent) / name).read_text() == (
                repeated.agent(agent) / name
            ).read_text()


@pytest.mark.parametrize("agent", AGENTS)
def test_the_exported_model_answers_as_in_the_last_evaluation(
    finished: Finished, agent: str
) -> None:
    folder = finished.agent(agent) / "hf"
    model = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    lines = (finished.agent(agent) / "evaluation.jsonl").read_text().splitlines()
    answers = [json.loads(line) for line in lines]
    assert len(answers) == 300
    for answer in answers[::10]:
        ids = tokenizer(answer["prompt"], return_tensors="pt")
        with torch.no_grad():
            output = model.generate(**ids, do_sample=False, max_new_tokens=18)
        text = tokenizer.decode(output[0, ids["input_ids"].shape[1] :])
        assert text.removesuffix(tokenizer.eos_token) == answer["completion"]


def test_samples_show_own_and_shared_completions(finished: Finished) -> None:
    lines = (finished.agent("qwen") / "samples.jsonl").read_text().splitlines()
    samples = [json.loads(line) for line in lines]
    assert {sample["author"] for sample in samples} == set(AGENTS)
    assert {sample["learner"] for sample in samples} == {"qwen"}
    for sample in samples:
        if sample["author"] == "qwen":
            assert sample["weighted_advantage"] == sample["advantage"]


def test_each_agent_left_one_offline_wandb_run(finished: Finished) -> None:
    for agent in AGENTS:
        runs = list((finished.agent(agent) / "wandb").glob("offline-run-*"))
        assert len(runs) == 1
        assert runs[0].with_suffix("").is_dir()


def test_checkpoints_hold_the_window(finished: Finished) -> None:
    for agent in AGENTS:
        checkpoint = torch.load(finished.agent(agent) / "checkpoint.ckpt", weights_only=True)
        window = next(
            state for name, state in checkpoint["callbacks"].items() if "RolloutExchange" in name
        )
        assert set(window["history"]) == set(AGENTS)
        assert len(window["history"]["qwen"]) == 2


def test_no_part_files_are_left(finished: Finished) -> None:
    assert not list(Path(finished.folder).rglob("*.part"))
