"""From a response to a verdict. Pure but for `algebra`, which the pool hands in."""

from __future__ import annotations

from collections.abc import Callable

from hacpo.evaluation.grading.comparison import compare
from hacpo.evaluation.grading.extraction import extract, last_boxes
from hacpo.evaluation.grading.normalisation import clean
from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.structure import read_structure
from hacpo.evaluation.grading.verdict import Finding, Verdict

Algebra = Callable[[str, str, GradingOptions], Finding]
"""Compares one gold and one answer with computer algebra, within limits."""


class _NeedsAlgebra(Exception):
    """Text, numbers and structure do not settle this pair."""


def _postpone(gold: str, answer: str) -> bool | None:
    raise _NeedsAlgebra


def compare_without_algebra(gold: str, answer: str, options: GradingOptions) -> Finding | None:
    """Compare in bounded time; None for a pair that only computer algebra can settle."""
    if len(answer) > options.max_answer_chars or len(gold) > options.max_answer_chars:
        return Finding(
            right=bool(gold.strip()) and gold.strip() == answer.strip(),
            way="string" if gold.strip() == answer.strip() else "unparsed",
        )
    try:
        return compare(gold, answer, options, _postpone)
    except _NeedsAlgebra:
        return None
    except RecursionError:
        return Finding(right=False, way="unparsed")


def grade_answer(gold: str, answer: str, options: GradingOptions, algebra: Algebra) -> Verdict:
    """Return the verdict on a bare answer, without looking for a box."""
    options = options.for_gold(gold)
    finding = compare_without_algebra(gold, answer, options)
    if finding is None:
        finding = algebra(gold, answer, options)
    return Verdict(right=finding.right, way=finding.way, answer=answer)


def _answers_of_gold(gold: str, options: GradingOptions) -> int:
    if len(gold) > options.max_answer_chars:
        return 1
    node = read_structure(clean(gold))
    several = node.shape == "list" or (node.shape == "brackets" and node.brackets == "⦃⦄")
    return len(node.parts) if several else 1


def grade_response(gold: str, response: str, options: GradingOptions, algebra: Algebra) -> Verdict:
    """Return the verdict on all that a model wrote for a problem."""
    answer = extract(response, options.fallbacks)
    if not gold.strip():
        return Verdict(right=False, way="no_gold", answer=answer)
    if answer is None or not answer.strip():
        return Verdict(right=False, way="no_answer", answer=None)
    verdict = grade_answer(gold, answer, options, algebra)
    count = _answers_of_gold(gold, options) if options.several_boxes and not verdict.right else 1
    if count < 2:
        return verdict
    boxes = last_boxes(response, count)
    if len(boxes) < count:
        return verdict
    joined = grade_answer(gold, ", ".join(boxes), options, algebra)
    return joined if joined.right else verdict
