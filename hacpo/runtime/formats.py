"""How figures read in tables and log lines. None, for not known yet, is always a dash."""

from __future__ import annotations

import math

UNKNOWN = "-"


def as_fraction(value: float | None) -> str:
    """Format a reward or an accuracy: `.812`, `1.000`, `-.250`."""
    if value is None:
        return UNKNOWN
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-")[0] == "0" else text


def as_percent(value: float | None) -> str:
    """Format a share in [0, 1]: `26%`."""
    return UNKNOWN if value is None else f"{100 * value:.0f}%"


def as_count(value: float | None) -> str:
    """Format a count in at most five characters: `512`, `7.7k`, `123k`, `1.2M`."""
    if value is None:
        return UNKNOWN
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        # 999.5 and more would round up to four digits, so it already counts in the next unit.
        if value >= 0.9995 * size:
            scaled = value / size
            return f"{scaled:.1f}{unit}" if scaled < 99.95 else f"{scaled:.0f}{unit}"
    return f"{value:.0f}"


def as_duration(seconds: float | None) -> str:
    """Format a duration: `0:07`, `12:30`, `1:02:03`."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def as_progress(done: int, total: int) -> str:
    """Format finished steps: `12/60`, or `12` where the end is open."""
    if total > 0:
        return f"{done}/{total}"
    return str(done) if done else UNKNOWN
