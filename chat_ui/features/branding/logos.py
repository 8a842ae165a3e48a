"""Images of the branding: logos, checked when the server starts, and icons of the installed app.

The files in `icons` are drawn in advance (`python -m tools.app_icons`). Their palette has shades between the background
and the drawing, then of the transparent background. For another accent, only the palette is replaced.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from chat_ui.settings import expect_regular_file

SIZES: Final = (192, 512)
SHADES: Final = 128
"""Shades from the background to the drawing, and as many transparencies of the background."""
FILES: Final = Path(__file__).with_name("icons")
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_LENGTH_AND_TYPE: Final = 8
_CHECKSUM: Final = 4
MOST_BYTES: Final = 512 * 1024
_BEGINNINGS: Final = (
    (SIGNATURE, "image/png", "png"),
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"RIFF", "image/webp", "webp"),
)
_SVG: Final = "{http://www.w3.org/2000/svg}svg"


@dataclass(frozen=True, slots=True)
class Image:
    content: bytes
    media_type: str
    extension: str

    @property
    def name(self) -> str:
        """A unique name, by the content."""
        return f"{hashlib.sha256(self.content).hexdigest()[:16]}.{self.extension}"


def read_image(path: Path) -> Image:
    """The SVG, PNG, JPEG or WebP image of a file, by its content.

    Raises:
        ValueError: the file is unreadable, has another type, or has more than `MOST_BYTES`.
    """
    try:
        expect_regular_file(path)
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise ValueError(f"{path} is larger than {MOST_BYTES // 1024} KB; use a smaller image")
    for beginning, media_type, extension in _BEGINNINGS:
        if content.startswith(beginning) and (extension != "webp" or content[8:12] == b"WEBP"):
            return Image(content, media_type, extension)
    if _is_svg(content):
        return Image(content, "image/svg+xml", "svg")
    raise ValueError(f"{path} is not an SVG, PNG, JPEG or WebP image")


def _is_svg(content: bytes) -> bool:
    try:
        # The file is the operator's, and only its root element is read.
        return ElementTree.fromstring(content).tag == _SVG  # noqa: S314
    except (ElementTree.ParseError, ValueError, LookupError):
        # The parser does not support the declared encoding.
        return False


@lru_cache(maxsize=8)
def drawn_icon(purpose: str, size: int, ground: str, drawn: str) -> Image:
    """The icon for a `purpose` of the manifest, `any` or `maskable`, in two colours such as `#3e63dd`."""
    template = (FILES / f"{purpose}-{size}.png").read_bytes()
    begins = template.index(b"PLTE") - 4
    ends = begins + _LENGTH_AND_TYPE + struct.unpack_from(">I", template, begins)[0] + _CHECKSUM
    coloured = template[:begins] + chunk(b"PLTE", palette(ground, drawn)) + template[ends:]
    return Image(coloured, "image/png", "png")


def palette(ground: str, drawn: str) -> bytes:
    """The palette of an icon: shades from the background to the drawing, then transparencies of the background."""
    low, high = bytes.fromhex(ground[1:]), bytes.fromhex(drawn[1:])
    shades = (
        round(below + (above - below) * shade / (SHADES - 1))
        for shade in range(SHADES)
        for below, above in zip(low, high, strict=True)
    )
    return bytes(shades) + low * SHADES


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
