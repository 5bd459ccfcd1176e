"""Every algorithm from the same command line: same prompts, same start, the paper's counts."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping

import pytest

from tests.integration.command import Finished, run

pytestmark = pytest.mark.slow

ALGORITHMS = ("hacpo", "naive", "gspo", "gspo_x2", "grpo")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Finished]:
    """Two steps of each algorithm with one seed; the first run fills the warm start cache."""
    folder = tmp_path_factory.mktemp("algorithms")
    return {name: run(folder / name, f"algorithm={name}", "seed=2") for name in ALGORITHMS}


def test_all_end_well(runs: Mapping[str, Finished]) -> None:
    for name, finished in runs.items():
        assert finished.code == 0, finished.output
        assert finished.summary["algorithm"] == name


def test_rollouts_and_updates_are_counted_as_in_the_paper(runs: Mapping[str, Finished]) -> None:
    spent = {
        name: {(a["rollouts"], a["updates"]) for a in finished.summary["agents"].values()}
        for name, finished in runs.items()
    }
    # A step is 16 prompts x 8 completions; updates hold 64 sequences; two steps.
    assert spent["gspo"] == {(256, 4)}
    assert spent["grpo"] == {(256, 4)}
    assert spent["gspo_x2"] == {(512, 8)}
    assert spent["hacpo"] == {(256, 8)}
    assert spent["naive"] == {(256, 8)}


def test_all_start_from_the_same_models(runs: Mapping[str, Finished]) -> None:
    for agent in ("qwen", "llama"):
        starts = {f.summary["agents"][agent]["accuracy_before"] for f in runs.values()}
        assert len(starts) == 1


def _first_samples(finished: Finished, agent: str) -> list[dict[str, object]]:
    lines = (finished.agent(agent) / "samples.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if json.loads(line)["author"] == agent]


def test_all_see_the_same_prompts_and_sample_the_same_in_step_one(
    runs: Mapping[str, Finished],
) -> None:
    for agent in ("qwen", "llama"):
        expected = _first_samples(runs["hacpo"], agent)
        for name in ("naive", "gspo", "grpo"):
            samples = _first_samples(runs[name], agent)
            assert [(s["prompt"], s["completion"]) for s in samples] == [
                (s["prompt"], s["completion"]) for s in expected
            ]
        prompts = {s["prompt"] for s in _first_samples(runs["gspo_x2"], agent)}
        assert prompts == {s["prompt"] for s in expected}


def test_own_ratios_begin_at_one(runs: Mapping[str, Finished]) -> None:
    for finished in runs.values():
        with (finished.agent("qwen") / "metrics.csv").open() as file:
            rows = list(csv.DictReader(file))
        # Over all updates of the step, so near one and not at it.
        assert float(rows[1]["ratio/own_p50"]) == pytest.approx(1.0, abs=0.05)
