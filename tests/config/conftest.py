"""Fixtures of the configuration tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hacpo.config.vocabulary import CONF


@pytest.fixture
def conf_copy(tmp_path: Path) -> Path:
    """A copy of `conf/` that a test may break."""
    return Path(shutil.copytree(CONF, tmp_path / "conf"))
