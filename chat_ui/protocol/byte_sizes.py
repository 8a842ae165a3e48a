"""Numbers of bytes in words."""

from __future__ import annotations

from typing import Final

from chat_ui.protocol.translatable import Translatable, msg, plural_msg

_STEP: Final = 1024


def in_words(size: int) -> Translatable:
    """`size` bytes as a person reads it: "8 MB", "1.5 GB"."""
    if size < _STEP:
        return plural_msg("{count} byte", "{count} bytes", size)
    if (kilobytes := round(size / _STEP, 1)) < _STEP:
        return msg("{size} KB", size=kilobytes)
    if (megabytes := round(size / _STEP**2, 1)) < _STEP:
        return msg("{size} MB", size=megabytes)
    return msg("{size} GB", size=round(size / _STEP**3, 1))
