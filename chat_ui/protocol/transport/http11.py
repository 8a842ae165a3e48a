"""Bodies passed on by the reading from the network instead of by the chunk of HTTP.

Backends send a chunk for each token. h11 makes an event of each, and httpcore2 passes each through eight generators.
For two hundred answers at once this takes a good part of a core. The module uses private parts of both, so it serves
only the versions that `outgoing` names.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator

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
    async def _receive_response_body(self, request: httpcore2.Request) -> AsyncGenerator[bytes]:
        """Give out the whole chunks, joined; h11 reads everything else."""
        state, timeout = self._h11_state, request.extensions.get("timeout", {}).get("read")
        reader = state._reader if isinstance(state._reader, ChunkedReader) else None
        while True:
            if reader is not None and (data := complete_chunks(reader, state._receive_buffer)):
                yield data
            if reader is not None and not state._receive_buffer:
                received = await self._network_stream.read(self.READ_NUM_BYTES, timeout)
                state.receive_data(received)
                reader = reader if received else None
                continue
            event = await self._receive_event(timeout)
            if not isinstance(event, h11.Data):
                return
            yield bytes(event.data)

    async def _response_closed(self) -> None:
        """Keep the connection for the next request, or close it.

        Bytes after the end of an answer belong to no request (RFC 9112, 9.2). Read on, they would answer the next
        question, perhaps of another person.
        """
        surplus, _ = self._h11_state.trailing_data
        if surplus:
            await self.aclose()
        else:
            await super()._response_closed()


def complete_chunks(reader: ChunkedReader, buffer: ReceiveBuffer) -> bytes:
    """The data of the whole chunks at the beginning of `buffer`, taken from it as `reader` would."""
    if reader._bytes_in_chunk or reader._reading_trailer:
        return b""
    data, at = buffer._data, len(reader._bytes_to_discard)
    if not data.startswith(reader._bytes_to_discard):
        return b""
    chunks: list[bytearray] = []
    while head := _CHUNK_HEAD.match(data, at):
        start = head.end()
        end = start + int(head.group(1), 16)
        if end == start or not data.startswith(_CHUNK_END, end):
            break
        chunks.append(data[start:end])
        at = end + len(_CHUNK_END)
    if chunks:
        buffer._extract(at)
        reader._bytes_to_discard = b""
    return b"".join(chunks)
