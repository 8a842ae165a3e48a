"""The exchange of an answer: the inspector's lines, and the same request for curl.

Found by the answer's id and only for the person it belongs to; remembered for the newest answers of this process.
"""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.recent_exchanges import Exchanged, Inspections
from chat_ui.conversations.people.person import person_of
from chat_ui.languages.translation import gettext
from chat_ui.protocol.backends.curl import curl_command
from chat_ui.protocol.backends.request import UnsendableError
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.panels.inspector import inspector_html
from chat_ui.routes.owned import said, status_of

_PRIVATE = {"Cache-Control": "private, no-store"}
_FORGOTTEN = msg("What travelled is remembered for the newest answers alone, until the server restarts.")


class InspectionRoutes:
    def __init__(self, conversations: Conversations, inspections: Inspections) -> None:
        self._conversations = conversations
        self._inspections = inspections

    def routes(self) -> list[Route]:
        return [Route("/{answer}/wire", self._wire), Route("/{answer}/curl", self._curl)]

    async def _wire(self, request: Request) -> Response:
        if (found := await self._find(request)) is None:
            return HTMLResponse(f"<p>{escape(gettext(_FORGOTTEN))}</p>", headers=_PRIVATE)
        generation, exchanged = found
        html = inspector_html(exchanged.recorder.record(), generation.answer)
        return HTMLResponse(html, headers=_PRIVATE | status_of(generation))

    async def _curl(self, request: Request) -> Response:
        if (found := await self._find(request)) is None:
            return said(msg("There is no such answer."), 404)
        _, exchanged = found
        try:
            command = curl_command(exchanged.backend, exchanged.request)
        except UnsendableError as problem:
            return said(str(problem), 422)
        return said(command, 200, _PRIVATE)

    async def _find(self, request: Request) -> tuple[Generation, Exchanged] | None:
        """The person's answer that the path names, with its exchange while that is remembered."""
        person, answer = person_of(request), request.path_params["answer"]
        generation = await self._conversations.answer(person, answer) if person else None
        exchanged = self._inspections.get(answer)
        return (generation, exchanged) if generation is not None and exchanged is not None else None
