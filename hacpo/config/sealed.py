"""Configuration objects that nobody changes once they are checked."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Sealed:
    """Base of the schema classes: after `seal()`, assigning to a field is an error.

    Frozen dataclasses would say it at once, but Hydra cannot compose those.
    """

    def seal(self) -> None:
        """Refuse every later assignment here, in the parts, and in mappings of parts."""
        for field in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            for part in value.values() if isinstance(value, dict) else (value,):
                if isinstance(part, Sealed):
                    part.seal()
        object.__setattr__(self, "_sealed", True)

    def __setattr__(self, name: str, value: Any) -> None:
        """Assign, unless the object is sealed."""
        if "_sealed" in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.{name} cannot be set: the run has begun")
        object.__setattr__(self, name, value)
