"""Each ablation changes exactly what it declares, and is refused where it would change nothing."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from hacpo.config.ablation import ABLATIONS, NONE
from tests.config.composing import checked, composed, flat, options, refused, without_hydra

APPLIES = {("hacpo", name) for name in ABLATIONS}


def test_every_option_is_declared() -> None:
    assert options("ablation") == sorted([*ABLATIONS, NONE])


@pytest.mark.parametrize("name", ABLATIONS)
@pytest.mark.parametrize("agents", ["tiny_pair", "tiny_trio"])
def test_ablation_changes_exactly_the_keys_it_declares(agents: str, name: str) -> None:
    whole = flat(without_hydra(composed(f"agents={agents}")))
    less = flat(without_hydra(composed(f"agents={agents}", f"ablation={name}")))
    assert whole.keys() == less.keys()
    changed = {key: value for key, value in less.items() if value != whole[key]}
    assert changed.pop("ablation") == name
    assert changed.pop("name") == f"{agents}-hacpo-{name}"
    assert changed == ABLATIONS[name].sets


def test_no_ablation_changes_nothing() -> None:
    assert flat(without_hydra(composed())) == flat(without_hydra(composed("ablation=none")))


@pytest.mark.parametrize(("algorithm", "name"), list(product(options("algorithm"), ABLATIONS)))
def test_ablation_of_what_an_algorithm_does_not_use_is_refused(algorithm: str, name: str) -> None:
    if (algorithm, name) in APPLIES:
        assert checked(f"algorithm={algorithm}", f"ablation={name}").ablation == name
        return
    told = refused(f"algorithm={algorithm}", f"ablation={name}")
    assert f"ablation={name} takes out {ABLATIONS[name].removes}" in told
    assert f"algorithm={algorithm}" in told
    assert "would change nothing" in told


def test_ablation_of_what_is_gone_already_is_refused() -> None:
    told = refused("algorithm.alpha=0", "ablation=no_exponential_is")
    assert "is without it already" in told
    told = refused("recipe.cross_clip.step=0", "ablation=no_stepwise_clip")
    assert "is without it already" in told


def test_ablation_of_a_part_that_is_partly_gone_still_applies() -> None:
    assert checked("algorithm.cross_clip.step=0", "ablation=no_clip").ablation == "no_clip"


def test_value_that_undoes_an_ablation_is_refused() -> None:
    told = refused("ablation=no_clip", "algorithm.cross_clip.delta=0.2")
    assert "sets algorithm.cross_clip.delta to inf, but something else sets it to 0.2" in told


def test_undeclared_ablation_is_refused(conf_copy: Path) -> None:
    file = conf_copy / "ablation" / "no_window.yaml"
    file.write_text(
        "# @package _global_\nablation: no_window\nalgorithm: {capability: {window: 1}}\n"
    )
    told = refused("ablation=no_window", conf=conf_copy)
    assert "'no_window' is not declared in hacpo/config/ablation.py" in told
