"""What every part of a reward is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from hacpo.types import Problem


class RewardPart(ABC):
    """Grades all completions of a step in one call; safe on any text, and bounded in time.

    A class of this kind can stand as the `_target_` of a part. It is built with `task` (the run's
    task), `time_limit_s` (seconds that one completion may take) and the part's own arguments.
    """

    @abstractmethod
    def grade(self, problems: Sequence[Problem], texts: Sequence[str]) -> list[float | None]:
        """Return one reward for each pair of problem and completion, in their order.

        None: the completion could not be graded (time-out, crash, no number); it counts as 0.
        """

    def close(self) -> None:  # noqa: B027 - most parts start nothing
        """End what was started for grading."""
