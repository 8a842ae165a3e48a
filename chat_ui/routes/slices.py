"""Bodies of any length, sent a little at a time, so that nobody else waits for all of one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final

from starlette.responses import Response, StreamingResponse

SLICE: Final = 256 * 1024
"""Bytes after which others have their turn."""


def sent(content: bytes, headers: Mapping[str, str], media_type: str = "text/html") -> Response:
    """A response with this body."""
    if len(content) <= SLICE:
        return Response(content, headers=headers, media_type=media_type)
    sized = {**headers, "Content-Length": str(len(content))}
    return StreamingResponse(_slices(content), headers=sized, media_type=media_type)


async def _slices(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), SLICE):
        yield content[start : start + SLICE]
        await asyncio.sleep(0)
