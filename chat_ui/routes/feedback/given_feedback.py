"""What a person thinks of an answer, to read, to say and to take back.

Mounted where answers are. `GET /ANSWER/feedback` is `{"rating": "good" | "bad" | null, "reasons": [NAME], "comment",
"doubted": [{"use", "comment"}]}`, and so is the answer to each change. A change concerns what it names alone:

    PUT    /ANSWER/feedback                         {"rating"}
    DELETE /ANSWER/feedback                         takes back the rating, its reasons and its comment
    PUT    /ANSWER/feedback/comment                 {"comment", "over"?}
    PUT    /ANSWER/feedback/reasons/NAME            and DELETE
    PUT    /ANSWER/feedback/citations/USE           and DELETE: the passage does not say what it is cited for
    PUT    /ANSWER/feedback/citations/USE/comment   {"comment", "over"?}

`USE` is the index of a citation among those in the text, from 0. There is no reason without a rating as bad, and no
comment without a rating or a doubt: 409 where that is not there, since it may have been taken back on another page.
`over` lists the comments that may be replaced: 409 where there is another.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Final, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.people.limits import LimitReachedError
from chat_ui.conversations.records.feedback import (
    LONGEST_COMMENT,
    MOST_DOUBTED,
    Feedback,
    OtherCommentError,
    Rating,
    Reason,
    TakenBackError,
    TooManyDoubtsError,
)
from chat_ui.conversations.store.rows import storable
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.feedback.citation_of_answer import citation_of
from chat_ui.processes.pool import Processes
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import msg
from chat_ui.routes.owned import Resource, owned, said
from chat_ui.routes.renderings import Renderings
from chat_ui.routes.request_body import json_of

Named = TypeVar("Named", bound=StrEnum)
_MOST_BODY: Final = 128 * 1024
_LONGEST_TOLD: Final = 200
"""Characters of another comment that a refusal tells."""
_NOT_STORED: Final = msg("What you think of it cannot be kept at the moment. Try again in a little while.")
_NOT_UNDERSTOOD: Final = msg("This is no feedback that can be kept.")
_NOT_RATED: Final = msg("You have taken back your rating, perhaps in another tab. Rate the answer again to keep this.")
_NOT_DOUBTED: Final = msg(
    "You have taken back your doubt, perhaps in another tab. Doubt the citation again to keep this."
)


class FeedbackRoutes:
    """The feedback on answers of `conversations`, whose citations are found in `processes` where they are long."""

    def __init__(self, conversations: Conversations, processes: Processes) -> None:
        self._conversations = conversations
        self._renderings = Renderings(processes)

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""

        def route(path: str, method: str, resource: Resource) -> Route:
            return Route(path, owned(self._conversations, _told(resource)), methods=[method])

        whole, reason, citation = (
            "/{answer}/feedback",
            "/{answer}/feedback/reasons/{reason}",
            "/{answer}/feedback/citations/{use:index}",
        )
        return [
            route(whole, "GET", self._read),
            route(whole, "PUT", self._rate),
            route(whole, "DELETE", self._take_back),
            route(f"{whole}/comment", "PUT", self._comment),
            route(reason, "PUT", self._add_reason),
            route(reason, "DELETE", self._remove_reason),
            route(citation, "PUT", self._doubt),
            route(citation, "DELETE", self._trust),
            route(f"{citation}/comment", "PUT", self._comment_on_doubt),
        ]

    async def _read(self, _request: Request, person: str, generation: Generation) -> Response:
        return _shown(await self._conversations.feedback.of(person, generation.id))

    async def _rate(self, request: Request, person: str, generation: Generation) -> Response:
        body = await json_of(request, _MOST_BODY)
        if not isinstance(body, dict) or (rating := _known(Rating, body.get("rating"))) is None:
            return said(_NOT_UNDERSTOOD, 400)
        return await self._changed(person, generation, lambda one: one.rated(rating))

    async def _take_back(self, _request: Request, person: str, generation: Generation) -> Response:
        return await self._changed(person, generation, lambda one: one.rated(None))

    async def _comment(self, request: Request, person: str, generation: Generation) -> Response:
        if (read := await _comment_of(request)) is None:
            return said(_NOT_UNDERSTOOD, 400)
        return await self._changed(person, generation, lambda one: one.commented(*read))

    async def _add_reason(self, request: Request, person: str, generation: Generation) -> Response:
        if (reason := _known(Reason, request.path_params["reason"])) is None:
            return said(_NOT_UNDERSTOOD, 404)
        return await self._changed(person, generation, lambda one: one.because(reason))

    async def _remove_reason(self, request: Request, person: str, generation: Generation) -> Response:
        if (reason := _known(Reason, request.path_params["reason"])) is None:
            return said(_NOT_UNDERSTOOD, 404)
        return await self._changed(person, generation, lambda one: one.without(reason))

    async def _doubt(self, request: Request, person: str, generation: Generation) -> Response:
        found = await self._renderings.make(person, generation, partial(citation_of, use=request.path_params["use"]))
        if found is None:
            return said(msg("There is no such citation."), 404)
        return await self._changed(person, generation, lambda one: one.doubting(found))

    async def _trust(self, request: Request, person: str, generation: Generation) -> Response:
        use = request.path_params["use"]
        return await self._changed(person, generation, lambda one: one.trusting(use))

    async def _comment_on_doubt(self, request: Request, person: str, generation: Generation) -> Response:
        use = request.path_params["use"]
        if (read := await _comment_of(request)) is None:
            return said(_NOT_UNDERSTOOD, 400)
        return await self._changed(person, generation, lambda one: one.commented_on(use, *read), _NOT_DOUBTED)

    async def _changed(
        self,
        person: str,
        generation: Generation,
        change: Callable[[Feedback], Feedback],
        taken_back: str = _NOT_RATED,
    ) -> Response:
        if not generation.ended:
            return said(msg("The answer is still being written."), 409)
        try:
            changed = await self._conversations.feedback.change(person, generation.id, change)
        except TakenBackError:
            return said(taken_back, 409)
        except OtherCommentError as other:
            return said(_other_comment(other.comment), 409)
        except TooManyDoubtsError:
            return said(msg("You doubt {most} citations of this answer already.", most=MOST_DOUBTED), 409)
        return _shown(changed) if changed is not None else said(msg("There is no such answer."), 404)


def _other_comment(comment: str) -> str:
    if not comment:
        return msg("This comment was removed in another tab. Change yours to keep it.")
    cut = comment if len(comment) <= _LONGEST_TOLD else f"{comment[:_LONGEST_TOLD]}…"
    return msg("This comment was changed in another tab, to “{comment}”. Change yours to replace it.", comment=cut)


def _told(resource: Resource) -> Resource:
    async def respond(request: Request, person: str, generation: Generation) -> Response:
        try:
            return await resource(request, person, generation)
        except LimitReachedError as reached:
            return said(str(reached), 507)
        except StoreUnavailableError:
            return said(_NOT_STORED, 503, {"Retry-After": "2"})

    return respond


def _known(names: type[Named], name: Json) -> Named | None:
    return next((one for one in names if one.value == name), None)


async def _comment_of(request: Request) -> tuple[str, list[str] | None] | None:
    """The comment that a request brings, and those that it may replace; None where it brings none that can be kept."""
    body = await json_of(request, _MOST_BODY)
    comment, over = (body.get("comment"), body.get("over")) if isinstance(body, dict) else (None, None)
    if not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        return None
    if over is None:
        return _tidy(comment), None
    if not isinstance(over, list) or not all(isinstance(one, str) for one in over):
        return None
    return _tidy(comment), [_tidy(one) for one in over]


def _tidy(comment: str) -> str:
    return storable(clean_text(comment)).strip()


def _shown(feedback: Feedback) -> Response:
    doubted = [{"use": one.use, "comment": one.comment} for one in feedback.doubted]
    content = {
        "rating": feedback.rating,
        "reasons": feedback.reasons,
        "comment": feedback.comment,
        "doubted": doubted,
    }
    return JSONResponse(content, headers={"Cache-Control": "no-store"})
