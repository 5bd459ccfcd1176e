"""Comparing answers that consist of parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from hacpo.evaluation.grading.options import GradingOptions
from hacpo.evaluation.grading.quantity import read_quantity
from hacpo.evaluation.grading.structure import Node, as_interval, assignment, read_structure
from hacpo.evaluation.grading.verdict import Finding, Symbolic

CompareAtoms = Callable[[str, str, GradingOptions, Symbolic], Finding]

WRONG = Finding(right=False, way="structure")


class _Unsettled(Exception):
    """Two parts that only algebra can compare."""


def _no_algebra(gold: str, answer: str) -> bool | None:
    raise _Unsettled


def _canonical(node: Node, options: GradingOptions) -> Node:
    """Return intervals for inequalities and for sets of reals, and a list for a set."""
    if node.shape == "atom":
        name, value = assignment(node.text)
        if value in (r"\mathbb{R}", r"\Bbb{R}", "\u211d"):
            value = r"(-\infty,\infty)"
            ends = tuple(Node(shape="atom", text=end) for end in (r"-\infty", r"\infty"))
            return Node(shape="brackets", text=value, parts=ends, brackets="()")
        interval = as_interval(node.text) if options.inequalities and not name else None
        return interval or node
    if node.brackets == "⦃⦄" and node.shape == "brackets" and node.parts:
        return Node(shape="list", text=node.text, parts=node.parts)
    if node.shape == "list" and options.inequalities and r"⟦" in node.text:
        intervals = [as_interval(part.text) for part in node.parts]
        if all(each is not None for each in intervals):
            found = tuple(each for each in intervals if each is not None)
            return Node(shape="union", text=node.text, parts=found)
    return node


class _Comparison:
    """One comparison of two answers, and the ways that its parts needed."""

    def __init__(
        self, options: GradingOptions, symbolic: Symbolic, compare_atoms: CompareAtoms
    ) -> None:
        self.options = options
        self.symbolic = symbolic
        self.compare_atoms = compare_atoms

    def cheaply(self) -> _Comparison:
        """Return a comparison that raises `_Unsettled` instead of asking for algebra."""
        return _Comparison(self.options, _no_algebra, self.compare_atoms)

    def nodes(self, gold: Node, answer: Node) -> Finding:
        """Compare two nodes."""
        gold, answer = _canonical(gold, self.options), _canonical(answer, self.options)
        gold, answer = self.unassigned(gold, answer), self.unassigned(answer, gold)
        if {gold.shape, answer.shape} == {"list", "atom"}:
            gold, answer = self.alone(gold), self.alone(answer)
        if gold.shape == answer.shape == "atom":
            return self.compare_atoms(gold.text, answer.text, self.options, self.symbolic)
        if {gold.shape, answer.shape} == {"matrix", "brackets"}:
            return self.vector(gold, answer)
        if {gold.shape, answer.shape} == {"ratio", "atom"}:
            return self.ratio_and_value(gold, answer)
        if {gold.shape, answer.shape} == {"union", "brackets"}:
            return self.compare_atoms(gold.text, answer.text, self.options, self.symbolic)
        if gold.shape != answer.shape:
            return WRONG
        return self.same_shape(gold, answer)

    def same_shape(self, gold: Node, answer: Node) -> Finding:
        """Compare two nodes of one shape that is no atom."""
        if gold.shape == "list":
            return self.lists(gold, answer)
        if gold.shape == "union":
            return self.unions(gold, answer)
        if gold.shape == "ratio":
            return self.ratios(gold, answer)
        if gold.brackets != answer.brackets:
            return WRONG
        return self.in_order(gold.parts, answer.parts)

    def alone(self, node: Node) -> Node:
        """Return the only part of a set of one."""
        return node.parts[0] if node.shape == "list" and len(node.parts) == 1 else node

    def unassigned(self, node: Node, other: Node) -> Node:
        r"""Return the value of `x \in [1,2]` or `P = (1,2)` beside an answer without a name."""
        name, value = assignment(node.text) if node.shape == "atom" else ("", "")
        if not name or other.shape == "atom":
            return node
        return _canonical(read_structure(value), self.options)

    def in_order(self, golds: Sequence[Node], answers: Sequence[Node]) -> Finding:
        """Compare part by part; algebra is asked only when nothing cheaper says no."""
        if len(golds) != len(answers):
            return WRONG
        cheap, pairs = self.cheaply(), []
        for gold, answer in zip(golds, answers, strict=True):
            try:
                if not cheap.nodes(gold, answer).right:
                    return WRONG
            except _Unsettled:
                pairs.append((gold, answer))
        findings = []
        for gold, answer in pairs:
            findings.append(self.nodes(gold, answer))
            if not findings[-1].right:
                return findings[-1]
        return Finding(right=True, way="math_verify" if findings else "structure")

    def lists(self, gold: Node, answer: Node) -> Finding:
        """Compare several answers, which may stand in any order unless the options forbid it."""
        if len(gold.parts) != len(answer.parts):
            return WRONG
        named = [{assignment(part.text)[0] for part in node.parts} for node in (gold, answer)]
        one_sided = [len(names) == len(gold.parts) and "" not in names for names in named]
        if self.options.ordered or (one_sided[0] != one_sided[1] and "" in named[0] | named[1]):
            return self.in_order(gold.parts, answer.parts)
        return self.in_any_order(gold.parts, answer.parts)

    def in_any_order(self, golds: Sequence[Node], answers: Sequence[Node]) -> Finding:
        """Find for each gold an answer of its own, the cheap pairs first."""
        if len(golds) != len(answers):
            return WRONG
        free, open_golds, cheap = list(answers), [], self.cheaply()
        for gold in golds:
            unsettled = False
            for answer in free:
                try:
                    if cheap.nodes(gold, answer).right:
                        free.remove(answer)
                        break
                except _Unsettled:
                    unsettled = True
            else:
                if not unsettled:
                    return WRONG
                open_golds.append(gold)
        for gold in open_golds:
            match = next((each for each in free if self.nodes(gold, each).right), None)
            if match is None:
                return Finding(right=False, way="math_verify")
            free.remove(match)
        return Finding(right=True, way="math_verify" if open_golds else "structure")

    def unions(self, gold: Node, answer: Node) -> Finding:
        """Compare unions part by part, and as sets of points where they are cut differently."""
        if len(gold.parts) == len(answer.parts):
            return self.in_any_order(gold.parts, answer.parts)
        return self.compare_atoms(gold.text, answer.text, self.options, self.symbolic)

    def vector(self, gold: Node, answer: Node) -> Finding:
        """Compare a matrix of one row or one column with a tuple."""
        matrix, other = (gold, answer) if gold.shape == "matrix" else (answer, gold)
        one_line = matrix.brackets in ("1", str(len(matrix.parts)))
        if not one_line or other.brackets not in ("()", "[]"):
            return WRONG
        return self.in_order(gold.parts, answer.parts)

    def _values(self, node: Node) -> list[Fraction] | None:
        found = [read_quantity(part.text) for part in node.parts]
        values = [each.value for each in found if each is not None and each.kind == "number"]
        return values if len(values) == len(found) and all(values) else None

    def ratios(self, gold: Node, answer: Node) -> Finding:
        """Compare ratios, which may be scaled."""
        wanted, given = self._values(gold), self._values(answer)
        if wanted and given and len(wanted) == len(given):
            scale = given[0] / wanted[0]
            right = [each * scale for each in wanted] == given
            return Finding(right=right, way="structure")
        return self.in_order(gold.parts, answer.parts)

    def ratio_and_value(self, gold: Node, answer: Node) -> Finding:
        """Compare `3:2` with a number."""
        ratio, other = (gold, answer) if gold.shape == "ratio" else (answer, gold)
        values, number = self._values(ratio), read_quantity(other.text)
        if other is gold and number is not None and number.value.denominator == 1:
            # 2 minutes are no ratio of 2:1; a fraction may be one.
            return Finding(right=False, way="structure")
        if values is None or len(values) != 2 or number is None or number.kind != "number":
            return WRONG
        return Finding(right=values[0] / values[1] == number.value, way="structure")


def compare_parts(
    gold: Node,
    answer: Node,
    options: GradingOptions,
    symbolic: Symbolic,
    compare_atoms: CompareAtoms,
) -> Finding:
    """Compare two answers by their outer shapes and, where those agree, part by part."""
    return _Comparison(options, symbolic, compare_atoms).nodes(gold, answer)
