"""Settings that contradict each other are refused, with what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from hacpo.config.errors import ConfigError
from hacpo.config.folders import check_writable
from hacpo.config.names import PLAIN_WORD
from tests.config.composing import checked, refused

TO_FOLDER = ("agents.qwen.model.architecture=null", "agents.qwen.tokenizer.kind=null")

REFUSED = [
    (["agents=solo"], "'qwen' is the only agent", "algorithm=gspo"),
    (["agents=solo", "algorithm=naive"], "'qwen' is the only agent", "agents=tiny_pair"),
    (["~agents.llama"], "'qwen' is the only agent", "algorithm=gspo"),
    (["~agents.llama", "~agents.qwen"], "There is no agent to train", "agents=tiny_pair"),
    (["+agent@agents.Qwen=tiny_olmo2"], "'qwen' and 'Qwen' differ in upper", "another name"),
    ([f"+agent@agents.{'a' * 41}=tiny_olmo2"], "is not a plain word", "agents"),
    (["algorithm.ratio=token"], "Token-level ratios cannot weigh", "algorithm=grpo"),
    (["rollout.completions_per_prompt=1"], "One completion per prompt", "completions_per_prompt=8"),
    (["algorithm=gspo", "algorithm.alpha=1"], "algorithm.alpha=1 has no effect", "algorithm=hacpo"),
    (["algorithm.exchange=none"], "nothing is shared", "leave it out"),
    (["algorithm=naive", "algorithm.cross_clip.step=.1"], "like own ones", "algorithm=hacpo"),
    (["algorithm.update.sequences=257"], "yields 256 to qwen (16 prompts x 16", "sequences=256"),
    (["algorithm=gspo", "algorithm.update.sequences=129"], "yields 128", "sequences=128"),
    (["algorithm.loss.normalization=constant_length"], "none is given", "constant_length=256"),
    (["algorithm.loss.constant_length=9"], "has no effect", "normalization=constant_length"),
    (["algorithm.alpha=9"], "could overflow", "log_ratio_limit=8"),
    (["budget.scale=0.001"], "no step at all", "budget.scale=1"),
    (["trainer.devices=2"], "not built yet", "trainer.devices=1"),
    (["agents.qwen.model.architecture=null"], "has no model", "agents.qwen.model.path=FOLDER"),
    (["agents.qwen.model.hub_id=a/b"], "hub_id and architecture are set", "architecture=null"),
    ([*TO_FOLDER, "agents.qwen.model.path=/no/where"], "/no/where does not exist", "path=FOLDER"),
    ([*TO_FOLDER, f"agents.qwen.model.path={__file__}"], "is a file", "path=FOLDER"),
    ([*TO_FOLDER, "agents.qwen.model.path=package:no_such_one"], "not installed", "path=FOLDER"),
    (["agents.qwen.model.revision=main"], "belongs to a hub_id", "agents.qwen.model"),
    (["agents.qwen.model.gguf_file=a.gguf"], "belongs to a path or a hub_id", "gguf_file"),
    (["~agents.qwen.model.architecture.model_type"], "needs a model_type", "model_type=llama"),
    (["agents.qwen.tokenizer.kind=null"], "no tokenizer of its own", "kind=characters"),
    (["agents.qwen.tokenizer.path=/no/where"], "built in code or read from", "tokenizer"),
    (["agents.qwen.tokenizer.merges=3"], "only the kinds bpe and bytes", "merges=0"),
    (["agents.qwen.prompt.template=hello"], "has no {prompt}", "template"),
    (["agents.qwen.prompt.chat=true"], "has no chat template", "chat=false"),
    (["agents.qwen.prompt.system=hi"], "no effect without the chat template", "chat=true"),
    (["rollout.max_new_tokens=128"], "128 positions of agents.qwen", "max_position_embeddings=256"),
    (["agents.qwen.optimizer._target_=sgd"], "'sgd' is not the import path", "torch.optim.AdamW"),
    (["agents.qwen.optimizer.lr=0"], "agents.qwen.optimizer.lr must be above 0", ""),
    (["agents.qwen.optimizer._target_=torch.optim.SGD"], "takes no betas", "optimizer=sgd"),
    (["+agents.qwen.schedule._target_=cosine"], "'cosine' is not the import path", "=cosine"),
    (["+agents.qwen.schedule._target_=torch.optim.X"], "must be partial", "_partial_=true"),
    (["output.root=''"], "output.root is empty", "output.root=outputs"),
    (["output.root=/dev/null/x"], "'/dev/null' is not a folder", "output.root=FOLDER"),
    (["output.cache=/dev/null/x"], "'/dev/null' is not a folder", "output.cache=FOLDER"),
]


@pytest.mark.parametrize(("overrides", "wrong", "right"), REFUSED, ids=lambda part: str(part)[:50])
def test_contradiction_is_refused(overrides: list[str], wrong: str, right: str) -> None:
    told = refused(*overrides)
    assert wrong in told
    assert right in told


@pytest.mark.parametrize(
    "overrides",
    [
        ["algorithm=gspo_x2", "recipe.completions_per_prompt=1", "recipe.update_sequences=32"],
        ["algorithm.update.sequences=256"],  # one update per step
        ["algorithm=naive", "algorithm.capability.baseline_exponent=1"],  # half of HACPO
        ["agents=tiny_trio", "algorithm.update.sequences=384"],
        ["algorithm=gspo", "agents=tiny_trio"],
        ["rollout.max_new_tokens=127"],
    ],
    ids=str,
)
def test_what_only_looks_odd_passes(overrides: list[str]) -> None:
    assert checked(*overrides).agents


def test_agent_names_are_plain_words() -> None:
    good = ["qwen", "Qwen3-4B", "a", "agent_2"]
    bad = ["", "two words", "../up", "a.b", "-a", "é", "a" * 41, "a/b", "con:"]
    assert [name for name in [*good, *bad] if PLAIN_WORD.fullmatch(name)] == good


def test_folder_is_tried_and_nothing_stays_behind(tmp_path: Path) -> None:
    check_writable(str(tmp_path / "new" / "below"), "output.root")
    assert list(tmp_path.iterdir()) == []


def test_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_text("")
    with pytest.raises(ConfigError, match="is not a folder"):
        check_writable(str(file / "run"), "output.root")


def test_folder_that_takes_no_file_is_refused() -> None:
    with pytest.raises(ConfigError, match="no file can be made in '/proc'"):
        check_writable("/proc/results", "output.root")


def test_the_limit_of_the_exponent_is_the_objectives() -> None:
    # Two definitions, because the configuration must load without torch.
    from hacpo.config import relations
    from hacpo.objective import settings

    assert relations.LARGEST_EXPONENT == settings.LARGEST_EXPONENT
