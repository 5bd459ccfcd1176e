"""Warm starts are made once and kept: ``<cache>/warm_start/<key>/``.

The key is a SHA-256 of what training reads, not of how it was asked for: the weights before, every
encoded demonstration, the optimizer settings, and the libraries' versions. So a changed
architecture, tokenizer, template, task, split, habit, seed or number of steps gives another key,
and so does changed code that draws other demonstrations.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from filelock import FileLock
from safetensors.torch import load_model, save_model
from transformers import PreTrainedModel

from hacpo.files import write_whole, written_whole
from hacpo.model.digest import weights_digest
from hacpo.rollout.tokens import TokenCodec
from hacpo.task.task import Demonstrator
from hacpo.types import Problem
from hacpo.warm_start.demonstrations import Demonstrations, draw_demonstrations
from hacpo.warm_start.training import Progress, train

FORMAT_VERSION = 2
"""Raise it when training.py changes what comes out, or when the files change."""
WEIGHTS, DESCRIPTION = "model.safetensors", "warm_start.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class WarmStart:
    """How a warm start came about."""

    key: str
    cached: bool
    """The weights were read from the cache, not trained now."""
    loss: float
    """Mean training loss of the last tenth of the steps, in nats per token."""


def warm_started(
    model: PreTrainedModel,
    codec: TokenCodec,
    problems: Sequence[Problem],
    demonstrator: Demonstrator,
    *,
    steps: int,
    batch_size: int,
    lr: float,
    seed: int,
    cache_dir: Path,
    on_progress: Progress | None = None,
) -> WarmStart:
    """Give the model its warm start in place, from the cache when it has been made before.

    Processes that need the same one at the same time wait for the first of them.

    Args:
        model: changed in place; its present weights are part of the key.
        codec: the agent's tokens and prompt template.
        problems: training problems only; test problems never enter.
        demonstrator: writes the completions.
        steps: batches, each of `batch_size` rows.
        batch_size: rows of one batch.
        lr: peak learning rate.
        seed: of the demonstrations.
        cache_dir: may be deleted at any time between runs.
        on_progress: called after every step, or once when the cache has it.
    """
    demonstrations = draw_demonstrations(
        problems, demonstrator, codec, steps=steps, batch_size=batch_size, seed=seed
    )
    description = _description(model, demonstrations, lr=lr, seed=seed)
    key = hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()
    folder = cache_dir / "warm_start" / key
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{key}.lock")):
        loss = _read(folder, model)
        cached = loss is not None
        if loss is None:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                loss = train(model, demonstrations, lr=lr, on_progress=on_progress)
            _write(folder, model, description | {"loss": loss})
    if cached and on_progress is not None:
        on_progress(steps, steps, loss)
    return WarmStart(key=key, cached=cached, loss=loss)


def _description(
    model: PreTrainedModel, demonstrations: Demonstrations, *, lr: float, seed: int
) -> dict[str, object]:
    """Return everything that shapes the result.

    The number of threads is left out on purpose: it changes the last bits of a sum and no more,
    and runs that are compared should begin with one and the same model.
    """
    config = model.config.to_dict()
    config.pop("_name_or_path", None)
    return {
        "format": FORMAT_VERSION,
        "architecture": config,
        "attention": model.config._attn_implementation,
        "weights": weights_digest(model),
        "demonstrations": demonstrations.digest(),
        "lr": lr,
        "seed": seed,
        "device": model.device.type,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def _read(folder: Path, model: PreTrainedModel) -> float | None:
    """Load the weights and return the loss; None when the folder is missing or damaged.

    Everything is checked before the first weight is loaded: a model that was half overwritten
    would then be trained from other weights than the key names.
    """
    try:
        description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        loss = float(description["loss"])
        whole = _file_digest(folder / WEIGHTS) == description["file_sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not whole:
        return None
    load_model(model, folder / WEIGHTS, device=model.device.type)
    return loss


def _write(folder: Path, model: PreTrainedModel, description: dict[str, object]) -> None:
    with written_whole(folder) as aside:
        aside.mkdir()
        # Tied weights are stored once; the model that is saved need not be loaded by transformers.
        save_model(model, str(aside / WEIGHTS))
        record = description | {"file_sha256": _file_digest(aside / WEIGHTS)}
        write_whole(aside / DESCRIPTION, json.dumps(record, indent=2, sort_keys=True))


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
