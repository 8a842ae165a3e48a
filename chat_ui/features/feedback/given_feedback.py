"""A person's feedback on an answer over HTTP, and files of all feedback.

`GET /ANSWER/feedback`, mounted where answers are, returns

    {"rating": "good" | "bad" | null, "reasons": [NAME], "comment", "doubted": {USE: COMMENT}}

and so does `PATCH`, which takes a part of it (RFC 7396). A null rating removes the rating with its reasons and comment;
a null comment removes a doubt. `USE` is the index of a citation in the text, from 0. A doubt means that the passage
does not support the citation.

`GET /mine?as=jsonl|csv&since=DATE` is a file of the person's feedback, in the format of `feedback.feedback_lines`.
`GET /all?as=jsonl|csv&since=DATE` has all people's, for a request with the operator's token
(`Authorization: Bearer TOKEN`); without a configured token it does not exist. `since` is a date, or a date and time, in
ISO 8601, and excludes earlier changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.people.person import is_operator
from chat_ui.conversations.records.feedback import (
    LONGEST_COMMENT,
    MOST_DOUBTED,
    DoubtedCitation,
    Feedback,
    Rating,
    Reason,
)
from chat_ui.conversations.records.records import FeedbackEntry
from chat_ui.conversations.store.rows import storable
from chat_ui.errors import LimitReachedError, TooManyDoubtsError
from chat_ui.features.feedback.citations_of_answer import doubts_about
from chat_ui.features.feedback.feedback_lines import csv_head, csv_line, json_line
from chat_ui.features.feedback.since import moment
from chat_ui.page.routes.bodies import Streamed, json_of
from chat_ui.page.routes.owned import NO_STORE, Turns, for_person, owned, text_response
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.translatable import msg
from chat_ui.server.renderings import Renderings

_MOST_BODY: Final = 128 * 1024
_FORMS: Final = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8"}
_NO_DATE: Final = msg("Write the date as {day} or {moment}.", day="2026-11-23", moment="2026-11-23T08:00:00Z")
_OPERATOR: Final = ""
"""A reserved value, which is never a person's name."""

_Comment: TypeAlias = Annotated[str, Meta(max_length=LONGEST_COMMENT)]
_Use: TypeAlias = Annotated[int, Meta(ge=0, lt=10**9)]


class _Patch(msgspec.Struct):
    rating: Rating | UnsetType | None = UNSET
    reasons: list[Reason] | UnsetType = UNSET
    comment: _Comment | UnsetType = UNSET
    doubted: dict[_Use, _Comment | None] = {}

    @property
    def doubts(self) -> dict[int, str]:
        """The comments of new doubts, by the indices of their citations."""
        return {use: _tidy(comment) for use, comment in self.doubted.items() if comment is not None}

    def apply(self, doubts: list[DoubtedCitation], former: Feedback) -> Feedback:
        """The `former` feedback after the change, with these `doubts`.

        Raises:
            TooManyDoubtsError: too many citations would be doubted.
        """
        return replace(
            former.trusting(self.doubted.keys() - self.doubts.keys()).doubting(*doubts),
            rating=former.rating if self.rating is UNSET else self.rating,
            reasons=former.reasons if self.reasons is UNSET else tuple(dict.fromkeys(self.reasons)),
            comment=former.comment if self.comment is UNSET else _tidy(self.comment),
        )


class FeedbackRoutes:
    """The feedback on answers of `conversations`, whose citations are in their `renderings`. The file of all people's
    feedback is served if the operator `has_token`.
    """

    def __init__(self, conversations: Conversations, renderings: Renderings, *, has_token: bool = False) -> None:
        self._conversations = conversations
        self._feedback = conversations.feedback
        self._renderings = renderings
        self._has_token = has_token
        self._turns = Turns()

    def of_answers(self) -> list[Route]:
        """The routes of an answer's feedback, to be mounted where answers are."""
        return [
            Route("/{answer}/feedback", owned(self._conversations, self._read), methods=["GET"]),
            Route("/{answer}/feedback", owned(self._conversations, self._change), methods=["PATCH"]),
        ]

    def files(self) -> list[Route]:
        mine = Route("/mine", for_person(self._turns.one_at_a_time(self._file)), methods=["GET"])
        return [mine, *([Route("/all", self._all, methods=["GET"])] if self._has_token else [])]

    async def _read(self, _request: Request, person: str, generation: Generation) -> Response:
        return _shown(await self._feedback.of(person, generation.id))

    async def _change(self, request: Request, person: str, generation: Generation) -> Response:
        if not generation.ended:
            return text_response(msg("The answer is still being written."), 409)
        try:
            patch = msgspec.convert(await json_of(request, _MOST_BODY), _Patch, str_keys=True)
        except msgspec.ValidationError:
            return text_response(msg("This feedback is not valid."), 400)
        doubts = await self._doubts(person, generation, patch.doubts)
        if doubts is None:
            return text_response(msg("Citation not found."), 404)
        try:
            changed = await self._feedback.change(person, generation.id, partial(patch.apply, doubts))
        except TooManyDoubtsError:
            return text_response(
                msg(
                    "You have marked {most} citations of this answer, which is the limit. Unmark one first.",
                    most=MOST_DOUBTED,
                ),
                409,
            )
        except LimitReachedError as reached:
            return text_response(str(reached), 507)
        return _shown(changed) if changed is not None else text_response(msg("Answer not found."), 404)

    async def _doubts(
        self, person: str, generation: Generation, comments: dict[int, str]
    ) -> list[DoubtedCitation] | None:
        if not comments:
            return []
        return await self._renderings.make(person, generation, partial(doubts_about, comments=comments))

    async def _all(self, request: Request) -> Response:
        if not is_operator(request):
            return text_response(msg("Only the operator of this page has access."), 401, {"WWW-Authenticate": "Bearer"})
        return await self._turns.one_at_a_time(lambda asked, _: self._file(asked, None))(request, _OPERATOR)

    async def _file(self, request: Request, person: str | None) -> Response:
        form = request.query_params.get("as", "jsonl")
        if form not in _FORMS:
            return text_response(msg("Choose one of these formats: {forms}.", forms=", ".join(_FORMS)), 400)
        try:
            since = moment(request.query_params.get("since", "1970-01-01"))
        except ValueError:
            return text_response(_NO_DATE, 400)
        given = await _begun(await self._feedback.given(person, since))
        headers = {
            "Content-Disposition": f'attachment; filename="feedback.{form}"',
            "Cache-Control": "no-store",
        }
        return Streamed(_body(given, is_csv=form == "csv"), media_type=_FORMS[form], headers=headers)


def _tidy(comment: str) -> str:
    return storable(clean_text(comment)).strip()


def _shown(feedback: Feedback) -> Response:
    content = {
        "rating": feedback.rating,
        "reasons": feedback.reasons,
        "comment": feedback.comment,
        "doubted": {str(one.use): one.comment for one in feedback.doubted},
    }
    return JSONResponse(content, headers=NO_STORE)


async def _begun(given: AsyncIterator[FeedbackEntry]) -> AsyncIterator[FeedbackEntry]:
    """The same entries, after reading the first: an unreadable store is reported before the response.

    Raises:
        StoreUnavailableError: the store is unreadable.
    """
    first = await anext(given, None)

    async def all_of_it() -> AsyncIterator[FeedbackEntry]:
        if first is not None:
            yield first
        async for one in given:
            yield one

    return all_of_it()


async def _body(given: AsyncIterator[FeedbackEntry], *, is_csv: bool) -> AsyncGenerator[bytes, None]:
    if is_csv:
        yield csv_head().encode()
    written = csv_line if is_csv else json_line
    async for one in given:
        # An answer with its sources may be many megabytes.
        line = await asyncio.to_thread(written, one)
        yield line.encode("utf-8", "replace")
