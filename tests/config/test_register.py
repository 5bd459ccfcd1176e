"""The resolvers that `conf/` uses."""

from __future__ import annotations

from omegaconf import OmegaConf

from hacpo.config.register import at_most, folder_name, register, run_name, sweep_name
from tests.config.composing import checked


def test_run_is_named_after_its_choices() -> None:
    assert run_name("tiny_pair", "hacpo", "none") == "tiny_pair-hacpo"
    assert run_name("tiny_pair", "hacpo", "no_clip") == "tiny_pair-hacpo-no_clip"
    assert checked("agents=tiny_trio", "algorithm=naive").name == "tiny_trio-naive"
    assert checked("name=mine").name == "mine"


def test_limit_of_null_is_none() -> None:
    assert (at_most(7, None), at_most(7, 3), at_most(2, 3)) == (7, 3, 2)


def test_folder_names_are_plain_and_short() -> None:
    assert folder_name("algorithm.alpha=0,seed=1") == "algorithm.alpha=0,seed=1"
    assert folder_name("agents.qwen.model.path=/a b/c") == "agents.qwen.model.path=_a_b_c"
    assert folder_name("../..") == "run"
    assert len(folder_name("x" * 500)) == 120


def test_sweep_is_named_after_what_varies() -> None:
    typed = OmegaConf.create(["seed=0,1", "budget=half", "algorithm=glob(*)", "a=${b}"])
    assert sweep_name(typed) == "seed+algorithm"
    assert sweep_name(OmegaConf.create(["budget=half"])) == "sweep"


def test_registering_again_changes_nothing() -> None:
    register()
    register()
    assert checked().seed == 0
