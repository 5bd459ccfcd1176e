"""The loader of an agent: a step's number is all it yields, the agent makes the rollouts of it."""

from __future__ import annotations

from torch.utils.data import DataLoader, Dataset


class StepNumbers(Dataset[int]):
    """The numbers of a run's steps, from 0."""

    def __init__(self, steps: int) -> None:
        """Count `steps` steps."""
        self._steps = steps

    def __len__(self) -> int:
        """Return the number of steps."""
        return self._steps

    def __getitem__(self, step: int) -> int:
        """Return the number itself."""
        return step


def step_loader(steps: int) -> DataLoader[int]:
    """Return a loader of the step numbers 0 to steps - 1."""
    return DataLoader(StepNumbers(steps), batch_size=None)
