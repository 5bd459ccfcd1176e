"""What Hydra, OmegaConf and the YAML reader refuse is told in plain words, with what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from hacpo.config.explain import explain
from hacpo.config.nearest import nearest_keys, nearest_option
from tests.config.composing import refused

TOLD = [
    # groups and their options
    ("algorithm=hapco", "The group 'algorithm' has no option 'hapco'", "algorithm=hacpo"),
    ("runtime=ray", "The group 'runtime' has no option 'ray'; it has local", "runtime=local"),
    ("+agent@agents.third=tiny_lama", "no option 'tiny_lama'", "+agent@agents.third=tiny_llama"),
    ("algorihtmm=gspo", "There is no setting algorihtmm", "algorithm=gspo"),
    ("agnets=solo", "There is no setting agnets", "agents=solo"),
    ("agents=null", "agents takes the name of an option", "agents=tiny_pair"),
    ("agent=tiny_qwen3", "does not say which agent", "agent@agents.llama=tiny_qwen3"),
    ("+agent=tiny_qwen3", "does not say which agent", "agent@agents.qwen=tiny_qwen3"),
    ("agent@agents.lamma=tiny_qwen3", "Nothing is chosen under", "agent@agents.llama=tiny_qwen3"),
    ("optimiser@agents.qwen.optimizer=sgd", "no group 'optimiser'", "optimizer@agents.qwen"),
    # keys
    ("algorithm.alhpa=0", "There is no setting algorithm.alhpa", "algorithm.alpha=0"),
    ("algorithm.cross_clip.dleta=.9", "no setting", "algorithm.cross_clip.delta=.9"),
    ("sed=1", "There is no setting sed", "seed=1"),
    ("alpha=0", "There is no setting alpha", "algorithm.alpha=0"),
    ("temperature=0.6", "There is no setting temperature", "rollout.temperature=0.6"),
    ("agents.qwn.precision=fp32", "no setting agents.qwn", "agents.qwen.precision=fp32"),
    ("agents.qwen.precisn=fp32", "no setting agents.qwen.precisn", "agents.qwen.precision=fp32"),
    (
        "agents.qwen.optimizer.momentum=.9",
        "no setting",
        "+agents.qwen.optimizer.momentum=.9 to add",
    ),
    ("+algorithm.alpha=3", "exists already, so it takes no +", "algorithm.alpha=3"),
    ("~algorithm.foo", "There is no algorithm.foo that could be taken out", ""),
    ("~agents.qwen.precision", "cannot be taken out", "agents.qwen.precision=VALUE"),
    # values
    ("algorithm.alpha=strong", "algorithm.alpha must be a number, and is 'strong'", ""),
    ("seed=1.5", "seed must be a whole number, and is '1.5'", ""),
    ("evaluation.at_start=maybe", "must be true or false", ""),
    ("algorithm.alpha=null", "algorithm.alpha must be given", ""),
    (
        "algorithm.exchange=rolouts",
        "must be one of rollouts, successes_only, none",
        "algorithm.exchange=rollouts",
    ),
    ("agents.qwen.precision=bf16-mixed", "must be one of fp32", "agents.qwen.precision=bf16_mixed"),
    ("agents.qwen.tokenizer.kind=bytess", "must be one of characters", "tokenizer.kind=bytes"),
    ("logger.tags=abc", "logger.tags must be a list", "'logger.tags=[abc]'"),
    ("algorithm.clip=0.2", "is a group of settings", "algorithm.clip.SETTING=0.2"),
    ("agents.qwen=3", "is a group of settings", "agents.qwen.SETTING=3"),
    ("algorithm.alpha=${recipe.alhpa}", "refers to ${recipe.alhpa}, which does not exist", ""),
    # arguments
    ("hacpo", "'hacpo' does not say what it is the choice of", "algorithm=hacpo"),
    ("seed", "'seed' is no setting; settings look like key=value", "seed=VALUE"),
    ("algorithm.alpha=[1", "cannot be read", "'algorithm.alpha=\"[1\"'"),
    ("+agent@agents.9lives=tiny_olmo2", "a name begins with a digit", ""),
    ("algorithm.alpha=1,2", "several values to one run", "-m algorithm.alpha=1,2"),
    ("seed=range(3)", "several values to one run", "-m seed=range(3)"),
    # two agents with one name
    ("+agent@agents.qwen=tiny_llama", "Two agents are called 'qwen'", "+agent@agents.qwen_2=tiny_"),
    ("agents=[tiny_pair,solo]", "Two agents are called 'qwen'", "another name"),
]


@pytest.mark.parametrize(("argument", "wrong", "right"), TOLD, ids=[told[0] for told in TOLD])
def test_mistake_on_the_command_line_is_told(argument: str, wrong: str, right: str) -> None:
    told = refused(argument)
    assert wrong in told
    assert right in told
    assert "hydra" not in told.lower()
    assert len(told.splitlines()) <= 3


def test_agent_listed_twice_in_a_file_is_told(conf_copy: Path) -> None:
    (conf_copy / "agents/twice.yaml").write_text(
        "# @package _global_\n"
        "defaults:\n"
        "  - /agent@agents.ada: tiny_qwen3\n"
        "  - /agent@agents.ada: tiny_llama\n"
        "  - _self_\n"
    )
    assert "Two agents are called 'ada'" in refused("agents=twice", conf=conf_copy)


def test_name_twice_in_a_mapping_is_told_with_its_line(conf_copy: Path) -> None:
    (conf_copy / "agents/twice.yaml").write_text(
        "# @package _global_\n"
        "agents:\n"
        "  ada: {model: {hub_id: a/b}}\n"
        "  ada: {model: {hub_id: c/d}}\n"
    )
    told = refused("agents=twice", conf=conf_copy)
    assert "The name 'ada' stands twice" in told
    assert "two agents with one name" in told
    assert "twice.yaml, line 4" in told


def test_file_that_is_no_yaml_is_told(conf_copy: Path) -> None:
    (conf_copy / "budget/broken.yaml").write_text("name: [half\n")
    told = refused("budget=broken", conf=conf_copy)
    assert "no readable YAML" in told
    assert "broken.yaml" in told


def test_typo_in_a_file_is_told_with_the_file(conf_copy: Path) -> None:
    (conf_copy / "budget/long.yaml").write_text("# long\nname: long\nstpes: 3\n")
    told = refused("budget=long", conf=conf_copy)
    assert "There is no setting budget.stpes" in told
    assert "conf/budget/long.yaml" in told
    assert "try:   budget.steps" in told


def test_wrong_type_in_a_file_is_told_with_the_file(conf_copy: Path) -> None:
    (conf_copy / "budget/long.yaml").write_text("# long\nname: long\nsteps: many\n")
    told = refused("budget=long", conf=conf_copy)
    assert "'many'" in told
    assert "budget.steps" in told
    assert "conf/budget/long.yaml" in told


def test_a_bug_is_not_explained_away() -> None:
    assert explain(KeyError("x")) is None
    assert explain(ValueError("some other value")) is None


def test_nearest_key_is_as_alike_as_its_worst_part() -> None:
    known = ["seed", "algorithm.alpha", "recipe.alpha", "agents.qwen.precision", "budget.steps"]
    assert nearest_keys("agents.qwn.precisn", known) == ["agents.qwen.precision"]
    assert nearest_keys("alpha", known) == ["algorithm.alpha", "recipe.alpha"]
    assert nearest_keys("rollout.stesp", known) == ["budget.steps"]
    assert nearest_keys("nothing_like_it", known) == []


def test_nearest_option() -> None:
    assert nearest_option("HACPO", ["gspo", "hacpo"]) == "hacpo"
    assert nearest_option("zzz", ["gspo", "hacpo"]) is None
