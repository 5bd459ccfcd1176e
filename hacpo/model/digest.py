"""A fingerprint of a model's weights."""

from __future__ import annotations

import hashlib

import torch
from transformers import PreTrainedModel


def weights_digest(model: PreTrainedModel) -> str:
    """Return a SHA-256 over the names, types, shapes and bytes of all weights."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()
