"""Responses that come piece by piece."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send


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
