r"""The outer shape of an answer: tuples, intervals, sets, lists, unions, matrices, ratios.

Only brackets and commas that stand outside everything else count, so `f(1,2)` stays one piece.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Shape = Literal["atom", "list", "brackets", "union", "matrix", "ratio"]

MAX_DEPTH = 8
MAX_PARTS = 128


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """An answer, or a part of one."""

    shape: Shape
    text: str
    """The cleaned text of all of it."""
    parts: tuple[Node, ...] = ()
    brackets: str = ""
    """Of `brackets`: the first and last sign, such as `[)`. Of a matrix: its row count."""


_OPENING = "([{⦃⟦"
_CLOSING = ")]}⦄⟧"
_JOINT = re.compile(r"⟦\s*,?\s*(?:and|or)\s*⟧|(?<=[\s)⦄\]}])(?:and|or)(?=[\s(⦃\[{\\-])")
_MATRIX = re.compile(
    r"^\\begin\{([pbvBV]?matrix|array)\}(?:\{[^{}]*\})?(.*)\\end\{\1\}$", re.DOTALL
)
_ASSIGNED = re.compile(
    r"^(?P<name>(?:[A-Za-z]|\\[A-Za-z]+)(?:_(?:\w|\{[^{}=]*\}))?'*(?:\s*\([^()=]*\))?)"
    r"\s*(?:=|\\in(?![A-Za-z]))\s*(?P<value>[^=]+)$"
)
_NUMERAL = r"(?:[^<>=,;\\]|\\(?!leq|geq|in(?![a-z]))[A-Za-z])*"
_LESS = r"(<|\\leq)"
_MORE = r"(>|\\geq)"
_NAME = r"\s*(?:[A-Za-z]|\\[a-z]+|[a-z]\([a-z]\))\s*"
_CHAINS = (
    (re.compile(f"^({_NUMERAL}){_LESS}{_NAME}{_LESS}({_NUMERAL})$"), False),
    (re.compile(f"^({_NUMERAL}){_MORE}{_NAME}{_MORE}({_NUMERAL})$"), True),
)
_HALVES = (
    (re.compile(f"^{_NAME}(<|\\\\leq|>|\\\\geq)({_NUMERAL})$"), False),
    (re.compile(f"^({_NUMERAL})(<|\\\\leq|>|\\\\geq){_NAME}$"), True),
)


def split_outside(text: str, separators: str) -> list[str]:
    """Return the pieces between separators that stand outside all brackets."""
    pieces, depth, start, bars = [], 0, 0, text.startswith("\\begin")
    for place, sign in enumerate(text):
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        elif depth == 0 and sign in separators and not bars:
            pieces.append(text[start:place])
            start = place + 1
    return [piece.strip() for piece in [*pieces, text[start:]]]


def _encloses(text: str) -> bool:
    """Say whether the first sign is a bracket whose partner is the last sign."""
    if len(text) < 2 or text[0] not in "([⦃" or text[-1] not in ")]⦄":
        return False
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0:
            return place == len(text) - 1
    return False


def assignment(text: str) -> tuple[str, str]:
    r"""Return name and value of `x=5`, `f(x)=2x` or `x \in [1,2]`; an empty name without one."""
    match = _ASSIGNED.match(text)
    if match is None:
        return "", text
    name = re.sub(r"[\s{}]", "", match["name"])
    return name, match["value"].strip()


def as_interval(text: str) -> Node | None:
    r"""Return the interval that an inequality of one variable means, such as `-2 \leq x < 7`."""
    for pattern, turned in _CHAINS:
        if match := pattern.match(text):
            low, first, second, high = match.groups()
            if turned:
                low, first, second, high = high, second, first, low
            return _interval(
                low, high, "(" if first in "<>" else "[", ")" if second in "<>" else "]"
            )
    for pattern, turned in _HALVES:
        if match := pattern.match(text):
            relation, bound = match.groups() if not turned else match.groups()[::-1]
            below = (relation in ("<", r"\leq")) != turned
            open_end = relation in "<>"
            if below:
                return _interval(r"-\infty", bound, "(", ")" if open_end else "]")
            return _interval(bound, r"\infty", "(" if open_end else "[", ")")
    return None


def _interval(low: str, high: str, opening: str, closing: str) -> Node | None:
    low, high = low.strip(), high.strip()
    if not low or not high or any(part.isalpha() for part in (low, high)):
        return None
    text = f"{opening}{low},{high}{closing}"
    return Node(
        shape="brackets", text=text, parts=(atom(low), atom(high)), brackets=opening + closing
    )


def atom(text: str) -> Node:
    """Return a piece without outer shape."""
    return Node(shape="atom", text=text)


def _plus_minus(text: str) -> Node | None:
    r"""Return the two values of `a \pm b`."""
    if text.count("\\pm") != 1:
        return None
    both = [re.sub(r"\\pm\s*", sign, text).strip() for sign in ("+", "-")]
    return Node(shape="list", text=text, parts=tuple(atom(each.removeprefix("+")) for each in both))


def _matrix(text: str) -> Node | None:
    match = _MATRIX.match(text)
    if match is None or "\\begin" in match[2]:
        return None
    rows = [row.strip() for row in re.split(r"\\\\", match[2])]
    cells = [[atom(cell.strip()) for cell in row.split("&")] for row in rows if row]
    if not cells or len({len(row) for row in cells}) != 1:
        return None
    flat = tuple(cell for row in cells for cell in row)
    return Node(shape="matrix", text=text, parts=flat, brackets=str(len(cells)))


def _several_words(text: str) -> Node | None:
    r"""Return the parts of `\text{A, B}`; a bare joint such as `\text{, and }` has none."""
    inside = text[1:-1]
    if not (text.startswith("⟦") and text.endswith("⟧")) or "⟦" in inside:
        return None
    pieces = [piece.strip() for piece in inside.split(",") if piece.strip()]
    if not 1 < len(pieces) <= MAX_PARTS:
        return None
    return Node(shape="list", text=text, parts=tuple(atom(f"⟦{piece}⟧") for piece in pieces))


def _several(text: str, depth: int) -> Node | None:
    pieces = [piece for piece in split_outside(_JOINT.sub(",", text), ",;") if piece]
    if not 1 < len(pieces) <= MAX_PARTS:
        return None
    parts: list[Node] = []
    for piece in pieces:
        node = read_structure(piece, depth + 1)
        parts += node.parts if node.shape == "list" else [node]
    return Node(shape="list", text=text, parts=tuple(parts))


def _bracketed(text: str, depth: int) -> Node:
    inside = text[1:-1].strip()
    inner = read_structure(inside, depth + 1)
    parts = inner.parts if inner.shape == "list" else (inner,)
    if text[0] in "([" and len(parts) == 1 and inner.shape != "list":
        return inner if text[0] + text[-1] in ("()", "[]") else atom(text)
    if text[0] == "⦃" and not inside:
        parts = ()
    return Node(shape="brackets", text=text, parts=parts, brackets=text[0] + text[-1])


def _joined(text: str, depth: int) -> Node | None:
    """Return a union or a ratio."""
    for mark, shape in ((r"\cup", "union"), (":", "ratio")):
        sign = "\u222a" if shape == "union" else ":"
        pieces = split_outside(text.replace(r"\cup", "\u222a"), sign)
        if 1 < len(pieces) <= MAX_PARTS and all(pieces) and mark in text:
            parts = tuple(read_structure(piece, depth + 1) for piece in pieces)
            return Node(shape="union" if shape == "union" else "ratio", text=text, parts=parts)
    return None


def read_structure(text: str, depth: int = 0) -> Node:
    """Return the shape of a cleaned answer."""
    if depth > MAX_DEPTH:
        return atom(text)
    several = _several_words(text) or _several(text, depth)
    if several is not None:
        return several
    if _encloses(text):
        return _bracketed(text, depth)
    return _matrix(text) or _joined(text, depth) or _plus_minus(text) or atom(text)
