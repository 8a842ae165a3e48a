"""Fetching a document of a backend.

The request goes through the client's guarded transport. It has the requested range, and the backend's credential only
at the backend's own origin. A redirect is followed within that origin, and to origins that the operator named. The
first bytes of the document give its type; the server's Content-Type is not trusted.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx2

from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.documents.document_urls import Document, document_template, document_url
from chat_ui.protocol.errors import DocumentError
from chat_ui.protocol.reading.content_coding import ContentDecoder, coding_not_read
from chat_ui.protocol.reading.items import COMPLETE_PAGE
from chat_ui.protocol.translatable import Translatable, msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import connection_error
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.protocol.transport.outgoing import within_origin

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HEAD_BYTES: Final = 1024
_LONGEST_NUMBER: Final = 18
_CHARSET: Final = re.compile(r"charset=[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_RESPONSE_HEADERS: Final = ("content-length", "content-range", "accept-ranges", "etag", "last-modified")
_REQUEST_HEADERS: Final = ("range", "if-range", "if-none-match", "if-modified-since")


@dataclass(slots=True)
class Fetched:
    """A document on its way: the `status` (200, 206, 304 or 416), the `headers` to pass on, and the bytes.

    The caller iterates over `body` to its end or calls `aclose`. `body` raises DocumentError if the document is too
    large or stalls, and httpx2's errors if the connection breaks.
    """

    status: int
    headers: dict[str, str]
    body: AsyncIterator[bytes]
    response: httpx2.Response = field(repr=False)

    @property
    def charset(self) -> str:
        """The charset in the server's header, else empty."""
        named = _CHARSET.search(self.response.headers.get("content-type", ""))
        return named.group(1) if named else ""

    async def aclose(self) -> None:
        """Close the connection to the document's server."""
        await self.response.aclose()


async def fetch_document(
    client: AsyncClient,
    backend: Backend,
    document: Document,
    asked: Mapping[str, str],
    *,
    max_bytes: int,
    bounds: Bounds,
) -> Fetched:
    """Begin to fetch a document.

    Args:
        client: sends the request.
        backend: keeps the document; its headers go only to its own origin.
        document: the document.
        asked: the headers of the reader's request, whose range and validators are passed on.
        max_bytes: the largest document that is passed on.
        bounds: seconds to wait for the connection, the first byte and each next one.

    Raises:
        DocumentError: the document is unavailable, or not of the type in its name.
    """
    template = document_template(backend)
    if template is None:
        raise DocumentError(404, msg("This backend does not provide documents. Read the passages instead."))
    url = document_url(template, document)
    try:
        passed_on = {name: asked[name] for name in _REQUEST_HEADERS if name in asked}
        response = await get_within_origin(client.pinning_for(backend), url, passed_on, bounds, backend)
    except TimeoutError as error:
        words = msg("The document did not arrive within {seconds} s. Try again.", seconds=bounds.first_byte_timeout)
        raise DocumentError(504, words) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise DocumentError(502, connection_error(error, url, bounds).message) from error
    try:
        return await _fetched(response, document, max_bytes, bounds)
    except BaseException:
        await response.aclose()
        raise


async def get_within_origin(
    client: AsyncClient, url: str, headers: Mapping[str, str], bounds: Bounds, backend: Backend | None = None
) -> httpx2.Response:
    """The response to a GET, its body not read yet. A redirect is followed within the origin of `url`.

    For a document of `backend` a redirect is also followed to an origin that the operator named. The backend's headers
    go to its own origin, and nowhere after another origin was asked.

    Raises:
        TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError: without a response.
    """
    own = backend.headers if backend else {}

    async def get(target: httpx2.URL) -> httpx2.Response:
        nonlocal own
        if backend and origin_of(str(target)) != origin_of(backend.url):
            own = {}
        asked = {"Accept": "*/*", "Accept-Encoding": "identity", **own, **headers}
        request = client.http.build_request("GET", target, headers=asked)
        async with asyncio.timeout(bounds.first_byte_timeout):
            return await client.http.send(request, stream=True)

    return await within_origin(get, httpx2.URL(url), _REDIRECTS, *([client.trusts] if backend else []))


async def body_of(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The decompressed body of a response, in small pieces, between which other tasks run.

    Raises:
        DocumentError: the compression is damaged.
        httpx2.HTTPError: the connection broke.
    """
    coding = response.headers.get("content-encoding", "")
    if unread := coding_not_read(coding):
        words = msg(
            "{host} sent data compressed as {coding}, which was not requested.",
            host=response.url.host,
            coding=unread,
        )
        raise DocumentError(502, words)
    decoder = ContentDecoder(coding)
    try:
        async for chunk in response.aiter_raw():
            for piece in decoder.pieces(chunk):
                if piece:
                    yield piece
                await asyncio.sleep(0)
    except zlib.error as error:
        words = msg("{host} sent damaged data that cannot be decompressed. Try again later.", host=response.url.host)
        raise DocumentError(502, words) from error


async def _fetched(response: httpx2.Response, document: Document, max_bytes: int, bounds: Bounds) -> Fetched:
    headers = {name: response.headers[name] for name in _RESPONSE_HEADERS if name in response.headers}
    if response.status_code in {304, 416}:
        headers.pop("content-length", None)
        return Fetched(response.status_code, headers, _nothing(response), response)
    _check_status(response, document)
    if response.headers.get("content-encoding", "identity") != "identity":
        # The decoded body has another length, and a range would count encoded bytes.
        for name in ("content-length", "content-range", "accept-ranges"):
            headers.pop(name, None)
    size = _size(response)
    if size is not None and size > max_bytes:
        raise DocumentError(
            413,
            msg(
                "The document is {size}; documents over {most} are not opened here.",
                size=megabytes(size),
                most=megabytes(max_bytes),
            ),
        )
    chunks = body_of(response)
    head = b""
    if _is_from_start(response):
        try:
            while len(head) < _HEAD_BYTES and (chunk := await _next(chunks, bounds)) is not None:
                head += chunk
        except httpx2.HTTPError as error:
            raise DocumentError(502, connection_error(error, str(response.url), bounds).message) from error
        _check_beginning(head, document)
    if len(head) > max_bytes:
        raise _too_large(max_bytes)
    return Fetched(response.status_code, headers, _body(head, chunks, response, max_bytes, bounds), response)


def _check_status(response: httpx2.Response, document: Document) -> None:
    status = response.status_code
    if status in {200, 206}:
        return
    words = {
        401: msg("The backend requires a sign-in or a key for this document. Check the key in Backend settings."),
        403: msg("You do not have permission to open this document. Ask the backend's operator for access."),
        404: msg("The backend does not have a document called “{name}”.", name=document.name[:120]),
        410: msg("The document “{name}” was removed.", name=document.name[:120]),
        429: msg("The backend limits requests for documents at the moment. Try again later."),
    }.get(status)
    if words is None and response.has_redirect_location:
        words = _sent_elsewhere(response.url, response.url.join(response.headers["location"]))
    elif words is None and status >= 500:
        words = msg(
            "The backend failed to return this document (status {status}). Try again later.",
            status=str(status),
        )
    shown = status if status in {401, 403, 404, 410, 429} else 502
    other = msg("The backend did not return this document (status {status}).", status=str(status))
    raise DocumentError(shown, words or other)


def _sent_elsewhere(url: httpx2.URL, place: httpx2.URL) -> Translatable:
    if origin_of(str(place)) == origin_of(str(url)):
        return msg("This document redirects to another address, often a sign-in page.")
    return msg(
        "This document redirects to {origin}, often a sign-in page. If the document is there, the "
        "operator can allow that origin in {setting}.",
        origin=f"{place.scheme}://{place.netloc.decode('ascii')}"[:120],
        setting="CHAT_UI_BACKEND_ORIGINS",
    )


def _check_beginning(head: bytes, document: Document) -> None:
    """Check that the first bytes are those of such a document; often a web page comes in its place.

    Raises:
        DocumentError: they are not.
    """
    if document.kind not in {"html", "text"} and COMPLETE_PAGE.match(head):
        raise DocumentError(
            415, msg("The backend sent a web page in place of this document, often its sign-in or start page.")
        )
    if document.kind == "pdf" and b"%PDF-" not in head:
        raise DocumentError(415, msg("The file that the backend sent under this name is not a PDF."))


def _size(response: httpx2.Response) -> int | None:
    """The bytes of the whole document, if the response names them."""
    total = response.headers.get("content-range", "").rpartition("/")[2]
    length = total if total.isdecimal() else response.headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) <= _LONGEST_NUMBER else None


def _is_from_start(response: httpx2.Response) -> bool:
    if response.status_code == 200:
        return True
    match = re.match(r"bytes 0-(\d{1,18})/", response.headers.get("content-range", ""))
    return match is not None and int(match.group(1)) + 1 >= _HEAD_BYTES


async def _next(chunks: AsyncIterator[bytes], bounds: Bounds) -> bytes | None:
    try:
        async with asyncio.timeout(bounds.idle_timeout):
            return await anext(chunks, None)
    except TimeoutError as error:
        words = msg("The document stopped arriving: no data for {seconds} s. Try again.", seconds=bounds.idle_timeout)
        raise DocumentError(504, words) from error


async def _body(
    head: bytes, chunks: AsyncIterator[bytes], response: httpx2.Response, max_bytes: int, bounds: Bounds
) -> AsyncIterator[bytes]:
    sent = len(head)
    try:
        if head:
            yield head
        while (chunk := await _next(chunks, bounds)) is not None:
            sent += len(chunk)
            if sent > max_bytes:
                raise _too_large(max_bytes)
            yield chunk
    finally:
        await response.aclose()


def _too_large(max_bytes: int) -> DocumentError:
    return DocumentError(413, msg("The document is larger than the limit of {most}.", most=megabytes(max_bytes)))


async def _nothing(response: httpx2.Response) -> AsyncIterator[bytes]:
    await response.aclose()
    return
    yield b""


def megabytes(size: int) -> str:
    """A number of bytes for a person, such as `1.5 MB`."""
    if size >= 100_000:
        return msg("{size} MB", size=float(f"{size / 1_000_000:.3g}"))
    return msg("{size} kB", size=float(f"{size / 1000:.3g}"))
