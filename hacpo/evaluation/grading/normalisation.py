r"""One way of writing for what is written in many ways: LaTeX, Unicode, plain text, Python.

Three characters stand for what LaTeX writes in words, so that later parts need not care:

- `⟦cm⟧` for `\text{cm}` and its relatives,
- `⦃1,2⦄` for `\{1,2\}`, since plain braces only group,
- `¤` for `\$`, since a plain dollar sign opens mathematics.
"""

from __future__ import annotations

import re

_UNICODE = {
    **dict.fromkeys("−\u2013\u2014\u2010\u2011", "-"),
    **dict.fromkeys("\u00a0\u2009\u202f\u2002\u2003\u3000", " "),
    **dict.fromkeys("\u200b\u200c\u200d\ufeff\u2060", ""),
    "×": r"\times ",
    "·": r"\cdot ",
    "⋅": r"\cdot ",
    "÷": r"\div ",
    "°": r"^\circ ",
    "º": r"^\circ ",
    "π": r"\pi ",
    "∞": r"\infty ",
    "≤": r"\leq ",
    "≥": r"\geq ",
    "≠": r"\neq ",
    "\u222a": r"\cup ",
    "∈": r"\in ",
    "±": r"\pm ",
    "√": r"\sqrt ",
    "½": r"\frac{1}{2}",
    "¼": r"\frac{1}{4}",
    "¾": r"\frac{3}{4}",
    "\uff0c": ",",
    "\uff08": "(",
    "\uff09": ")",
    "⟨": "(",
    "⟩": ")",
    "\u2019": "'",
    **{mark: f"^{{{digit}}}" for digit, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}
_TRANSLATION = str.maketrans(_UNICODE)

_TEXT = r"\\(?:text|mbox|textbf|textit|textrm|textnormal|textup|hbox|mathrm|mathbf|mathit|bold)"
_FUNCTIONS = "arcsin|arccos|arctan|sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|ln|log|exp"
_OPERAND = r"(?:\\(?:pi|infty|alpha|beta|theta)(?![A-Za-z])|[0-9A-Za-z])"

_REWRITES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # Spacing. A thin space between digits separates thousands.
        (r"\\(?:left|right|middle|[bB]igg?[lr]?)(?![A-Za-z])\s*\.?(?=[\s()\[\]|\\.]|$)", ""),
        (r"\\(?:displaystyle|textstyle|limits|nolimits)(?![A-Za-z])", ""),
        (r"\\phantom\s*(?:\{[^{}]*\}|[^\s{}])", ""),
        (r",\s*\\!\s*", ","),
        (r"\\!", ""),
        (r"(?<=\d)\\[,;:]\s*(?=\d)", ""),
        (r"\\[,;: ]|\\q?quad(?![A-Za-z])|~", " "),
        (r"\{,\s*\}", ","),
        # Signs.
        (r"\\\$|\\(?:text)?dollar(?![A-Za-z])", "¤"),
        (r"\$", ""),
        (r"\\\(|\\\)|\\\[|\\\]", ""),
        (r"\\%", "%"),
        (r"\\(?:\{|lbrace(?![A-Za-z]))", "⦃"),
        (r"\\(?:\}|rbrace(?![A-Za-z]))", "⦄"),
        (r"\\langle(?![A-Za-z])", "("),
        (r"\\rangle(?![A-Za-z])", ")"),
        (r"\\(?:leqslant|leq|le)(?![A-Za-z])", r"\\leq "),
        (r"\\(?:geqslant|geq|ge)(?![A-Za-z])", r"\\geq "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"<=", r"\\leq "),
        (r">=", r"\\geq "),
        # Words. A single upright letter is a symbol, unless a space inside makes it a unit.
        (r"\\(?:mathrm|mathbf|mathit|text|bold)\{([A-Za-z])\}", r" \1 "),
        (_TEXT + r"\s*\{((?:[^{}]|\{[^{}]*\})*)\}", r"⟦\1⟧"),
        (r"\s*\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z])|⟦o⟧)", "°"),
        (r"\\degree(?![A-Za-z])", "°"),
        # Fractions and roots without braces.
        (r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (rf"\\frac\s*({_OPERAND})\s*({_OPERAND})", r"\\frac{\1}{\2}"),
        (rf"\\frac\s*({_OPERAND})\s*\{{", r"\\frac{\1}{"),
        (rf"(\\frac\s*\{{[^{{}}]*\}})\s*({_OPERAND})", r"\1{\2}"),
        (r"\\frac\s+\{", r"\\frac{"),
        (rf"\\sqrt\s*({_OPERAND})", r"\\sqrt{\1}"),
        # Python.
        (rf"\b(?:np|numpy|math|sympy|sp)\.({_FUNCTIONS}|sqrt|pi)\b", r"\1"),
        (r"\*\*", "^"),
        (rf"(?<![A-Za-z\\])({_FUNCTIONS})(?=\s*[({{])", r"\\\1"),
        (r"(?<![A-Za-z\\])sqrt\s*\(([^()]*)\)", r"\\sqrt{\1}"),
        (r"(?<![A-Za-z\\])pi(?![A-Za-z])", r"\\pi "),
        (r"\s+", " "),
    )
)

_ENDS = " \t\n.,;:"
_WRAPPERS = (("**", "**"), ("`", "`"), ("'", "'"), ('"', '"'), ("$$", "$$"), ("{", "}"))
_INNER_BRACE = re.compile(r"([_^])\{(\w|\\[A-Za-z]+)\}")


def _partner(text: str, opening: str, closing: str) -> bool:
    """Say whether the brace that opens a text is closed by its last character and not before."""
    if opening != "{":
        return opening not in text[len(opening) : -len(closing)]
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return place == len(text) - 1
    return False


def _unwrap(text: str) -> str:
    """Return a text without quotes, bold, code marks and braces that enclose all of it."""
    for _ in range(10):
        for opening, closing in _WRAPPERS:
            enclosed = text.startswith(opening) and text.endswith(closing)
            longer = len(text) > len(opening) + len(closing)
            if enclosed and longer and _partner(text, opening, closing):
                text = text[len(opening) : -len(closing)].strip()
                break
        else:
            break
    return text


def clean(text: str) -> str:
    """Return an answer in the one way of writing that this package compares.

    Spaces are kept singly, since `1 1/4` and `11/4` differ. The caller bounds the length.
    """
    text = _unwrap(text.translate(_TRANSLATION).strip())
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    return _unwrap(text.strip().rstrip(_ENDS).lstrip(", ;:").strip())


def key(cleaned: str) -> str:
    """Return what is equal for equal texts: no spaces, no needless braces, words as letters."""
    text = re.sub(r"[\s⟦⟧¤]", "", cleaned).replace("°", "")
    return _INNER_BRACE.sub(r"\1\2", text)


def to_latex(cleaned: str) -> str:
    """Return LaTeX that math-verify reads."""
    text = re.sub(r"⟦([^⟦⟧]*)⟧", r"\\text{\1}", cleaned)
    return text.replace("⦃", r"\{").replace("⦄", r"\}").replace("¤", "").replace("°", "")
