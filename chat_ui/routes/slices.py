"""JSON of any size, made a little at a time, so that nobody else waits for all of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

_SLICE: Final = 16_384
"""Characters after which others get their turn."""


async def json_slices(value: Any) -> AsyncIterator[bytes]:
    """`value` as JSON, in pieces; what JSON has no form for is written as a string."""
    pieces: list[str] = []
    length = 0
    for piece in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
        pieces.append(piece)
        length += len(piece)
        if length > _SLICE or len(pieces) > _SLICE // 8:
            yield "".join(pieces).encode("utf-8", "replace")
            pieces, length = [], 0
            await asyncio.sleep(0)
    yield "".join(pieces).encode("utf-8", "replace")
