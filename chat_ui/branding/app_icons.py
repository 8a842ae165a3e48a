"""Icons of the installed app: PNG images of the drawing in any accent.

The files in `icons` are drawn once (`python -m tools.app_icons`), with a palette of shades between the ground and the
drawing, then of the ground as it fades into the corner. An accent is another palette for the same pixels, so nothing is
drawn while the server runs.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Final

from chat_ui.branding.logos import Image

SIZES: Final = (192, 512)
SHADES: Final = 128
"""Shades from the ground to the drawing, and as many of the ground from nothing to all of it."""
FILES: Final = Path(__file__).with_name("icons")
SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_LENGTH_AND_TYPE: Final = 8
_CHECKSUM: Final = 4


@lru_cache(maxsize=8)
def drawn_icon(purpose: str, size: int, ground: str, drawn: str) -> Image:
    """The icon for a `purpose` of the manifest, `any` or `maskable`, in two colours such as `#3e63dd`."""
    template = (FILES / f"{purpose}-{size}.png").read_bytes()
    begins = template.index(b"PLTE") - 4
    ends = begins + _LENGTH_AND_TYPE + struct.unpack_from(">I", template, begins)[0] + _CHECKSUM
    coloured = template[:begins] + chunk(b"PLTE", palette(ground, drawn)) + template[ends:]
    return Image(coloured, "image/png", "png")


def palette(ground: str, drawn: str) -> bytes:
    """The colours of an icon: shades from the ground to the drawing, then the ground again for each transparency."""
    low, high = bytes.fromhex(ground[1:]), bytes.fromhex(drawn[1:])
    shades = (
        round(below + (above - below) * shade / (SHADES - 1))
        for shade in range(SHADES)
        for below, above in zip(low, high, strict=True)
    )
    return bytes(shades) + low * SHADES


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
