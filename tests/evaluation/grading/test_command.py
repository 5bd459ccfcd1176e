"""`python -m hacpo.evaluation.grading`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hacpo.evaluation.grading.__main__ import main


def test_command_line_as_documented() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "hacpo.evaluation.grading"),
            *("--gold", r"\frac12", "--pred", r"so it is \boxed{0.5}"),
        ],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "right by number, answer '0.5'\n")


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (["--pred", r"\boxed{4}"], 1, "wrong by number"),
        (["--pred", "#### 5"], 1, "wrong by no_answer, answer none"),
        (["--pred", "#### 5", "--fallback", "hash"], 0, "right by"),
        (["--pred", "5.0", "--bare"], 0, "right by number"),
        (["--pred", r"\boxed{5.2}", "--relative-tolerance", "0.1"], 0, "right by number"),
        (["--pred", r"\boxed{5}", "--relative-tolerance", "-1"], 2, ""),
    ],
)
def test_exit_codes(
    command: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--gold", "5", *command]) == code
    assert capsys.readouterr().out.startswith(says)


@pytest.mark.parametrize("command", [["--gold", "5"], ["--gold", "5", "--pred", "5", "--no"]])
def test_commands_without_sense_end_with_2(command: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
