"""What a person thinks of an answer, to read, to say and to take back.

Mounted where answers are. `GET /ANSWER/feedback` is `{"rating": "good" | "bad" | null, "reasons": [NAME], "comment",
"doubted": [{"use", "comment"}]}`, and so is what each change answers. `PUT` takes `{"rating", "reasons"?, "comment"?}`;
without a comment the one that is there stays. `DELETE` takes that back. `PUT /ANSWER/feedback/citations/USE` takes
`{"comment"?}`: the passage of that citation does not say what it is cited for. `USE` is its index among the citations
in the text, from 0. `DELETE` takes that back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.people.limits import LimitReachedError
from chat_ui.conversations.records.feedback import (
    LONGEST_COMMENT,
    LONGEST_NAME,
    MOST_DOUBTED,
    DoubtedCitation,
    Feedback,
    Rating,
    Reason,
    TooManyDoubtsError,
)
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.processes.pool import Processes
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.routes.owned import Resource, owned, said
from chat_ui.routes.renderings import Renderings
from chat_ui.routes.request_body import json_of

_MOST_BODY: Final = 64 * 1024
_NOT_STORED: Final = msg("What you think of it cannot be kept at the moment. Try again in a little while.")
_NOT_UNDERSTOOD: Final = msg("This is no feedback that can be kept.")


class FeedbackRoutes:
    """The feedback on answers of `conversations`, whose citations are found in `processes` where they are long."""

    def __init__(self, conversations: Conversations, processes: Processes) -> None:
        self._conversations = conversations
        self._renderings = Renderings(processes)

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""

        def route(path: str, method: str, resource: Resource) -> Route:
            return Route(path, owned(self._conversations, _told(resource)), methods=[method])

        whole, citation = "/{answer}/feedback", "/{answer}/feedback/citations/{use:int}"
        return [
            route(whole, "GET", self._read),
            route(whole, "PUT", self._rate),
            route(whole, "DELETE", self._take_back),
            route(citation, "PUT", self._doubt),
            route(citation, "DELETE", self._trust),
        ]

    async def _read(self, _request: Request, person: str, generation: Generation) -> Response:
        return _shown(await self._conversations.feedback.of(person, generation.id))

    async def _rate(self, request: Request, person: str, generation: Generation) -> Response:
        body = await json_of(request, _MOST_BODY)
        try:
            rating, reasons, comment = _rating(body)
        except ValueError:
            return said(_NOT_UNDERSTOOD, 400)
        return await self._changed(person, generation, lambda one: one.rated(rating, reasons, comment))

    async def _take_back(self, _request: Request, person: str, generation: Generation) -> Response:
        return await self._changed(person, generation, lambda one: one.rated(None), adds=False)

    async def _doubt(self, request: Request, person: str, generation: Generation) -> Response:
        body = await json_of(request, _MOST_BODY)
        try:
            comment = _comment(body)
        except ValueError:
            return said(_NOT_UNDERSTOOD, 400)
        found = await self._renderings.make(person, generation, partial(cited, use=request.path_params["use"]))
        if found is None:
            return said(msg("There is no such citation."), 404)
        return await self._changed(person, generation, lambda one: one.doubting(replace(found, comment=comment)))

    async def _trust(self, request: Request, person: str, generation: Generation) -> Response:
        use = request.path_params["use"]
        return await self._changed(person, generation, lambda one: one.trusting(use), adds=False)

    async def _changed(
        self, person: str, generation: Generation, change: Callable[[Feedback], Feedback], *, adds: bool = True
    ) -> Response:
        if not generation.ended:
            return said(msg("The answer is still being written."), 409)
        try:
            changed = await self._conversations.feedback.change(person, generation.id, change, adds=adds)
        except TooManyDoubtsError:
            return said(msg("You doubt {most} citations of this answer already.", most=MOST_DOUBTED), 409)
        return _shown(changed) if changed is not None else said(msg("There is no such answer."), 404)


def _told(resource: Resource) -> Resource:
    async def respond(request: Request, person: str, generation: Generation) -> Response:
        try:
            return await resource(request, person, generation)
        except LimitReachedError as reached:
            return said(str(reached), 507)
        except StoreUnavailableError:
            return said(_NOT_STORED, 503, {"Retry-After": "2"})

    return respond


def cited(_answer: Answer, rendered: RenderedAnswer, *, use: int) -> DoubtedCitation | None:
    """The citation of this index among those in the text; None where there is none."""
    if use >= len(rendered.uses):
        return None
    found = rendered.uses[use]
    citation = rendered.citations[found.number - 1]
    return DoubtedCitation(use, citation.label[:LONGEST_NAME], found.claim[:LONGEST_NAME], citation.data_point)


def _rating(body: Json) -> tuple[Rating, tuple[Reason, ...], str | None]:
    if not isinstance(body, dict):
        raise ValueError  # noqa: TRY004 - a fault of the request, not of code
    reasons = body.get("reasons", [])
    comment = _comment(body) if "comment" in body else None
    if not isinstance(reasons, list):
        raise ValueError  # noqa: TRY004 - as above
    return Rating(str(body.get("rating"))), tuple(Reason(str(name)) for name in reasons), comment


def _comment(body: Json) -> str:
    comment = body.get("comment", "") if isinstance(body, dict) else None
    if not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        raise ValueError
    return clean_text(comment).strip()


def _shown(feedback: Feedback) -> Response:
    doubted = [{"use": one.use, "comment": one.comment} for one in feedback.doubted]
    content = {
        "rating": feedback.rating,
        "reasons": feedback.reasons,
        "comment": feedback.comment,
        "doubted": doubted,
    }
    return JSONResponse(content, headers={"Cache-Control": "no-store"})
