"""The network under httpcore2's connections: reading at a pace, and connections that their server has left."""

from __future__ import annotations

import ssl
import time
from typing import Any, Final

import httpcore2

from chat_ui.protocol.transport.pace import Pace

_MUCH: Final = 8 * 1024
"""Bytes of one reading after which more is read at once: the pieces are large enough."""
_CLOSED_WITHIN: Final = 1.0
"""Seconds after a request within which a connection ends that was closed before it; a later end may be an answer."""


class LeftConnectionError(httpcore2.ReadError):
    """A connection that an earlier answer left open was closed as soon as something was sent on it.

    A server closes such a connection at any moment; of what is sent then it reads nothing.
    """


class NetworkStream(httpcore2.AsyncNetworkStream):
    """A connection whose reading follows `pace` while that is set.

    Each reading waits `read_timeout` seconds for something to come, in place of what httpcore2 says, and raises
    `httpcore2.ReadTimeout` after them. Reading raises `LeftConnectionError` where the server had closed the connection
    before the request.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._is_plenty = self._is_closed = False
        self._has_answered = self._is_asked = False
        self._asked_at = 0.0
        self.pace: Pace | None = None
        self.read_timeout: float | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore2's interface
        """The bytes that have come, up to `max_bytes`; none at the end."""
        if self.pace is not None and not self._is_plenty:
            await self.pace.wait()
        try:
            data = await self._stream.read(max_bytes, timeout if self.read_timeout is None else self.read_timeout)
        except httpcore2.ReadError as error:
            if self._was_left:
                raise LeftConnectionError from error
            raise
        if not data and self._was_left:
            raise LeftConnectionError
        if data:
            self._has_answered, self._is_asked = True, False
        self._is_plenty = len(data) >= _MUCH
        return data

    @property
    def _was_left(self) -> bool:
        """Whether the server had closed the connection before the request."""
        is_at_once = time.monotonic() - self._asked_at < _CLOSED_WITHIN
        return self._has_answered and self._is_asked and is_at_once and not self._is_closed

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore2's interface
        """Send all of `buffer`."""
        self._is_asked, self._asked_at = True, time.monotonic()
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        self._is_closed = True
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore2's interface
    ) -> httpcore2.AsyncNetworkStream:
        """The same connection under TLS."""
        return NetworkStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """A property of the connection underneath, as httpcore2 names it."""
        return self._stream.get_extra_info(info)
