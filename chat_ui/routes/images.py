"""Images that an answer shows from somewhere else: fetched by the server, when their reader asks for one.

The browser is never sent to where an image is, so whoever serves it learns nothing of its reader, and only what stands
in the very answer can be asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.protocol.answer import Answer
from chat_ui.protocol.backend import Bounds
from chat_ui.protocol.client import Client
from chat_ui.protocol.document_fetch import DocumentError
from chat_ui.protocol.image_fetch import fetch_image
from chat_ui.rendering.answers import render_answer
from chat_ui.rendering.links import image_html, offers_image
from chat_ui.rendering.passages import passage_html
from chat_ui.rendering.thoughts import thought_html
from chat_ui.routes.owned import Answered, owned

MAX_BYTES: Final = 20_000_000
"""Bytes of one image."""
_BOUNDS: Final = Bounds(connect=5, first_byte=15)


class ImageRoutes:
    """The remote images of the answers in `conversations`; those of their thoughts only with `show_thoughts`."""

    def __init__(self, conversations: Conversations, client: Client, *, show_thoughts: bool = True) -> None:
        self._conversations = conversations
        self._client = client
        self._show_thoughts = show_thoughts

    def routes(self) -> list[Route]:
        """The routes, to be mounted under the path of the answers."""
        return [Route("/{answer}/image", owned(self._conversations, self._image))]

    async def _image(self, request: Request, generation: Answered) -> Response:
        url = request.query_params.get("url", "")
        headers = {"Cache-Control": "private, no-store"}
        if not await asyncio.to_thread(self._offers, generation.answer, url):
            return PlainTextResponse("This image is not part of the answer.", status_code=404, headers=headers)
        try:
            image = await fetch_image(self._client, url, max_bytes=MAX_BYTES, bounds=_BOUNDS)
        except DocumentError as error:
            return PlainTextResponse(error.message, status_code=error.status, headers=headers)
        return Response(image.data, media_type=image.media_type, headers=headers)

    def _offers(self, answer: Answer, url: str) -> bool:
        return any(offers_image(html, url) for html in self._shown(answer))

    def _shown(self, answer: Answer) -> Iterator[str]:
        """The HTML of every place of an answer in which an image may stand."""
        yield from render_answer(answer.text, answer.data_points).blocks
        for point in answer.data_points:
            yield image_html(point.image or "", "")
            yield passage_html(point.text)
        if self._show_thoughts:
            for number in range(len(answer.thoughts)):
                yield thought_html(answer, number)
