"""The pictures of an answer, which a backend made."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from chat_ui.protocol.events import PictureReceived

MOST_PICTURE: Final = 4 * 1024 * 1024
"""Bytes of a picture, and of an attached image."""
_BEGINNINGS: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
)
"""The type of an image by its first bytes; neither its name nor its Content-Type is trusted."""


def image_type(data: bytes) -> str | None:
    """The media type of a PNG, JPEG, GIF or WebP image; None for others, including SVG with its scripts."""
    return next((media_type for beginning, media_type in _BEGINNINGS if beginning.match(data)), None)


def decoded(text: str) -> bytes:
    """The bytes in base64, perhaps for addresses, without padding or in a data URI; empty if damaged."""
    base = text.partition(",")[2] if text[:5].lower() == "data:" else text
    try:
        return base64.b64decode(base.translate(_NOT_FOR_ADDRESSES) + "==")
    except ValueError:
        return b""


def versions(pictures: Sequence[PictureReceived]) -> int:
    """A number that grows with each picture, also with one that replaces another; 0 without pictures."""
    return sum(one.version for one in pictures)


def with_pictures(text: str, pictures: Sequence[PictureReceived]) -> str:
    """`text` and its pictures as Markdown: each its prompt, and its address if remote."""
    if not pictures:
        return text
    return "\n\n".join(filter(None, (text.rstrip(), *map(_mark, pictures))))


def _mark(picture: PictureReceived) -> str:
    prompt = " ".join(picture.prompt.translate(_NO_BRACKETS).split())
    url = quote(picture.url, _IN_ADDRESSES, errors="replace")
    return f"![{prompt}]" + (f"({url})" if url else "")


_NO_BRACKETS: Final = str.maketrans("[]", "()")
_NOT_FOR_ADDRESSES: Final = str.maketrans("-_", "+/")
_IN_ADDRESSES: Final = "%:/?#[]@!$&'*+,;="
