"""Graded answers on disk, so that an interrupted evaluation goes on where it stopped.

Lines of JSON: first what shaped the answers, then one line a chunk of problems. A chunk is written
at once; a line that was cut short is left out when the file is read, and its chunk is made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class GradedAnswer:
    """One sampled completion with its verdict."""

    problem_id: str
    sample: int
    """Number of the completion among those of its problem, from 0."""
    prompt: str
    gold: str
    completion: str
    num_tokens: int
    truncated: bool
    right: bool
    way: str
    """How the verdict was reached."""
    extracted: str | None
    """The answer that was read from the completion; None if there was none."""


class AnswerFile:
    """The graded answers of one benchmark, in chunks."""

    def __init__(self, path: Path, *, settings: Mapping[str, Any]) -> None:
        """Open the file of answers that `settings` shaped.

        Raises:
            ValueError: the file holds answers that other settings shaped.
        """
        self.path = path
        self._settings = json.loads(json.dumps(settings))
        self._chunks = self._read()

    def chunk(self, number: int) -> tuple[GradedAnswer, ...] | None:
        """Return a chunk's answers, or None if they were not made yet."""
        return self._chunks.get(number)

    def add(self, number: int, answers: Sequence[GradedAnswer]) -> None:
        """Keep a chunk, on disk before this returns."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        record = {"chunk": number, "answers": [asdict(answer) for answer in answers]}
        new = not self._chunks
        with self.path.open("w" if new else "a", encoding="utf-8") as file:
            if new:
                file.write(json.dumps({"settings": self._settings}) + "\n")
            file.write(json.dumps(record) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._chunks[number] = tuple(answers)

    def _read(self) -> dict[int, tuple[GradedAnswer, ...]]:
        if not self.path.exists():
            return {}
        content = self.path.read_bytes()
        whole, newline, _ = content.rpartition(b"\n")
        lines = whole.decode("utf-8").splitlines() if newline else []
        if not lines:
            return {}
        if json.loads(lines[0])["settings"] != self._settings:
            raise ValueError(f"{self.path} holds answers that other settings shaped; move it away")
        self._cut(len(whole) + 1)
        records = [json.loads(line) for line in lines[1:]]
        return {
            record["chunk"]: tuple(GradedAnswer(**answer) for answer in record["answers"])
            for record in records
        }

    def _cut(self, length: int) -> None:
        """Drop a line that was cut short, so that the next chunk begins on a line of its own."""
        if length < self.path.stat().st_size:
            os.truncate(self.path, length)
