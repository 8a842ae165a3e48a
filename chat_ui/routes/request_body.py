"""The body of a request, up to a size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from anyio import open_file
from starlette.requests import Request

_WRITTEN_TOGETHER: Final = 512 * 1024
"""Bytes: a write takes a thread, which costs more than the pieces that come."""


class TooLargeError(Exception):
    """A body is larger than it may be."""


async def bytes_of(request: Request, most: int) -> bytes:
    """The body; of one with more than `most` bytes, a beginning that has more than that too."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > most:
            break
    return bytes(data)


async def json_of(request: Request, most: int) -> Any:
    """The value that the body is in JSON; None for one that is none, or has more than `most` bytes."""
    data = await bytes_of(request, most)
    try:
        return json.loads(data) if len(data) <= most else None
    except (ValueError, RecursionError):
        return None


async def save(request: Request, path: Path, most: int) -> int:
    """Write the body to a file as it comes; its size in bytes.

    Raises:
        OSError: the file cannot be written.
        TooLargeError: the body has more than `most` bytes.
    """
    size, unwritten = 0, bytearray()
    async with await open_file(path, "wb") as file:
        async for piece in request.stream():
            size += len(piece)
            if size > most:
                raise TooLargeError
            unwritten += piece
            if len(unwritten) >= _WRITTEN_TOGETHER:
                await file.write(unwritten)
                unwritten = bytearray()
        await file.write(unwritten)
    return size
