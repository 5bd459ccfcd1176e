"""Files and folders are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from hacpo.files import write_whole, written_whole


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    write_whole(path, "old")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]


def _fail_half_way(path: Path) -> None:
    with written_whole(path) as aside:
        aside.write_text("half")
        raise RuntimeError("half way")


def test_a_failure_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_whole(path, "old")
    with pytest.raises(RuntimeError, match="half way"):
        _fail_half_way(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    for name in ("one", "two"):
        with written_whole(path) as aside:
            aside.mkdir()
            (aside / name).write_text(name)
    assert [entry.name for entry in path.iterdir()] == ["two"]
    assert list(tmp_path.iterdir()) == [path]
