"""The exchange of an answer: the inspector's lines, and the same request for curl.

Found by the answer's id and only for the person it belongs to; remembered for the newest answers of this process.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.recent_exchanges import Exchanged, Inspections
from chat_ui.conversations.people.person import person_of
from chat_ui.protocol.backends.curl import curl_command
from chat_ui.protocol.backends.request import UnsendableError
from chat_ui.rendering.panels.inspector import inspector_html

_PRIVATE = {"Cache-Control": "private, no-store"}
_FORGOTTEN = "What travelled is remembered for the newest answers alone, until the server restarts."


class InspectionRoutes:
    """The HTTP resources of `inspections`, for the owners of `conversations`."""

    def __init__(self, conversations: Conversations, inspections: Inspections) -> None:
        self._conversations = conversations
        self._inspections = inspections

    def routes(self) -> list[Route]:
        """The routes, to be mounted beside those of the answers."""
        return [Route("/{answer}/wire", self._wire), Route("/{answer}/curl", self._curl)]

    async def _wire(self, request: Request) -> Response:
        exchanged = await self._exchanged(request)
        if exchanged is None:
            return HTMLResponse(f"<p>{_FORGOTTEN}</p>", headers=_PRIVATE)
        generation = await self._conversations.answer(*_asked(request))
        if generation is None:
            return _not_found()
        return HTMLResponse(inspector_html(exchanged.recorder.record(), generation.answer), headers=_PRIVATE)

    async def _curl(self, request: Request) -> Response:
        exchanged = await self._exchanged(request)
        if exchanged is None:
            return _not_found()
        try:
            command = curl_command(exchanged.backend, exchanged.request)
        except UnsendableError as problem:
            return PlainTextResponse(str(problem), status_code=422)
        return PlainTextResponse(command, headers=_PRIVATE)

    async def _exchanged(self, request: Request) -> Exchanged | None:
        person, answer = _asked(request)
        if not person or await self._conversations.answer(person, answer) is None:
            return None
        return self._inspections.get(answer)


def _asked(request: Request) -> tuple[str, str]:
    return person_of(request), request.path_params["answer"]


def _not_found() -> Response:
    return PlainTextResponse("There is no such answer.", status_code=404)
