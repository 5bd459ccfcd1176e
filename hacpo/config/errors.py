"""The one exception for mistakes that a user can mend."""

from __future__ import annotations

import re


class ConfigError(Exception):
    """A setting that cannot work.

    Rendered as plain lines: what is wrong, where, and what would be right. For example::

        One completion per prompt has no others to be compared with.
          where: rollout.completions_per_prompt
          try:   rollout.completions_per_prompt=8
    """

    def __init__(
        self,
        message: str,
        *,
        key: str | None = None,
        fix: str | None = None,
        file: str | None = None,
    ) -> None:
        """Keep the parts.

        Args:
            message: one sentence that says what is wrong; its first letter and its full stop are
                put right.
            key: the setting, as it is written on the command line.
            fix: what to write instead.
            file: the file under `conf/` that the mistake stands in, when that is known.
        """
        super().__init__(message)
        self.message = message
        self.key = key
        self.fix = fix
        self.file = file

    def __str__(self) -> str:
        """Return one to three lines; a key that the message names is not said again."""
        new = self.key if self.key and self.key not in self.message else None
        where = " in ".join(part for part in (new, self.file) if part)
        lines = [_sentence(self.message, self.key)]
        if where:
            lines.append(f"  where: {where}")
        if self.fix:
            lines.append(f"  try:   {self.fix}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the parts when the error travels between processes."""
        return (_rebuild, (self.message, self.key, self.fix, self.file))


def _sentence(text: str, key: str | None) -> str:
    """Return the text with a capital letter, unless a key stands first, and a full stop."""
    text = text.strip()
    if re.match(r"[a-z]+[ ,-]", text) and not (key and text.startswith(key)):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _rebuild(message: str, key: str | None, fix: str | None, file: str | None) -> ConfigError:
    return ConfigError(message, key=key, fix=fix, file=file)
