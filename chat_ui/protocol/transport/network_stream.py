"""A connection to a backend, read straight from its socket under a throttle: all that has come is one reading."""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import suppress
from typing import Any, Final

import httpcore2
from anyio._backends._asyncio import UNIXSocketStream
from httpcore2._backends.anyio import AnyIOStream

from chat_ui.protocol.transport.throttle import Throttle

_MUCH: Final = 8 * 1024
"""Bytes of one reading after which more is read at once: the pieces are large enough."""
_LAST_CHUNK: Final = b"0\r\n\r\n"
_CLOSED_WITHIN: Final = 1.0
"""Seconds after a request within which a connection ends that was closed before it; a later end may be an answer."""


class _LeftConnectionError(httpcore2.ReadError):
    """A connection that an earlier answer left open was closed as soon as something was sent on it.

    A server closes such a connection at any moment; of what is sent then it reads nothing.
    """


class NetworkStream(httpcore2.AsyncNetworkStream):
    """A connection whose reading follows `throttle` while that is set.

    Each reading waits `read_timeout` seconds for something to come, in place of what httpcore2 says, and raises
    `httpcore2.ReadTimeout` after them. See `was_left` for a server that had closed the connection before the
    request.
    """

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._tls: ssl.SSLObject | None = stream.get_extra_info("ssl_object")
        self._plain: socket.socket | None = None if self._tls else stream.get_extra_info("socket")
        self._is_plenty = self._is_closed = False
        self._has_answered = self._is_asked = False
        self._asked_at = self._throttled_since = 0.0
        self.throttle: Throttle | None = None
        self.read_timeout: float | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore2's interface
        """The bytes that have come, up to `max_bytes`; none at the end."""
        data = b""
        try:
            if self.throttle is not None and not self._is_plenty:
                await self.throttle.wait(time.monotonic() - self._throttled_since, self._has_end)
                data = self._waiting(max_bytes)
            if not data:
                data = await self._stream.read(max_bytes, timeout if self.read_timeout is None else self.read_timeout)
                data += self._decrypted(max_bytes - len(data))
        except (httpcore2.ReadError, OSError) as error:
            raise (_LeftConnectionError if self._was_left else httpcore2.ReadError) from error
        if not data and self._was_left:
            raise _LeftConnectionError
        if data:
            self._has_answered, self._is_asked = True, False
        if self.throttle is None:
            self._throttled_since = time.monotonic()
        self._is_plenty = len(data) >= _MUCH
        return data

    def _waiting(self, max_bytes: int, flags: int = 0) -> bytes:
        """Bytes that have come, where they are not encrypted; empty where nothing has, or will."""
        with suppress(BlockingIOError):
            return self._plain.recv(max_bytes, flags) if self._plain else b""
        return b""

    def _decrypted(self, most: int) -> bytes:
        """The records of TLS that came together with the one that was read: a token has one of its own."""
        records: list[bytes] = []
        with suppress(ssl.SSLError):
            # An error stays for the next reading.
            while self._tls and most > 0 and (record := self._tls.read(most)):
                records.append(record)
                most -= len(record)
        return b"".join(records)

    def _has_end(self) -> bool:
        """Whether what waits to be read ends a chunked body; of one that is encrypted that cannot be seen."""
        with suppress(OSError):
            return self._waiting(_MUCH, socket.MSG_PEEK).endswith(_LAST_CHUNK)
        # Reading will say why.
        return False

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
        with suppress(OSError):
            # A connection that is closed over unread bytes is reset, which is an error to a backend.
            self._waiting(_MUCH)
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


def was_left(error: BaseException | None) -> bool:
    """Whether a reading raised this because the server had closed the connection before the request."""
    return isinstance(error, _LeftConnectionError)


async def read_directly(stream: httpcore2.AsyncNetworkStream) -> NetworkStream:
    """The connection of `stream`, which nothing was read from; `stream` is closed.

    Its bytes go through no transport of the event loop: of anyio's streams that is the one for UNIX sockets, which does
    nothing that a socket of TCP does not.
    """
    connected = stream.get_extra_info("socket").dup()
    await stream.aclose()
    return NetworkStream(AnyIOStream(UNIXSocketStream(connected)))
