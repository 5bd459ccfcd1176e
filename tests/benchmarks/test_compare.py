"""The comparison of a sweep pairs by seed, and says so when it cannot."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "learning" / "compare.py"


@pytest.fixture(scope="module")
def compare() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("compare", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["compare"] = module
    spec.loader.exec_module(module)
    return module


def test_differences_are_those_of_equal_seeds(compare: ModuleType) -> None:
    # Seeds 1 and 3 are in both: differences .1 and .3, mean .2, half width 12.706 * .1.
    text = compare.paired({1: 0.5, 2: 0.9, 3: 0.8}, {3: 0.5, 1: 0.4, 7: 0.0})
    assert text == "+0.200 [-1.071, +1.471] 2/2"
    assert compare.paired({1: 0.5}, {1: 0.4}) == "+0.100 1/1"
    assert compare.paired({1: 0.5}, {2: 0.4}) == "no seed in common"


@pytest.mark.parametrize(
    ("count", "quantile"), [(2, 12.706), (12, 2.201), (30, 2.045), (50, 2.045)]
)
def test_an_interval_stands_for_any_number_of_seeds(
    compare: ModuleType, count: int, quantile: float
) -> None:
    values = {seed: float(seed % 2) for seed in range(count)}
    mean = sum(values.values()) / count
    deviation = (sum((v - mean) ** 2 for v in values.values()) / (count - 1)) ** 0.5
    half = quantile * deviation / count**0.5
    text = compare.paired(values, dict.fromkeys(values, 0.0))
    assert f"[{mean - half:+.3f}, {mean + half:+.3f}]" in text


def test_two_runs_of_one_seed_are_refused(compare: ModuleType) -> None:
    curve = compare.Curve(
        agent="a", label="hacpo", seed=1, accuracy={0: 0.1}, no_signal=0.0, rollouts=1
    )
    with pytest.raises(SystemExit, match="more than once with seed 1"):
        compare.grouped([curve, curve])
