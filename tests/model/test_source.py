from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hacpo.model.source import ModelSource

QWEN = {"model_type": "qwen3"}


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({}, "got none of them"),
        ({"hub_id": "a/b", "path": "c"}, "got hub_id and path"),
        ({"path": "c", "architecture": QWEN}, "got path and architecture"),
        ({"architecture": QWEN, "gguf_file": "x.gguf"}, "gguf_file needs a path"),
        ({"path": "c", "revision": "main"}, "revision belongs to a hub_id"),
        ({"path": "c", "dtype": "float8"}, "dtype is one of float32, bfloat16, float16"),
    ],
)
def test_sources_that_cannot_be_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ModelSource(**arguments)


def test_location_is_the_hub_id_or_the_folder(tmp_path: Path) -> None:
    assert ModelSource(hub_id="Qwen/Qwen3-4B").location() == "Qwen/Qwen3-4B"
    (tmp_path / "config.json").touch()
    assert ModelSource(path=str(tmp_path)).location() == str(tmp_path)


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has no file config\.json"):
        ModelSource(path=str(tmp_path)).location()
    with pytest.raises(ValueError, match=r"has no file x\.gguf"):
        ModelSource(path=str(tmp_path), gguf_file="x.gguf").location()


def test_remote_code_is_off_by_default() -> None:
    assert ModelSource(hub_id="a/b").arguments() == {"trust_remote_code": False}
    pinned = ModelSource(hub_id="a/b", revision="v1", trust_remote_code=True)
    assert pinned.arguments() == {"trust_remote_code": True, "revision": "v1"}
