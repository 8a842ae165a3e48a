"""Bodies handed on by the reading from the network instead of by the chunk of HTTP.

Backends send a chunk for each token. httpcore's own way passes each through eight generators, which for two hundred
answers at once is a third of a core. What httpcore keeps to itself is used here, so its version is pinned.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import h11
import httpcore


class ConnectionPool(httpcore.AsyncConnectionPool):
    """httpcore's pool; what was read together from a connection comes together."""

    def create_connection(self, origin: httpcore.Origin) -> httpcore.AsyncConnectionInterface:
        """A connection to `origin`, not yet open."""
        return _Connection(
            origin=origin,
            ssl_context=self._ssl_context,
            keepalive_expiry=self._keepalive_expiry,
            network_backend=self._network_backend,
        )


class _Connection(httpcore.AsyncHTTPConnection):
    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        async with self._request_lock:
            if self._connection is None:
                try:
                    stream = await self._connect(request)
                except BaseException:
                    self._connect_failed = True
                    raise
                self._connection = _Http11Connection(self._origin, stream, self._keepalive_expiry)
        return await super().handle_async_request(request)


class _Http11Connection(httpcore.AsyncHTTP11Connection):
    async def _receive_response_body(self, request: httpcore.Request) -> AsyncIterator[bytes]:
        timeout = request.extensions.get("timeout", {}).get("read")
        while isinstance(first := await self._receive_event(timeout=timeout), h11.Data):
            chunks = [first.data]
            broken: h11.RemoteProtocolError | None = None
            try:
                while isinstance(following := self._h11_state.next_event(), h11.Data):
                    chunks.append(following.data)
            except h11.RemoteProtocolError as error:
                broken = error
            yield b"".join(chunks)
            if broken is not None:
                raise httpcore.RemoteProtocolError(broken) from broken
            if following is not h11.NEED_DATA:
                return
