"""A GPU that is not there is noticed before any work."""

from __future__ import annotations

import pytest
import torch

from hacpo.assembly.loading import check_accelerator, own_devices


def test_a_missing_gpu_is_a_sentence() -> None:
    check_accelerator("cpu")
    if torch.cuda.is_available():
        check_accelerator("gpu")
        return
    with pytest.raises(ValueError, match="torch sees no GPU here: say trainer=cpu"):
        check_accelerator("gpu")


@pytest.mark.parametrize(
    ("accelerator", "present", "expected"),
    [
        ("gpu", 2, [[0], [1], [0]]),
        ("auto", 8, [[0], [1], [2]]),
        ("gpu", 1, [1, 1, 1]),
        ("cpu", 8, [1, 1, 1]),
    ],
)
def test_each_agent_takes_a_gpu_of_its_own(
    monkeypatch: pytest.MonkeyPatch, accelerator: str, present: int, expected: list[object]
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: present)
    names = ["a", "b", "c"]
    taken = [own_devices(names, name, accelerator=accelerator, devices=1) for name in names]
    assert taken == expected
