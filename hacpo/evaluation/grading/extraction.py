"""Finding the answer in a response. Linear in the length of any text, hostile text included."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hacpo.evaluation.grading.options import Fallback

FALLBACK_WINDOW = 20_000
"""Characters at the end of a response in which fallbacks look; no gold is nearly as long."""

_BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_UNBRACED = re.compile(r"\s*(\\d?frac\s*(?:\d\s*\d|\{[^{}]*\}\s*\{[^{}]*\})|[^\s$]+)")
_ANSWER_IS = re.compile(r"answer\b(?:\s+is\b)?[ \t]*[:=]?\**[ \t]*", re.IGNORECASE)
_ANNOUNCES = re.compile(r"is\b|[:=]", re.IGNORECASE)
_MATHEMATICS = re.compile(r"[`*]*\$+([^$\n]+)\$+|\\\(([^\n]+?)\\\)")
_SENTENCE_END = re.compile(r"\.(?=\s|$)|\n")


def braced(text: str, start: int) -> str | None:
    """Return what stands between the brace at `start` and its partner; None if it has none."""
    depth = 0
    for match in _BRACE.finditer(text, start):
        if match.group() == "{":
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : match.start()]
    return None


def _box_at(text: str, end: int) -> str | None:
    opening = end
    while opening < len(text) and text[opening] in " \t\n":
        opening += 1
    if text.startswith("{", opening):
        return braced(text, opening)
    match = _UNBRACED.match(text, end)
    return match.group(1).rstrip(".,;:") if match else None


def last_box(text: str) -> str | None:
    r"""Return the content of the last `\boxed{...}` or `\boxed 2`.

    A last box that never closes was cut off: the answer that it replaced does not come back.
    """
    ends = [match.end() for match in _BOX.finditer(text)]
    return _box_at(text, ends[-1]) if ends else None


def last_boxes(text: str, count: int) -> list[str]:
    """Return the contents of the last `count` boxes in their order; fewer if there are fewer."""
    ends = [match.end() for match in _BOX.finditer(text)]
    found = [_box_at(text, end) for end in ends[-count:]]
    return [box for box in found if box is not None]


def _after_hashes(text: str) -> str | None:
    _, mark, rest = text.rpartition("####")
    return rest.strip().split("\n")[0].strip() or None if mark else None


def _after_answer_is(text: str) -> str | None:
    """Return what follows the last "answer is" or "Answer:", to the end of the sentence."""
    announced = [
        match for match in _ANSWER_IS.finditer(text) if _ANNOUNCES.search(match.group()[6:])
    ]
    if not announced:
        return None
    rest = text[announced[-1].end() :]
    if match := _MATHEMATICS.match(rest):
        return match.group(1) or match.group(2)
    return _SENTENCE_END.split(rest, maxsplit=1)[0].strip(" \t*`") or None


def _after_equals(text: str) -> str | None:
    _, equals, rest = text.rpartition("=")
    return rest.strip().split("\n")[0].strip(" \t$.,;*`") or None if equals else None


def extract(text: str, fallbacks: Sequence[Fallback] = ()) -> str | None:
    """Return the answer of a response: its last box, else what the first fitting fallback finds."""
    if "\\boxed" in text or "\\fbox" in text:
        return last_box(text)
    ways = {"hash": _after_hashes, "answer_is": _after_answer_is, "equals": _after_equals}
    found = (ways[name](text[-FALLBACK_WINDOW:]) for name in fallbacks)
    return next((answer for answer in found if answer is not None), None)
