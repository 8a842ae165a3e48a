"""The operator's logo as an address that the page can show without a further request."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Final

_TYPES: Final = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}


def logo_address(path: Path) -> str:
    """The image in `path` as a data URL.

    Raises:
        OSError: it cannot be read.
        ValueError: its extension is that of no image.
    """
    media_type = _TYPES.get(path.suffix.lower())
    if media_type is None:
        raise ValueError(f"{path} is no image that can be a logo; those end in {', '.join(_TYPES)}.")
    return f"data:{media_type};base64,{base64.b64encode(path.read_bytes()).decode()}"
