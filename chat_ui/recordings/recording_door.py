"""Recording what goes through a client: a transport around its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import httpx2

from chat_ui.protocol.transport.network_stream import NetworkStream
from chat_ui.protocol.transport.pace import Pace
from chat_ui.recordings.file_recorder import Recorder, Taking
from chat_ui.recordings.recording_format import NO_CONNECTION, NOTHING_CAME, How
from chat_ui.recordings.request_facts import RequestFacts, request_facts

_LONG: Final = 64 * 1024
"""Bytes of a request that are read for its question beside the loop."""


class RecordingTransport(httpx2.AsyncBaseTransport):
    """Sends requests through `inner`, uncompressed answers asked for, and records them and each reading of their
    answers with `recorder`. Readings follow no pace, so that each is recorded as it came. `is_second` is noted: that
    the requests are those of the second arm of a comparison.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, recorder: Recorder, *, is_second: bool = False) -> None:
        self._inner = inner
        self._recorder = recorder
        self._is_second = is_second

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["Accept-Encoding"] = "identity"
        taking = self._recorder.begin(replace(await _facts(request), is_second=self._is_second))
        started = time.perf_counter()
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            taking.ended(time.perf_counter() - started, "cut", NO_CONNECTION)
            raise
        except httpx2.TimeoutException:
            taking.ended(time.perf_counter() - started, "stopped", NOTHING_CAME)
            raise
        except httpx2.ReadError:
            taking.ended(time.perf_counter() - started, "reset")
            raise
        except asyncio.CancelledError:
            taking.ended(time.perf_counter() - started, "stopped", NOTHING_CAME)
            raise
        except BaseException:
            taking.ended(time.perf_counter() - started, "cut")
            raise
        taking.answered(response.status_code, response.headers, time.perf_counter() - started)
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise TypeError
        response.stream = _RecordedBody(response.stream, taking, started)
        if isinstance(connection := response.extensions.get("network_stream"), NetworkStream):
            response.extensions["network_stream"] = _Unpaced(connection)
        return response

    async def aclose(self) -> None:
        """Close the transport within; the recorder stays open."""
        await self._inner.aclose()


async def _facts(request: httpx2.Request) -> RequestFacts:
    body = await request.aread()
    facts = request.method, str(request.url), dict(request.headers), body
    return await asyncio.to_thread(request_facts, *facts) if len(body) > _LONG else request_facts(*facts)


class _Unpaced:
    """A connection whose reading follows no pace, whatever is said."""

    def __init__(self, connection: NetworkStream) -> None:
        self._connection = connection
        self.pace: Pace | None = None

    @property
    def read_timeout(self) -> float | None:
        return self._connection.read_timeout

    @read_timeout.setter
    def read_timeout(self, seconds: float | None) -> None:
        self._connection.read_timeout = seconds


class _RecordedBody(httpx2.AsyncByteStream):
    """The body of an answer, whose readings are recorded as they are given out."""

    def __init__(self, body: httpx2.AsyncByteStream, taking: Taking, started: float) -> None:
        self._body = body
        self._taking = taking
        self._started = started
        self._is_over = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._body:
                self._taking.reading(self._elapsed(), data)
                yield data
        except httpx2.TimeoutException:
            self._end("stopped", NOTHING_CAME)
            raise
        except httpx2.ReadError:
            self._end("reset")
            raise
        except httpx2.HTTPError:
            self._end("cut")
            raise
        self._end("end")

    async def aclose(self) -> None:
        self._end("stopped")
        await self._body.aclose()

    def _end(self, how: How, why: str = "") -> None:
        if not self._is_over:
            self._is_over = True
            self._taking.ended(self._elapsed(), how, why)

    def _elapsed(self) -> float:
        return time.perf_counter() - self._started
