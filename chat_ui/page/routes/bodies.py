"""Request bodies with a maximum size, and streamed response bodies."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from anyio import open_file
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from chat_ui.errors import TooLargeError

_WRITTEN_TOGETHER: Final = 512 * 1024
"""Bytes of a write, which takes a thread and so costs more than single pieces."""


async def bytes_of(request: Request, most: int) -> bytes:
    """The body, truncated after `most` bytes but longer than `most` if it was."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > most:
            break
    return bytes(data)


async def json_of(request: Request, most: int) -> Any:
    """The JSON value of the body; None if invalid or larger than `most` bytes."""
    data = await bytes_of(request, most)
    try:
        return json.loads(data) if len(data) <= most else None
    except (ValueError, RecursionError):
        return None


async def save(request: Request, path: Path, most: int) -> int:
    """Stream the body to a file, and return its size in bytes.

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


class Streamed(StreamingResponse):
    """The chunks of `body`, which is closed at the end of the response, and `close` is called. At a disconnect within a
    chunk, Starlette leaves a generator and its resources to garbage collection.
    """

    def __init__(
        self,
        body: AsyncGenerator[bytes, None],
        *,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
        close: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        super().__init__(body, status_code, headers, media_type)
        self._body = body
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._body.aclose()
            if self._close is not None:
                await self._close()
