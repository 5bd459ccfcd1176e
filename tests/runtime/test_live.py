"""What the user sees during a run."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest
from rich.console import Console

from hacpo.runtime.live import LiveTable, progress_view
from hacpo.runtime.plain import PlainLines
from hacpo.runtime.status import COLUMNS, fit_columns, status_line, status_table
from hacpo.types import AgentStatus, Phase

STATUSES: Mapping[str, AgentStatus] = {
    "qwen": AgentStatus(
        phase=Phase.TRAIN,
        step=12,
        total_steps=60,
        reward=0.8125,
        accuracy=0.442,
        tokens_per_s=12345.0,
        no_signal=0.26,
        budget_left=0.8,
        seconds_left=3725,
        message="update 3 of 4",
    ),
    "a_llama_with_a_very_long_name_indeed": AgentStatus(phase=Phase.WARM_START),
}


class Ticker:
    """A clock that moves when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def terminal(width: int) -> tuple[Console, io.StringIO]:
    output = io.StringIO()
    console = Console(
        file=output,
        width=width,
        height=40,
        force_terminal=True,
        color_system=None,
        legacy_windows=False,
    )
    return console, output


def draw(width: int) -> list[str]:
    """Return the lines of the table."""
    output = io.StringIO()
    table = status_table("demo", STATUSES, width=width, seconds=65)
    Console(file=output, width=width).print(table)
    return [line.rstrip() for line in output.getvalue().splitlines()]


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("width", [30, 60, 80, 100, 160])
def test_every_row_stays_one_line(width: int) -> None:
    lines = draw(width)
    assert len(lines) == 5  # title, header, two agents, one message
    assert max(map(len, lines)) <= width
    assert lines[2].startswith("qwen")
    assert lines[3].startswith("a_lla")


def test_a_wide_terminal_shows_everything() -> None:
    title, header, qwen, llama, message = draw(160)
    assert title == "demo  1:05"
    for column in COLUMNS:
        assert column.title in header
    assert qwen.split() == words("qwen training 12/60 .812 .442 12.3k 26% 80% 1:02:05")
    assert llama.split() == words("a_llama_with_a_very_long_name_indeed warm start - - - - - - -")
    assert message == "qwen: update 3 of 4"


def test_eighty_characters_keep_the_figures_that_matter() -> None:
    _, header, qwen, _, _ = draw(80)
    assert words(header) == words("agent phase step reward held-out tok/s no signal left")
    assert words(qwen) == words("qwen training 12/60 .812 .442 12.3k 26% 1:02:05")


def test_columns_move_together_before_one_is_left_out() -> None:
    assert fit_columns(80, 6) == (COLUMNS, 2)
    assert fit_columns(80, 14) == (COLUMNS, 1)
    columns, gap = fit_columns(80, 15)
    assert [column.title for column in COLUMNS if column not in columns] == ["budget"]
    assert gap == 1
    assert fit_columns(10, 6) == ((), 2)


def test_the_table_is_redrawn_in_place() -> None:
    console, output = terminal(80)
    with LiveTable("demo", console, clock=Ticker()) as view:
        view(STATUSES)
        view(STATUSES)
    assert "\x1b[1A" in output.getvalue()  # the cursor goes up again
    assert output.getvalue().endswith("\x1b[?25h")  # and is visible at the end


def plain() -> tuple[PlainLines, io.StringIO, Ticker]:
    output, clock = io.StringIO(), Ticker()
    return PlainLines("demo", Console(file=output, width=40), clock=clock), output, clock


def test_plain_lines_are_whole_whatever_the_width() -> None:
    view, output, clock = plain()
    with view:
        clock.now += 65
        view(STATUSES)
    assert output.getvalue().splitlines() == [
        "demo",
        "   1:05  qwen  training  step 12/60  reward .812  held-out .442  tok/s 12.3k  "
        "no signal 26%  budget 80%  left 1:02:05  update 3 of 4",
        "   1:05  a_llama_with_a_very_long_name_indeed  warm start",
    ]


def test_plain_lines_come_on_news_and_now_and_then() -> None:
    view, output, clock = plain()

    def lines_after(seconds: float, status: AgentStatus) -> int:
        before = output.getvalue().count("\n")
        clock.now += seconds
        view({"a": status})
        return output.getvalue().count("\n") - before

    def training(step: int, accuracy: float = 0.4) -> AgentStatus:
        return AgentStatus(phase=Phase.TRAIN, step=step, accuracy=accuracy)

    assert lines_after(0, AgentStatus(phase=Phase.LOAD)) == 1
    assert lines_after(60, AgentStatus(phase=Phase.LOAD)) == 0  # nothing new
    assert lines_after(0.25, training(1)) == 1  # a new phase
    assert lines_after(0.25, training(2)) == 0  # progress, too soon
    assert lines_after(5, training(3)) == 1  # progress
    assert lines_after(0.25, training(4, accuracy=0.5)) == 1  # an evaluation
    assert lines_after(4.9, training(5, accuracy=0.5)) == 0


def test_a_pipe_gets_plain_lines_and_a_terminal_the_table() -> None:
    assert isinstance(progress_view("demo", Console(file=io.StringIO())), PlainLines)
    assert isinstance(progress_view("demo", terminal(80)[0]), LiveTable)


def test_names_and_messages_are_not_markup() -> None:
    status = AgentStatus(phase=Phase.LOAD, message="[red]half a tag")
    output = io.StringIO()
    with PlainLines("demo", Console(file=output), clock=Ticker()) as view:
        view({"a[bold]": status})
    assert status_line("a[bold]", status) == "a[bold]  loading  [red]half a tag"
    assert "a[bold]  loading  [red]half a tag" in output.getvalue()
