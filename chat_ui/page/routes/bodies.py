"""Bodies: of requests, up to a size, and of responses that come piece by piece."""

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
"""Bytes: a write takes a thread, which costs more than the pieces that come."""


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


class Streamed(StreamingResponse):
    """The pieces of `body`, which is closed with the response, and `close` called, wherever the reader left it.

    Starlette leaves a generator as it is where the reader goes while a piece is on its way: what it holds, such as a
    connection or a place among those who follow, would be held until the garbage is collected.
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
