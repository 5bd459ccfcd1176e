"""A GPU that is not there is noticed before any work."""

from __future__ import annotations

import pytest
import torch

from hacpo.assembly.loading import check_accelerator


def test_a_missing_gpu_is_a_sentence() -> None:
    check_accelerator("cpu")
    if torch.cuda.is_available():
        check_accelerator("gpu")
        return
    with pytest.raises(ValueError, match="torch sees no GPU here: say trainer=cpu"):
        check_accelerator("gpu")
