"""The benchmarks of a training: the embedded suite, its limits, and a file of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hacpo.assembly.benchmarks import asked, benchmark_sampling, contaminated
from hacpo.assembly.task import build_task
from hacpo.assembly.training_benchmarks import read_benchmarks
from tests.config.composing import checked, refused

OWN = "+benchmark@benchmarks.mine=jsonl"


def test_the_embedded_sums_are_right_and_not_trained_on() -> None:
    config = checked("benchmarks=embedded")
    (found,) = read_benchmarks(config)
    assert len(found.loaded.problems) == 60
    for problem in found.loaded.problems:
        terms = problem.prompt.removesuffix("=").replace("-", "+-").split("+")
        assert len(terms) == 4
        assert sum(int(term) for term in terms) == int(problem.answer)
    assert contaminated(build_task(config).train, found.loaded) == []


def test_training_has_limits_of_its_own() -> None:
    config = checked(
        "benchmarks=embedded",
        "evaluation.benchmark_max_problems=7",
        "evaluation.benchmark_max_new_tokens=9",
        "evaluation.benchmark_samples=3",
        "benchmarks.embedded_sums.temperature=1.0",
    )
    (found,) = read_benchmarks(config)
    assert len(asked(found.config, found.loaded)) == 7
    sampling = benchmark_sampling(found.config)
    assert (sampling.completions_per_prompt, sampling.max_new_tokens) == (3, 9)


def test_a_file_of_ones_own_is_a_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [{"question": f"{n}+1=", "answer": str(n + 1)} for n in range(4)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (found,) = read_benchmarks(checked(OWN, f"benchmarks.mine.path={path}"))
    assert [problem.answer for problem in found.loaded.problems] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ([OWN], "set hub_id or path"),
        ([OWN, "benchmarks.mine.path=nowhere.jsonl"], "here is no file"),
        (["evaluation.benchmark_samples=2"], "has no effect"),
        (["evaluation.benchmark_every_steps=2"], "has no effect"),
        (["benchmarks=embedded", "evaluation.benchmark_samples=2"], "are all the same"),
        (
            ["mode=evaluate", "benchmarks=embedded", "evaluation.benchmark_max_problems=2"],
            "no effect",
        ),
    ],
)
def test_what_cannot_act_is_refused(overrides: list[str], words: str) -> None:
    assert words in str(refused(*overrides))
