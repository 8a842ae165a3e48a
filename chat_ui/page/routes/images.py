"""Attached files of questions, and remote images of answers.

The server fetches remote images on request, and only those of the answer. The browser never contacts the image's
server, so it does not learn of the reader.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import partial
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.people.attached_images import MOST_FILE_BYTES, Attachments
from chat_ui.errors import AttachmentError, NotOnOfferError, VaultError
from chat_ui.page.routes.bodies import bytes_of
from chat_ui.page.routes.documents import FindBackend, FindClient
from chat_ui.page.routes.owned import NO_STORE, for_person, owned, status_of, text_response
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.documents.image_fetch import fetch_image
from chat_ui.protocol.errors import DocumentError, RecordingError
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.rendering.html.image_html import pictures_html
from chat_ui.rendering.panels.steps import MOST_THOUGHTS
from chat_ui.rendering.panels.thoughts import thought_images
from chat_ui.rendering.resources import has_image
from chat_ui.server.renderings import Renderings

MAX_BYTES: Final = 20_000_000
"""Bytes of an image."""
_BOUNDS: Final = Bounds(connect_timeout=5, first_byte_timeout=15)
_ANYWHERE: Final = Backend("")
"""Images of live answers may be on any host."""
_HEADERS: Final = {"Cache-Control": "private, max-age=3600"}


class ImageRoutes:
    """The pictures and the remote images of the answers in `conversations`; those of their thoughts only with
    `show_thoughts`.
    """

    def __init__(
        self,
        conversations: Conversations,
        find_client: FindClient,
        find_backend: FindBackend,
        renderings: Renderings,
        *,
        show_thoughts: bool = True,
    ) -> None:
        self._conversations = conversations
        self._renderings = renderings
        self._find_client = find_client
        self._find_backend = find_backend
        self._show_thoughts = show_thoughts

    def routes(self) -> list[Route]:
        return [
            Route("/{answer}/image", owned(self._conversations, self._image)),
            Route("/{answer}/pictures", owned(self._conversations, self._pictures)),
            Route("/{answer}/pictures/{picture}", owned(self._conversations, self._picture)),
        ]

    async def _pictures(self, request: Request, person: str, generation: Generation) -> Response:
        """The pictures of an answer, as HTML."""
        status, pictures = status_of(generation), generation.answer.pictures
        found = await self._conversations.attachments.find_all(person, [one.key for one in pictures])
        kept = {one.id for one in found}
        path = request.url.path
        addresses = {one.key: f"{path}/{quote(one.id)}?{one.version}" for one in pictures if one.key in kept}
        return HTMLResponse(pictures_html(pictures, addresses, with_buttons=True), headers=NO_STORE | status)

    async def _picture(self, request: Request, person: str, generation: Generation) -> Response:
        named = (one for one in generation.answer.pictures if one.id == request.path_params["picture"])
        picture = next(named, None)
        kept = await self._conversations.attachments.find(person, picture.key) if picture else None
        if kept is None:
            return text_response(msg("Image not found."), 404)
        return Response(kept.file.data, media_type=kept.file.media_type, headers=_HEADERS)

    async def _image(self, request: Request, person: str, generation: Generation) -> Response:
        url = request.query_params.get("url", "")
        headers = {"Cache-Control": "private, no-store"}
        if not await self._offers(person, generation, url):
            return text_response(msg("This image is not part of the answer."), 404, headers)
        try:
            client = await self._client(generation, person)
            image = await fetch_image(client, url, max_bytes=MAX_BYTES, bounds=_BOUNDS)
        except DocumentError as error:
            return text_response(error.message, error.status, headers)
        return Response(image.data, media_type=image.media_type, headers=headers)

    async def _client(self, generation: Generation, person: str) -> AsyncClient:
        """The client that fetches an image: the recording's if it answered.

        Raises:
            DocumentError: the recording is gone or not offered.
        """
        backend: Backend | None = _ANYWHERE
        try:
            if generation.asked_of.get("recording"):
                backend = await self._find_backend(generation.asked_of, person)
            if backend is None:
                raise NotOnOfferError
            return await self._find_client(backend)
        except (RecordingError, VaultError, ValueError) as problem:
            raise DocumentError(410, str(problem)) from problem

    async def _offers(self, person: str, generation: Generation, url: str) -> bool:
        if await self._renderings.make(person, generation, partial(has_image, url=url)):
            return True
        for number in range(min(len(generation.answer.thoughts), MOST_THOUGHTS) if self._show_thoughts else 0):
            if url in thought_images(generation.answer, number):
                return True
            await asyncio.sleep(0)
        return False


class AttachmentRoutes:
    """A person's files: `POST /?name=NAME` stores the body and returns its `ImageName`. `GET /ID` serves it, as a
    download unless it is an image.
    """

    def __init__(self, attachments: Attachments) -> None:
        self._attachments = attachments

    def routes(self) -> list[Route]:
        return [
            Route("/", for_person(self._take), methods=["POST"]),
            Route("/{attachment}", for_person(self._give), methods=["GET"]),
        ]

    async def _take(self, request: Request, person: str) -> Response:
        data = await bytes_of(request, MOST_FILE_BYTES)
        try:
            kept = await self._attachments.keep(person, request.query_params.get("name", ""), data)
        except AttachmentError as problem:
            return text_response(str(problem), 413 if data else 415)
        return JSONResponse(asdict(kept.named), status_code=201)

    async def _give(self, request: Request, person: str) -> Response:
        kept = await self._attachments.find(person, request.path_params["attachment"])
        if kept is None:
            return text_response(msg("Image not found."), 404)
        headers = dict(_HEADERS)
        if not kept.file.media_type.startswith("image/"):
            headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(kept.file.name, safe='')}"
        return Response(kept.file.data, media_type=kept.file.media_type, headers=headers)
