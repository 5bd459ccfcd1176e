"""`python run.py ...` as a user types it: mistakes, help, completion, folders of results."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from hacpo.config.mistakes import clear_errors
from hacpo.config.vocabulary import CONF
from tests.config.composing import checked

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 10.0
NO_MODEL = ["agents.qwen.model.architecture=null", "agents.qwen.tokenizer.kind=null"]

STAND_IN = f"""
import hydra
from hydra.core.hydra_config import HydraConfig
from hacpo.config.errors import ConfigError
from hacpo.config.load import load
from hacpo.config.mistakes import clear_errors
from hacpo.config.register import register

class AgentDied(RuntimeError):
    pass

register()

@hydra.main(version_base="1.3", config_path={str(CONF)!r}, config_name="config")
def main(composed):
    config = load(composed)
    if config.seed == 11:
        raise ConfigError("eleven brings no luck", key="seed", fix="seed=12")
    if config.seed == 12:
        raise AgentDied("Agent qwen failed: killed by SIGKILL")
    if config.seed == 13:
        composed.no_such_key
    print("DIR", HydraConfig.get().runtime.output_dir)
    return 0.0

with clear_errors(AgentDied):
    main()
"""
"""What `run.py` is, with a run that only says where its results would lie."""


def command(*arguments: str, cwd: Path, script: Path = ROOT / "run.py", **environment: str):
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    return script


WRONG = {
    "unknown option of a group": (["algorithm=hapco"], "algorithm=hacpo"),
    "typo in a key": (["algorithm.alhpa=0"], "algorithm.alpha=0"),
    "wrong type": (["algorithm.alpha=strong"], "algorithm.alpha must be a number"),
    "out of range": (["rollout.temperature=-1"], "rollout.temperature must be above 0"),
    "one agent with sharing": (["agents=solo"], "algorithm=gspo for one agent"),
    "one completion": (["rollout.completions_per_prompt=1"], "from 2 on"),
    "two agents with one name": (["+agent@agents.qwen=tiny_llama"], "Two agents are called 'qwen'"),
    "unusable output folder": (["output.root=/dev/null/results"], "output.root=FOLDER"),
    "missing model folder": ([*NO_MODEL, "agents.qwen.model.path=/no/where"], "does not exist"),
    "ablation that does not apply": (["algorithm=gspo", "ablation=no_clip"], "change nothing"),
    "one wrong run of a sweep": (["-m", "algorithm.alpha=1,-1"], "The run algorithm.alpha=-1 of"),
    "folder of Hydra": (["hydra.run.dir=/dev/null/x"], "hydra.run.dir=FOLDER"),
    "not an argument": (["hacpo"], "algorithm=hacpo"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_wrong_command_gets_a_clear_sentence(mistake: str, tmp_path: Path) -> None:
    arguments, told = WRONG[mistake]
    start = time.monotonic()
    done = command(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert time.monotonic() - start < MOST_SECONDS
    assert told in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) <= 3
    assert list(tmp_path.iterdir()) == [], "a wrong command leaves nothing behind"


def test_mistake_that_a_run_finds_is_told_as_well(stand_in: Path, tmp_path: Path) -> None:
    done = command("seed=11", cwd=tmp_path, script=stand_in)
    assert done.returncode == 2
    assert "Eleven brings no luck.\n  where: seed\n  try:   seed=12\n" in done.stderr
    assert "Traceback" not in done.stderr


def test_failure_of_a_run_keeps_its_text_and_exits_with_1(stand_in: Path, tmp_path: Path) -> None:
    done = command("seed=12", cwd=tmp_path, script=stand_in)
    assert done.returncode == 1
    assert "Agent qwen failed: killed by SIGKILL" in done.stderr
    assert "Traceback" not in done.stderr


def test_bug_in_a_run_keeps_its_traceback(stand_in: Path, tmp_path: Path) -> None:
    done = command("seed=13", cwd=tmp_path, script=stand_in)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "no_such_key" in done.stderr


@pytest.mark.parametrize("argument", ["algorithm=hapco", "seed=-1"])
def test_tracebacks_are_shown_on_request(argument: str, tmp_path: Path) -> None:
    done = command(argument, cwd=tmp_path, HYDRA_FULL_ERROR="1")
    assert done.returncode != 0
    assert "Traceback" in done.stderr


def test_help_explains_groups_with_examples(tmp_path: Path) -> None:
    done = command("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "python run.py -m seed=0,1,2 algorithm=hacpo,gspo" in done.stdout
    assert 'eval "$(python run.py -sc install=bash)"' in done.stdout
    for group in ("agents", "algorithm", "ablation", "task", "budget", "engine", "logger"):
        assert re.search(rf"^{group}  +\w", done.stdout, re.MULTILINE)


def test_every_command_of_the_help_is_right() -> None:
    shown = yaml.safe_load((CONF / "hydra/help/hacpo.yaml").read_text())["template"]
    lines = re.findall(r"^  python run\.py(.*?)(?:  +\S.*)?$", shown, re.MULTILINE)
    assert len(lines) >= 10
    for line in lines:
        if "-m" not in line and "--" not in line:
            assert checked(*line.split()).agents, line


def test_tab_completes_options_and_keys(tmp_path: Path) -> None:
    def complete(line: str) -> list[str]:
        asked = {"COMP_LINE": line, "COMP_POINT": str(len(line))}
        return command("-sc", "query=bash", cwd=tmp_path, **asked).stdout.split()

    assert complete("python run.py algorithm=gs") == ["algorithm=gspo", "algorithm=gspo_x2"]
    assert complete("python run.py rollout.temp") == ["rollout.temperature="]
    assert "complete -o nospace" in command("-sc", "install=bash", cwd=tmp_path).stdout


def test_whole_configuration_is_shown_without_a_run(tmp_path: Path) -> None:
    done = command("--cfg", "job", "--resolve", "algorithm=grpo", cwd=tmp_path)
    assert done.returncode == 0
    assert "name: tiny_pair-grpo" in done.stdout
    assert list(tmp_path.iterdir()) == []
    assert command("--info", "defaults", cwd=tmp_path).returncode == 0


def test_run_lies_in_a_folder_that_describes_it(stand_in: Path, tmp_path: Path) -> None:
    done = command("ablation=no_clip", cwd=tmp_path, script=stand_in)
    assert done.returncode == 0, done.stderr
    where = Path(done.stdout.split("DIR ")[1].strip()).relative_to(tmp_path)
    pattern = r"outputs/run/\d{4}-\d\d-\d\d/\d\d-\d\d-\d\d-tiny_pair-hacpo-no_clip"
    assert re.fullmatch(pattern, where.as_posix())


def test_runs_of_a_sweep_lie_side_by_side(stand_in: Path, tmp_path: Path) -> None:
    arguments = ["-m", "seed=0,1", "algorithm=gspo,hacpo", "name=a/b", "output.root=results"]
    done = command(*arguments, cwd=tmp_path, script=stand_in)
    assert done.returncode == 0, done.stderr
    found = [Path(text.split("\n")[0]) for text in done.stdout.split("DIR ")[1:]]
    assert len({path.parent for path in found}) == 1
    sweep = found[0].parent.relative_to(tmp_path).as_posix()
    assert re.fullmatch(r"results/multirun/[\d-]{10}/[\d-]{8}-seed\+algorithm", sweep)
    assert [path.name for path in found] == [
        f"{number}-algorithm={algorithm},name=a_b,output.root=results,seed={seed}"
        for number, (seed, algorithm) in enumerate(
            [(0, "gspo"), (0, "hacpo"), (1, "gspo"), (1, "hacpo")]
        )
    ]


def test_entry_point_is_short() -> None:
    assert len((ROOT / "run.py").read_text().splitlines()) <= 25


def test_ctrl_c_before_anything_runs_leaves_no_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended, clear_errors():
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted before the run began; nothing was started\n"
