"""A connection to a backend, read straight from its socket under a throttle: all waiting bytes are one reading."""

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
"""Bytes of one reading after which the next follows at once: the pieces are large enough."""
_LAST_CHUNK: Final = b"0\r\n\r\n"
_CLOSED_WITHIN: Final = 1.0
"""Seconds after a request in which an earlier close of the connection shows; a later end may be an answer."""


class _LeftConnectionError(httpcore2.ReadError):
    """A connection that an earlier answer left open was closed at the next request.

    A server closes such a connection at any moment, and does not read the request.
    """


class NetworkStream(httpcore2.AsyncNetworkStream):
    """A connection whose reading follows `throttle` while that is set.

    Each reading waits `read_timeout` seconds for bytes, in place of httpcore2's timeout, and then raises
    `httpcore2.ReadTimeout`. See `was_left` for a server that had closed the connection before the request.
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
        """The waiting bytes, up to `max_bytes`; empty at the end."""
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
        """The waiting unencrypted bytes; empty without any, also at the end."""
        with suppress(BlockingIOError):
            return self._plain.recv(max_bytes, flags) if self._plain else b""
        return b""

    def _decrypted(self, most: int) -> bytes:
        """The records of TLS that came with the first one: a token has a record to itself."""
        records: list[bytes] = []
        with suppress(ssl.SSLError):
            # An error stays for the next reading.
            while self._tls and most > 0 and (record := self._tls.read(most)):
                records.append(record)
                most -= len(record)
        return b"".join(records)

    def _has_end(self) -> bool:
        """Whether the waiting bytes end a chunked body; unknown, and False, if encrypted."""
        with suppress(OSError):
            return self._waiting(_MUCH, socket.MSG_PEEK).endswith(_LAST_CHUNK)
        # Reading will raise it.
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
        """A property of the underlying connection, as httpcore2 names it."""
        return self._stream.get_extra_info(info)


def was_left(error: BaseException | None) -> bool:
    """Whether a reading raised this because the server had closed the connection before the request."""
    return isinstance(error, _LeftConnectionError)


async def read_directly(stream: httpcore2.AsyncNetworkStream) -> NetworkStream:
    """The connection of the unread `stream`, which is closed.

    Its bytes bypass the event loop's transports, by anyio's stream for UNIX sockets, which works for a socket of TCP
    too.
    """
    connected = stream.get_extra_info("socket").dup()
    await stream.aclose()
    return NetworkStream(AnyIOStream(UNIXSocketStream(connected)))
