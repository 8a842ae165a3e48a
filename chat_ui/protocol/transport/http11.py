"""Bodies handed on by the reading from the network instead of by the chunk of HTTP.

Backends send a chunk for each token. h11's own way makes an event of each, and httpcore2's passes each through eight
generators, which for two hundred answers at once is a good part of a core. What the two keep to themselves is used
here, so this module serves the versions alone that `outgoing` names.
"""

from __future__ import annotations

import re

import h11
import httpcore2
from h11._readers import ChunkedReader
from h11._receivebuffer import ReceiveBuffer

_CHUNK_HEAD = re.compile(rb"([0-9A-Fa-f]{1,15})\r\n")
_CHUNK_END = b"\r\n"


class ConnectionPool(httpcore2.AsyncConnectionPool):
    """httpcore2's pool; bytes read together from a connection come together."""

    def create_connection(self, origin: httpcore2.Origin) -> httpcore2.AsyncConnectionInterface:
        """A connection to `origin`, not yet open."""
        return _Connection(
            origin=origin,
            ssl_context=self._ssl_context,
            keepalive_expiry=self._keepalive_expiry,
            network_backend=self._network_backend,
        )


class _Connection(httpcore2.AsyncHTTPConnection):
    async def handle_async_request(self, request: httpcore2.Request) -> httpcore2.Response:
        async with self._request_lock:
            if self._connection is None:
                try:
                    stream = await self._connect(request)
                except BaseException:
                    self._connect_failed = True
                    raise
                self._connection = _Http11Connection(self._origin, stream, self._keepalive_expiry)
        return await super().handle_async_request(request)


class _Http11Connection(httpcore2.AsyncHTTP11Connection):
    async def _receive_response_headers(
        self, request: httpcore2.Request
    ) -> tuple[bytes, int, bytes, list[tuple[bytes, bytes]], bytes]:
        received = await super()._receive_response_headers(request)
        if type(self._h11_state._reader) is ChunkedReader:
            self._h11_state._reader = WholeChunks()
        return received

    async def _response_closed(self) -> None:
        """Keep the connection for the next request, or close it.

        Bytes after the end of an answer that was not asked for belong to no request (RFC 9112, 9.2): read on, they
        would be the answer to the next question, which may be another person's.
        """
        surplus, _ = self._h11_state.trailing_data
        if surplus:
            await self.aclose()
        else:
            await super()._response_closed()


class WholeChunks(ChunkedReader):
    """h11's reader of chunked bodies, which takes chunks that have come whole together; all else is h11's to read."""

    def __call__(self, buffer: ReceiveBuffer) -> h11.Data | h11.EndOfMessage | None:
        """The next event of the body, None when more bytes are needed."""
        together = None if self._bytes_in_chunk or self._reading_trailer else self._take_whole(buffer)
        return together or super().__call__(buffer)

    def _take_whole(self, buffer: ReceiveBuffer) -> h11.Data | None:
        data, at = buffer._data, 0
        if self._bytes_to_discard:
            if not data.startswith(self._bytes_to_discard):
                return None
            at = len(self._bytes_to_discard)
        chunks: list[bytearray] = []
        while head := _CHUNK_HEAD.match(data, at):
            start = head.end()
            end = start + int(head.group(1), 16)
            if end == start or not data.startswith(_CHUNK_END, end):
                break
            chunks.append(data[start:end])
            at = end + len(_CHUNK_END)
        if not chunks:
            return None
        buffer._extract(at)
        self._bytes_to_discard = b""
        return h11.Data(data=b"".join(chunks))
