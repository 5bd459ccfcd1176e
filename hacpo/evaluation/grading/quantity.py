"""Numbers as answers write them: with a unit, a percent sign, a base, or as a time of day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hacpo.evaluation.grading.arithmetic import exact_value

Kind = Literal["number", "base", "time"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """A number and what it counts."""

    value: Fraction
    """Of a time of day: seconds since midnight."""
    kind: Kind = "number"
    unit: str = ""
    """As `unit_name` spells it; of a number in a base: the base."""
    percent: bool = False
    decimals: int | None = None
    """Power of ten of the last written digit, of a plain decimal or e-notation; else None."""


_NUMERALS = "zero one two three four five six seven eight nine ten eleven twelve"
_WORDS = {word: value for value, word in enumerate(_NUMERALS.split())}
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
MAX_CHARS = 1200
"""Longer texts are no numbers: 1000 digits and a unit are the most."""

_MONEY = {"¤": "dollar", "€": "euro", "£": "pound"}

_SYNONYMS = {
    name: names.split()[0]
    for names in (
        "dollar usd",
        "euro eur",
        "cent ¢",
        "degree deg °",
        "cm centimeter centimetre",
        "mm millimeter millimetre",
        "m meter metre",
        "km kilometer kilometre",
        "in inch inche",
        "ft foot feet",
        "yd yard",
        "mi mile",
        "g gram gm",
        "kg kilogram",
        "lb pound",
        "s sec second",
        "min minute",
        "h hr hour",
        "day",
        "week",
        "month",
        "year yr",
        "mph",
        "km/h kph",
        "liter litre l",
        "acre",
        "gallon gal",
    )
    for name in names.split()
}
"""Units that exclude each other. Other words, such as apples, say nothing that a gold relies on."""

_BARE_SHORT = {"cm", "mm", "km", "kg", "ft", "mi", "yd", "lb", "lbs", "hr", "hrs", "in", "sq", "gm"}
_NOT_UNITS = "sin cos tan cot sec csc log exp sqrt pi and or mod base the for all is if choose"
_NO_UNIT = set(_NOT_UNITS.split())

_UNIT_TAIL = re.compile(
    r"(?P<marked>(?:\s*⟦[^⟦⟧]*⟧)+)(?:\s*\^\s*\{?(?P<power>[23])\}?)?$"
    r"|\s*(?P<degree>°)$"
    r"|(?<=[\d})\s])(?P<bare>[A-Za-z]{2,}\.?(?:[ /-][A-Za-z]{2,}\.?)*)"
    r"(?:\s*\^\s*\{?(?P<bare_power>[23])\}?)?$"
)
_BASE = re.compile(
    r"^(?P<sign>-?)(?P<digits>[0-9][0-9A-Za-z.]*|[A-Z][0-9A-Z]*[0-9][0-9A-Z]*)\s*"
    r"(?:_\s*\{?\s*⟦?(?P<below>\d{1,2}|[a-z]+)⟧?\s*\}?"
    r"|[⟦(\s]*base\s*[⟦⟧\s]*(?P<named>\d{1,2}|[a-z]+)[⟧)\s]*)$"
)
_TIME = re.compile(
    r"^(?P<hour>\d{1,2})(?:\s*:\s*(?P<minute>\d{2})(?:\s*:\s*(?P<second>\d{2}))?)?"
    r"(?P<half>\s*(?P<letter>[apAP])\.?\s?[mM]\.?)?$"
)
_SPACED = re.compile(r"^[+-]?\d{1,3}(?: \d{3})+(?:\.\d+)?$|^[+-]?\d{1,3}(?:, \d{3})+$")
_DECIMAL = re.compile(r"^[+-]?\d*\.?(?P<after>\d*)(?:[eE](?P<power>[+-]?\d{1,5}))?$")


def unit_name(text: str, power: str | None = None) -> str:
    """Return the common name of a unit: singular, lower case, areas and volumes by their power."""
    words = re.sub(r"[⟦⟧.\s\\]+", " ", text).strip().lower().split()
    for name, exponent in (("square", "2"), ("sq", "2"), ("cubic", "3"), ("cu", "3")):
        if name in words:
            words.remove(name)
            power = exponent
    name = " ".join(words)
    known = _SYNONYMS.get(name) or _SYNONYMS.get(name.removesuffix("s"), name.removesuffix("s"))
    return known + (power or "")


def known_unit(unit: str) -> bool:
    """Say whether a unit is one that excludes others: 3 cm is not 3 m, 3 apples may be 3 fruits."""
    return unit.rstrip("23") in _SYNONYMS.values()


def _digit(sign: str) -> int:
    return int(sign, 36)


def _in_base(text: str) -> Quantity | None:
    match = _BASE.match(text)
    if match is None:
        return None
    name = match["below"] or match["named"]
    base = int(name) if name.isdigit() else _WORDS.get(name, 0)
    digits = match["digits"].rstrip(".")
    whole, _, part = digits.partition(".")
    if not 2 <= base <= 36 or len(digits) > 200 or "." in part:
        return None
    if any(_digit(sign) >= base for sign in whole + part):
        return None
    value = Fraction(int(whole + part, base), base ** len(part))
    return Quantity(value=-value if match["sign"] else value, kind="base", unit=str(base))


def _time_of_day(text: str) -> Quantity | None:
    match = _TIME.match(re.sub(r"[⟦⟧]", " ", text).strip())
    if match is None or not match["half"]:
        return None
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if not 1 <= hour <= 12 or minute > 59 or second > 59:
        return None
    hour = hour % 12 + (12 if match["letter"] in "pP" else 0)
    return Quantity(value=Fraction(hour * 3600 + minute * 60 + second), kind="time")


def _without_unit(text: str) -> tuple[str, str]:
    """Return a text without the unit at its end, and the unit's name."""
    match = _UNIT_TAIL.search(text)
    if match is None:
        return text, ""
    rest = text[: match.start()].strip()
    if match["degree"]:
        return rest, "degree"
    if match["marked"]:
        return rest, unit_name(match["marked"], match["power"])
    words = re.split(r"[ /.-]+", match["bare"].lower())
    short = [word for word in words if len(word) == 2 and word not in (*_BARE_SHORT, "of", "to")]
    if not rest or short or _NO_UNIT & set(words):
        return text, ""
    return rest, unit_name(match["bare"], match["bare_power"])


def _scaled(text: str, unit: str) -> tuple[Fraction, str]:
    """Return the factor that words such as million stand for, and the rest of the unit."""
    words = unit.split()
    first = words[0] if words else ""
    if first in _SCALES:
        return Fraction(_SCALES[first]), unit_name(" ".join(words[1:]))
    return Fraction(1), unit


def _last_digit(text: str) -> int | None:
    match = _DECIMAL.match(text.replace(",", ""))
    return int(match["power"] or 0) - len(match["after"]) if match else None


def _plain(text: str) -> Quantity | None:
    text, unit = _without_unit(text)
    percent = text.endswith("%") or unit in ("percent", "%")
    text = text.rstrip("% ")
    negative = text.startswith("-")
    stripped = text.lstrip("-+ ") if negative else text
    if stripped[:1] in _MONEY:
        unit = unit or _MONEY[stripped[0]]
        text = ("-" if negative else "") + stripped[1:].strip()
    elif text[-1:] in _MONEY:
        unit, text = _MONEY[text[-1]], text[:-1].strip()
    if _SPACED.match(text):
        text = text.replace(" ", "")
    factor, unit = _scaled(text, unit)
    value = exact_value(text)
    if value is None:
        return None
    return Quantity(
        value=value * factor,
        unit="" if percent else unit,
        percent=percent,
        decimals=_last_digit(text) if factor == 1 else None,
    )


def read_quantity(cleaned: str) -> Quantity | None:
    """Return the number that an answer says, exactly; None if it says anything else."""
    if len(cleaned) > MAX_CHARS:
        return None
    word = cleaned.strip("⟦⟧ ").lower()
    if word in _WORDS:
        return Quantity(value=Fraction(_WORDS[word]))
    return _time_of_day(cleaned) or _in_base(cleaned) or _plain(cleaned)
