from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hacpo.model.folders import file_in_folder, model_folder


def test_a_folder_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    assert model_folder("model") == tmp_path / "model"


def test_a_package_is_found_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "some_weights" / "models" / "tiny"
    inner.mkdir(parents=True)
    (tmp_path / "some_weights" / "__init__.py").write_text("raise ImportError('a missing engine')")
    monkeypatch.syspath_prepend(tmp_path)
    assert model_folder("package:some_weights") == tmp_path / "some_weights"
    assert model_folder("package:some_weights/models/tiny") == inner
    with pytest.raises(ValueError, match="the package 'some_weights' has no folder 'other'"):
        model_folder("package:some_weights/other")


@pytest.mark.parametrize("name", ["no_such_weights", "random"])
def test_a_missing_package_is_named(name: str) -> None:
    """A plain module such as random holds no folder either."""
    with pytest.raises(ValueError, match=f"'{name}', which is not installed"):
        model_folder(f"package:{name}")


@pytest.mark.parametrize("name", ["", "/etc", "../etc", "a.b"])
def test_what_is_no_package_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="names no package"):
        model_folder(f"package:{name}")


def test_a_package_folder_cannot_lead_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some_weights").mkdir()
    (tmp_path / "some_weights" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="leads out of the package"):
        model_folder("package:some_weights/../..")


def test_a_missing_folder_and_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        model_folder(str(tmp_path / "model"))
    (tmp_path / "model.gguf").touch()
    with pytest.raises(ValueError, match="is a file"):
        model_folder(str(tmp_path / "model.gguf"))


def test_a_missing_file_says_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has no file a\.gguf; it holds no files"):
        file_in_folder(tmp_path, "a.gguf")
    (tmp_path / "b.gguf").touch()
    with pytest.raises(ValueError, match=r"it holds b\.gguf"):
        file_in_folder(tmp_path, "a.gguf")
    assert file_in_folder(tmp_path, "b.gguf") == tmp_path / "b.gguf"


def test_looking_for_folders_loads_nothing_heavy() -> None:
    code = (
        "import sys, hacpo.model.folders, hacpo.model.source\n"
        "assert not {'torch', 'transformers', 'tokenizers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
