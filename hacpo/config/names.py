"""What names of agents and benchmarks look like."""

from __future__ import annotations

import re

PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
"""They become folder names and parts of metric keys."""
