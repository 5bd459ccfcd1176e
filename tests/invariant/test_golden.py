"""Golden curves: the same learning gives the same figures, release after release.

A change that moves them says why in its commit, and writes the file anew:
`python -m tests.invariant.test_golden`.
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from hacpo.objective import ObjectiveSettings
from tests.invariant.fixed_steps import curve
from tests.objectives import HACPO

GOLDEN = Path(__file__).with_name("golden.json")
FULL = replace(HACPO, cross_delta=0.35, cross_step=0.1)
"""A clip that acts on the fixed rollouts, whose shared ratios lie between about .4 and 1."""
NAIVE = replace(
    FULL, shared_term="own", alpha=0.0, cross_delta=math.inf, cross_step=0.0, cross_upper=math.inf
)
SHARING: dict[str, ObjectiveSettings] = {
    "hacpo": FULL,
    "naive_term": NAIVE,
    "no_exponential_is": replace(FULL, alpha=0.0),
    "no_stepwise_clip": replace(FULL, cross_step=0.0),
    "no_clip": replace(FULL, cross_delta=math.inf, cross_step=0.0, cross_upper=math.inf),
    "kl": replace(FULL, kl_coefficient=0.05),
    "token_mean": replace(FULL, normalization="token_mean"),
}
ALONE: dict[str, ObjectiveSettings] = {
    "gspo": replace(NAIVE, shared_term="cross"),
    "grpo": replace(NAIVE, shared_term="cross", ratio_level="token"),
}


def _curves(folder: Path) -> dict[str, list[dict[str, float]]]:
    shared = {name: curve(value, folder, share=True) for name, value in SHARING.items()}
    alone = {name: curve(value, folder, share=False) for name, value in ALONE.items()}
    return shared | alone


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, float]]]:
    """All curves, computed now."""
    return _curves(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("name", [*SHARING, *ALONE])
def test_curve_is_the_golden_one(curves: dict[str, list[dict[str, float]]], name: str) -> None:
    golden = json.loads(GOLDEN.read_text())[name]
    assert len(curves[name]) == len(golden)
    for step, (now, then) in enumerate(zip(curves[name], golden, strict=True)):
        assert now == pytest.approx(then, rel=1e-3, abs=1e-6), f"step {step}"


def test_mechanisms_make_a_difference(curves: dict[str, list[dict[str, float]]]) -> None:
    norms = {name: [row["update/gradient_norm"] for row in rows] for name, rows in curves.items()}
    for name in set(SHARING) - {"hacpo"}:
        assert norms[name] != pytest.approx(norms["hacpo"], rel=1e-3), name


def test_one_agent_alone_learns_the_same_whatever_the_shared_term_says(tmp_path: Path) -> None:
    gspo = curve(ALONE["gspo"], tmp_path, share=False)
    assert curve(FULL, tmp_path, share=False) == gspo
    assert curve(NAIVE, tmp_path, share=False) == gspo


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        GOLDEN.write_text(json.dumps(_curves(Path(folder)), indent=1) + "\n")
