"""Numbers of bytes in words."""

from __future__ import annotations


def in_words(size: int) -> str:
    """`size` bytes as a person reads it: "8 MB", "1.5 GB"."""
    value = float(size)
    for unit in ("bytes", "KB", "MB"):
        if round(value, 1) < 1024:
            return f"{round(value, 1):g} {unit}"
        value /= 1024
    return f"{round(value, 1):g} GB"
