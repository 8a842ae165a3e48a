"""The type of an image by its first bytes: neither its name nor its Content-Type proves anything."""

from __future__ import annotations

import re
from typing import Final

_BEGINNINGS: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)


def image_type(data: bytes) -> str | None:
    """The media type of a PNG, JPEG, GIF or WebP image; None for everything else, SVG too, which can hold scripts."""
    return next((media_type for beginning, media_type in _BEGINNINGS if beginning.match(data)), None)
