"""Exact values of written arithmetic: `1,000`, `2 1/3`, `\\frac{5}{8}`, `4.5e33`, `2^{10}`, `5!`.

A recursive descent over a few tokens; what it does not know, it leaves to others by returning
None. Every operation looks first how large its result would be, so hostile numbers cost nothing.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import factorial

MAX_BITS = 60_000
"""Size of a numerator or denominator. 2^{1009} and 2004! are golds of contests and fit."""
MAX_DIGITS = 1000
"""Digits of one written number; Python refuses to read more than 4300 at once."""
MAX_FACTORIAL = 3000
MAX_DEPTH = 40
MAX_TOKENS = 400

_TOKEN = re.compile(
    r"(?P<space>\s*)(?:"
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?(?:[eE][+-]?\d+(?![\d.]))?"
    r"|\.\d+(?:[eE][+-]?\d+(?![\d.]))?)"
    r"|(?P<sign>\\frac(?![A-Za-z])|\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|\\div(?![A-Za-z])"
    r"|[-+*/^!(){}]))"
)
_TIMES = {"*", r"\times", r"\cdot"}
_OVER = {"/", r"\div"}


class _NotArithmetic(Exception):
    """The text is no arithmetic, or too large a piece of it."""


class _TooLarge(_NotArithmetic):
    """The text is arithmetic whose value, or a value on the way to it, is too large."""


class _Token:
    """A number or a sign, and whether a space stands before it."""

    __slots__ = ("number", "spaced", "text")

    def __init__(self, match: re.Match[str]) -> None:
        self.text = match["number"] or match["sign"]
        self.number = match["number"] is not None
        self.spaced = bool(match["space"])

    @property
    def whole(self) -> bool:
        """Whether the token is a whole number, as the parts of a mixed number are."""
        return self.number and self.text.isdigit()


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or len(tokens) >= MAX_TOKENS:
            raise _NotArithmetic
        tokens.append(_Token(match))
        place = match.end()
    return tokens


def _checked(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise _TooLarge
    return value


def literal(text: str) -> Fraction:
    """Return the value of one written number, separators and e-notation included."""
    mantissa, _, exponent = text.replace(",", "").lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    power = int(exponent[:8] or 0) - len(decimals)
    if len(mantissa) > MAX_DIGITS or abs(power) > MAX_BITS // 4 or len(exponent) > 8:
        raise _TooLarge
    digits = int(whole + decimals or 0)
    return _checked(Fraction(digits * 10**power if power >= 0 else Fraction(digits, 10**-power)))


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """Return base^exponent for whole exponents; roots are left to others."""
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if exponent.denominator != 1 or (base == 0 and exponent <= 0):
        raise _NotArithmetic
    if size * abs(exponent) > MAX_BITS:
        raise _TooLarge
    return Fraction(base ** int(exponent))


class _Reader:
    """One pass over the tokens of a text."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0

    def peek(self, ahead: int = 0) -> _Token | None:
        """Return a coming token; None after the last."""
        at = self.place + ahead
        return self.tokens[at] if at < len(self.tokens) else None

    def next_text(self) -> str:
        """Return the text of the coming token; empty after the last."""
        token = self.peek()
        return token.text if token else ""

    def take(self, text: str) -> None:
        """Step over a sign that must come now."""
        if self.next_text() != text:
            raise _NotArithmetic
        self.place += 1

    def total(self) -> Fraction:
        """Read a sum."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooLarge
        value = self.product()
        while self.next_text() in ("+", "-"):
            sign = self.next_text()
            self.place += 1
            following = self.product()
            value = _checked(value + following if sign == "+" else value - following)
        self.depth -= 1
        return value

    def product(self) -> Fraction:
        """Read a product; a bracket may follow a factor without a sign."""
        value = self.signed()
        while self.next_text() in _TIMES | _OVER | {"(", r"\frac"}:
            sign = self.next_text()
            self.place += sign not in ("(", r"\frac")
            following = self.signed()
            if sign in _OVER and following == 0:
                raise _NotArithmetic
            value = _checked(value / following if sign in _OVER else value * following)
        return value

    def signed(self) -> Fraction:
        """Read a factor with its signs."""
        sign = 1
        while self.next_text() in ("+", "-"):
            sign = -sign if self.next_text() == "-" else sign
            self.place += 1
        return sign * self.raised()

    def raised(self) -> Fraction:
        """Read a factor with its factorial or exponent."""
        value = self.mixed()
        while self.next_text() == "!":
            self.place += 1
            if value.denominator != 1 or value < 0:
                raise _NotArithmetic
            if value > MAX_FACTORIAL:
                raise _TooLarge
            value = _checked(Fraction(factorial(int(value))))
        if self.next_text() == "^":
            self.place += 1
            value = power(value, self.exponent())
        return value

    def exponent(self) -> Fraction:
        """Read an exponent: in braces, or signed, and towers from the right."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooLarge
        value = self.signed()
        self.depth -= 1
        return value

    def mixed(self) -> Fraction:
        """Read a number, or a whole number and a fraction beside it, which are added."""
        first = self.peek()
        value = self.single()
        if first is None or not first.whole:
            return value
        following, slash, below = self.peek(), self.peek(1), self.peek(2)
        if following is not None and following.text == r"\frac" and self.plain_fraction():
            return _checked(value + self.single())
        beside = following is not None and following.whole and following.spaced
        if beside and slash is not None and slash.text == "/" and below is not None and below.whole:
            self.place += 3
            if int(below.text[:MAX_DIGITS]) == 0:
                raise _NotArithmetic
            assert following is not None
            return _checked(value + literal(following.text) / literal(below.text))
        return value

    def plain_fraction(self) -> bool:
        r"""Say whether `\frac{a}{b}` with whole a and b comes now."""
        coming = [self.peek(ahead) for ahead in range(1, 7)]
        if any(token is None for token in coming):
            return False
        shape = ["#" if token and token.whole else token and token.text for token in coming]
        return shape == ["{", "#", "}", "{", "#", "}"]

    def single(self) -> Fraction:
        """Read a number, a fraction, or what stands in brackets."""
        token = self.peek()
        if token is None:
            raise _NotArithmetic
        self.place += 1
        if token.number:
            return literal(token.text)
        if token.text == r"\frac":
            above, below = self.enclosed("{", "}"), self.enclosed("{", "}")
            if below == 0:
                raise _NotArithmetic
            return _checked(above / below)
        self.place -= 1
        return self.enclosed("{", "}") if token.text == "{" else self.enclosed("(", ")")

    def enclosed(self, opening: str, closing: str) -> Fraction:
        """Read a sum between two brackets."""
        self.take(opening)
        value = self.total()
        self.take(closing)
        return value


def exact_value(text: str) -> Fraction | None:
    """Return the exact value of arithmetic; None for anything else, and for what is too large."""
    try:
        reader = _Reader(_tokens(text.strip()))
        value = reader.total()
    except _NotArithmetic:
        return None
    return value if reader.peek() is None else None


def is_too_large(text: str) -> bool:
    """Say whether reading a text runs into a number too large to hold, such as 9^{9^9}."""
    try:
        _Reader(_tokens(text.strip())).total()
    except _NotArithmetic as error:
        return isinstance(error, _TooLarge)
    return False
