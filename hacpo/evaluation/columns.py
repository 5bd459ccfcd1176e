"""From a row of a data set to a problem: which column holds what, and where the gold stands."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from hacpo.evaluation.grading.extraction import last_box
from hacpo.evaluation.readers import Row


class GoldRule(StrEnum):
    """Where the gold answer stands in the answer's column."""

    VERBATIM = "verbatim"
    """The whole value."""
    AFTER_HASHES = "after_hashes"
    """After the last `####` of a worked solution, or the whole value where there is none."""


def first_value(row: Row, columns: Sequence[str]) -> Any:
    """Return the value of the first column that the row has; None if it has none of them.

    A dotted name looks into a nested value: `reward_model.ground_truth`.
    """
    for name in columns:
        value = _value_at(row, name)
        if value is not None:
            return value
    return None


def as_text(value: Any) -> str:
    """Return a cell as text; the parts of a list are joined by commas.

    Raises:
        ValueError: the cell is neither a text, a number, nor a list of them.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return ", ".join(as_text(part) for part in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ValueError(f"{value!r} is neither a text nor a number")


def gold_of(
    row: Row, *, answer_columns: Sequence[str], solution_column: str | None, rule: GoldRule
) -> str | None:
    """Return the gold answer of a row; None when the row has no column that could hold one.

    Where the row has no answer, it is the last box of its worked solution, or nothing when the
    solution has no box.
    """
    answer = first_value(row, answer_columns)
    if answer is not None:
        text = as_text(answer)
        return text.rpartition("####")[2].strip() if rule is GoldRule.AFTER_HASHES else text
    solution = first_value(row, [solution_column]) if solution_column else None
    return None if solution is None else last_box(as_text(solution)) or ""


def _value_at(row: Row, name: str) -> Any:
    if name in row:
        return row[name]
    node: Any = row
    for part in name.split("."):
        if not isinstance(node, dict) or part not in node:
            return None
        node = node[part]
    return node
