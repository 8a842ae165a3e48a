"""Logos: images that a page can show, checked when the server starts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from chat_ui.settings import expect_regular_file

MOST_BYTES: Final = 512 * 1024
_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"RIFF", "image/webp", "webp"),
)
_SVG: Final = "{http://www.w3.org/2000/svg}svg"


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of an image, and its type."""

    content: bytes
    media_type: str
    extension: str

    @property
    def name(self) -> str:
        """A name that no other image has."""
        return f"{hashlib.sha256(self.content).hexdigest()[:16]}.{self.extension}"


def read_image(path: Path) -> Image:
    """The image in a file, by its bytes: an SVG, PNG, JPEG or WebP.

    Raises:
        ValueError: it cannot be read, is none of these, or has more than `MOST_BYTES`.
    """
    try:
        expect_regular_file(path)
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise ValueError(f"{path} has more than {MOST_BYTES // 1024} KB; a smaller image loads faster")
    for beginning, media_type, extension in _BEGINNINGS:
        if content.startswith(beginning) and (extension != "webp" or content[8:12] == b"WEBP"):
            return Image(content, media_type, extension)
    if _is_svg(content):
        return Image(content, "image/svg+xml", "svg")
    raise ValueError(f"{path} is no SVG, PNG, JPEG or WebP image")


def _is_svg(content: bytes) -> bool:
    try:
        # The operator's own file, and only its first element is looked at.
        return ElementTree.fromstring(content).tag == _SVG  # noqa: S314
    except (ElementTree.ParseError, ValueError, LookupError):
        # The encoding that it names is unknown, or one that the parser does not take.
        return False
