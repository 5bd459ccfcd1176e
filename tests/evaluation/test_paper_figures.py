"""The paper's averages are found by the name of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from hacpo.config.ablation import ABLATIONS
from hacpo.evaluation.paper_figures import METHODS, figures_of, read_paper_figures


def test_every_pair_has_every_method_for_both_agents() -> None:
    found = read_paper_figures()
    pairs = {figure.pair for figure in found}
    assert len(pairs) == 6
    for pair in pairs:
        for agent in pair.split(" + "):
            methods = [each.method for each in found if (each.pair, each.agent) == (pair, agent)]
            assert tuple(methods[:6]) == METHODS
            assert set(methods[6:]) <= set(ABLATIONS)
    assert len(found) == 6 * 2 * 6 + 4


def test_model_is_found_by_the_last_part_of_its_name() -> None:
    by_hub = figures_of("Qwen/Qwen3-1.7B-Base")
    assert by_hub == figures_of("/models/qwen3-1.7b-base/") == figures_of("Qwen3-1.7B-Base")
    hacpo = {figure.pair: figure.average for figure in by_hub if figure.method == "hacpo"}
    assert hacpo == {
        "Qwen3-1.7B-Base + Qwen3-4B-Base": 0.493,
        "Qwen3-1.7B-Base + Llama-3.2-1B-Instruct": 0.496,
    }
    assert figures_of("HuggingFaceTB/SmolLM2-135M-Instruct") == ()


@pytest.mark.parametrize("method", ["start", "grpo", "gspo", "gspo_x2"])
def test_what_does_not_depend_on_the_partner_is_one_number(method: str) -> None:
    for agent in {figure.agent for figure in read_paper_figures()}:
        assert len({each.average for each in figures_of(agent) if each.method == method}) == 1


def test_installed_package_has_no_figures(tmp_path: Path) -> None:
    assert read_paper_figures(tmp_path / "none.csv") == ()
