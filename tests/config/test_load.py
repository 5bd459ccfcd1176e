"""What `load` hands on: objects that nobody changes, made of known keys only."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from omegaconf import OmegaConf
from omegaconf.errors import ReadonlyConfigError

from hacpo.config.algorithm import Exchange
from hacpo.config.errors import ConfigError
from hacpo.config.load import load
from hacpo.config.schema import Config
from tests.config.composing import checked, composed, refused, without_hydra

ROOT = Path(__file__).parents[2]


def test_loaded_configuration_is_typed_and_resolved() -> None:
    config = load(without_hydra(composed()))
    assert isinstance(config, Config)
    assert config.algorithm.exchange is Exchange.rollouts
    assert config.algorithm.alpha == 1.0
    assert type(config.agents["qwen"].model.architecture) is dict
    assert type(config.agents["qwen"].optimizer["betas"]) is list


def test_loaded_configuration_is_read_only_everywhere() -> None:
    plain = without_hydra(composed())
    config = load(plain)
    with pytest.raises(AttributeError, match=r"Config\.seed cannot be set"):
        config.seed = 3
    with pytest.raises(AttributeError, match=r"CrossClipConfig\.delta cannot be set"):
        config.algorithm.cross_clip.delta = 0.1
    with pytest.raises(AttributeError, match=r"AgentConfig\.precision cannot be set"):
        config.agents["llama"].precision = config.agents["qwen"].precision
    with pytest.raises(ReadonlyConfigError):
        plain.seed = 3


def test_composed_configuration_is_resolved_in_place() -> None:
    plain = without_hydra(composed())
    load(plain)
    assert "${" not in OmegaConf.to_yaml(plain)


def test_objects_travel_between_processes() -> None:
    config = checked()
    back = pickle.loads(pickle.dumps(config))
    assert back == config
    with pytest.raises(AttributeError):
        back.seed = 3


@pytest.mark.parametrize("key", ["+foo=1", "+algorithm.foo=1", "+agents.qwen.foo=1"])
def test_added_key_that_nothing_reads_is_refused(key: str) -> None:
    assert f"There is no setting {key[1:-2]}, so nothing would read it" in refused(key)


def test_added_key_near_a_known_one_names_it() -> None:
    assert "try:   algorithm.alpha" in refused("+algorithm.alphha=1")


def test_free_mappings_take_any_key() -> None:
    config = checked(
        "+agents.qwen.model.architecture.rope_theta=10000",
        "+agents.qwen.optimizer.eps=1e-9",
        "+agents.qwen.prompt.chat_arguments.enable_thinking=false",
        "agents.qwen.prompt.chat=true",
        "agents.qwen.tokenizer.kind=null",
        "agents.qwen.model.architecture=null",
        "agents.qwen.model.hub_id=some/model",
    )
    assert config.agents["qwen"].optimizer["eps"] == 1e-9


def test_deleted_setting_is_refused() -> None:
    assert "The setting seed was taken out" in refused("~seed")


def test_missing_agents_are_asked_for() -> None:
    assert "try:   agents=tiny_pair" in refused("~agents")


def test_config_error_keeps_its_parts_between_processes() -> None:
    error = ConfigError("no good", key="a.b", fix="a.b=1", file="conf/a.yaml")
    back = pickle.loads(pickle.dumps(error))
    assert str(back) == "No good.\n  where: a.b in conf/a.yaml\n  try:   a.b=1"


def test_config_error_names_a_key_once() -> None:
    assert str(ConfigError("seed must be whole", key="seed")) == "seed must be whole."


def test_configuration_needs_no_heavy_library() -> None:
    modules = [
        f"hacpo.config.{path.stem}"
        for path in (ROOT / "hacpo/config").glob("*.py")
        if path.stem != "__init__"
    ]
    code = (
        f"import sys, {', '.join(modules)}\n"
        "heavy = {'torch', 'transformers', 'lightning', 'vllm', 'wandb'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
