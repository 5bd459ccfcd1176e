"""Seeds that depend only on what they are for, so a resumed run draws the same numbers."""

from __future__ import annotations

import hashlib


def derived_seed(*parts: int | str) -> int:
    """Return a 63-bit seed from parts such as (seed, step, agent, purpose).

    Unlike ``hash()`` it is the same in every process.
    """
    text = "\x1f".join(str(part) for part in parts)
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
