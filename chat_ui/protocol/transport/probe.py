"""A bare request and its response, to find and judge a backend without a question."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx2

from chat_ui.protocol.answers.redaction import Secrets
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.reading.content_coding import ContentDecoder, coding_not_read
from chat_ui.protocol.reading.items import COMPLETE_PAGE
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.connection_errors import connection_error
from chat_ui.protocol.transport.throttle import small_parts

MAX_PROBE_BYTES: Final = 64 * 1024
_OF_LINES: Final = ("text/event-stream", "application/jsonl", "application/x-ndjson", "application/json-lines")
"""Types of streams, whose first line shows an answer."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The response to a request: `status` is None without an answer, and `error` says why.

    `body` has at most `MAX_PROBE_BYTES`, without sent credentials; header names are in lower case.
    """

    method: str
    url: str
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0
    error: ErrorInfo | None = None

    @property
    def allows_post(self) -> bool:
        """Whether the answer names POST among the methods of its resource."""
        named = self.headers.get("allow", "")
        return "POST" in {method.strip().upper() for method in named.split(",")}

    @property
    def is_page(self) -> bool:
        """Whether the body is an HTML page."""
        return COMPLETE_PAGE.match(self.body) is not None


async def send_probe(
    http: httpx2.AsyncClient,
    bounds: Bounds,
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes | AsyncIterator[bytes],
    most: int,
) -> Probe:
    """Send one request and read up to `most` bytes of its answer; redirects are not followed and nothing raises."""
    started = time.perf_counter()
    try:
        async with asyncio.timeout(bounds.first_byte_timeout):
            request = http.build_request(method, url, headers=dict(headers), content=body)
            response = await http.send(request, stream=True)
            try:
                read = await _beginning(response, most)
            finally:
                await response.aclose()
    except TimeoutError:
        words = msg("No answer within {seconds} s.", seconds=round(bounds.first_byte_timeout, 1))
        error = ErrorInfo(words, code="timeout")
        return Probe(method, url, seconds=time.perf_counter() - started, error=error)
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError, zlib.error) as problem:
        error = connection_error(problem, url, bounds)
        return Probe(method, url, seconds=time.perf_counter() - started, error=error)
    shown = bytes(read[:most])
    for secret in Secrets(headers, url).in_reports:
        shown = shown.replace(secret.encode(), "…".encode())
    elapsed = time.perf_counter() - started
    return Probe(method, url, response.status_code, dict(response.headers), shown, elapsed)


async def _beginning(response: httpx2.Response, most: int) -> bytearray:
    """The first `most` bytes of a body, or of a streamed answer its first lines; empty for an unknown coding.

    Raises:
        zlib.error: it is damaged.
    """
    read = bytearray()
    coding = response.headers.get("content-encoding", "")
    if coding_not_read(coding):
        return read
    decoder = ContentDecoder(coding)
    is_stream = response.headers.get("content-type", "").lower().startswith(_OF_LINES)
    is_answer = is_stream and response.request.method == "POST"
    async for chunk in response.aiter_raw():
        for part in small_parts(decoder.pieces(chunk)):
            read += part
            if len(read) >= most or (is_answer and b"\n" in read):
                return read
            await asyncio.sleep(0)
    return read
