"""The resolved default configuration, so that no change of a default goes unseen.

Refresh it after a change that is meant, and say why in the commit::

    python run.py --cfg job --resolve > tests/config/snapshots/default.yaml
"""

from __future__ import annotations

from pathlib import Path

from omegaconf import OmegaConf

from tests.config.composing import composed, without_hydra

SNAPSHOT = Path(__file__).parent / "snapshots" / "default.yaml"


def test_default_configuration_is_the_snapshot() -> None:
    now = OmegaConf.to_yaml(without_hydra(composed()), resolve=True)
    assert now == SNAPSHOT.read_text(), f"a default has changed; if that is meant:{__doc__}"
