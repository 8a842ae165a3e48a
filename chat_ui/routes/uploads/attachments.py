"""Images that go with questions: `POST /?name=NAME` takes one as its body and tells its id, `GET /ID` gives it back.

Each belongs to the person who sent it, and is not there for anybody else.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.people.attached_images import MOST_BYTES, AttachmentError, Attachments
from chat_ui.protocol.translatable import msg
from chat_ui.routes.owned import for_person, said
from chat_ui.routes.request_body import bytes_of

_HEADERS: Final = {"Cache-Control": "private, max-age=3600", "X-Content-Type-Options": "nosniff"}


class AttachmentRoutes:
    def __init__(self, attachments: Attachments) -> None:
        self._attachments = attachments

    def routes(self) -> list[Route]:
        return [
            Route("/", for_person(self._take), methods=["POST"]),
            Route("/{attachment}", for_person(self._give), methods=["GET"]),
        ]

    async def _take(self, request: Request, person: str) -> Response:
        data = await bytes_of(request, MOST_BYTES)
        try:
            kept = await self._attachments.keep(person, request.query_params.get("name", ""), data)
        except AttachmentError as problem:
            return said(str(problem), 413 if len(data) > MOST_BYTES else 415)
        return JSONResponse({"id": kept.id}, status_code=201)

    async def _give(self, request: Request, person: str) -> Response:
        kept = await self._attachments.find(person, request.path_params["attachment"])
        if kept is None:
            return said(msg("There is no such image, or not any more."), 404)
        return Response(kept.file.data, media_type=kept.file.media_type, headers=_HEADERS)
