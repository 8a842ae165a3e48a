"""Fetching a remote image of an answer, at its reader's request.

The request goes through the client's guarded transport, without a credential or a cookie.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

import httpx2

from chat_ui.protocol.answers.pictures import image_type
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.documents.document_fetch import body_of, get_within_origin, megabytes
from chat_ui.protocol.errors import DocumentError
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import connection_error

_SECONDS: Final = 30.0
"""Seconds that a whole image may take."""


@dataclass(frozen=True, slots=True)
class FetchedImage:
    """The bytes of an image and their type, found in the bytes themselves."""

    data: bytes
    media_type: str


async def fetch_image(client: AsyncClient, url: str, *, max_bytes: int, bounds: Bounds) -> FetchedImage:
    """The PNG, JPEG, GIF or WebP image at `url`, of at most `max_bytes`.

    Raises:
        DocumentError: it is unavailable, or not such an image.
    """
    try:
        host = httpx2.URL(url).host
        async with asyncio.timeout(_SECONDS):
            response = await get_within_origin(client, url, {}, bounds)
            try:
                return await _image(response, host, max_bytes)
            finally:
                await response.aclose()
    except TimeoutError as error:
        words = msg("{host} did not send this image in time. Try again later.", host=host)
        raise DocumentError(504, words) from error
    except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise DocumentError(502, connection_error(error, url, bounds).message) from error


async def _image(response: httpx2.Response, host: str, max_bytes: int) -> FetchedImage:
    if response.has_redirect_location:
        words = msg("{host} redirects this image to another address, which is not followed.", host=host)
        raise DocumentError(502, words)
    if response.status_code != 200:
        status = str(response.status_code)
        raise DocumentError(502, msg("{host} did not return this image (status {status}).", host=host, status=status))
    data = bytearray()
    async for chunk in body_of(response):
        data += chunk
        if len(data) > max_bytes:
            words = msg("The image is larger than the limit of {most}.", most=megabytes(max_bytes))
            raise DocumentError(413, words)
    media_type = image_type(bytes(data))
    if media_type is None:
        words = msg("{host} did not send a PNG, JPEG, GIF or WebP image, so it is not shown.", host=host)
        raise DocumentError(415, words)
    return FetchedImage(bytes(data), media_type)
