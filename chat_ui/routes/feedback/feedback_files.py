"""Feedback as files, as `feedback.feedback_lines` writes them.

`GET /mine?as=jsonl|csv&since=DATE` is what the person said. `GET /all?as=jsonl|csv&since=DATE` is what everybody said,
for a request with the operator's token (`Authorization: Bearer TOKEN`); without a token of the operator's there is no
such address. `since` is a date, or a date and time, in ISO 8601, and leaves out what was changed before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chat_ui.conversations.kept_feedback import KeptFeedback
from chat_ui.conversations.people.person import is_operator
from chat_ui.conversations.records.records import GivenFeedback
from chat_ui.conversations.store.unavailable import NOT_READABLE_NOW, StoreUnavailableError
from chat_ui.feedback.feedback_lines import csv_head, csv_line, json_line
from chat_ui.feedback.since import moment
from chat_ui.protocol.translatable import msg
from chat_ui.routes.owned import Turns, for_person, said
from chat_ui.routes.streamed import Streamed

_FORMS: Final = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8"}
_NO_DATE: Final = msg("Write the date as {day} or {moment}.", day="2026-11-23", moment="2026-11-23T08:00:00Z")
_OPERATOR: Final = ""
"""No person has this name."""


class FeedbackFileRoutes:
    """The files of `feedback`; that of everybody's where the operator `has_token`."""

    def __init__(self, feedback: KeptFeedback, *, has_token: bool) -> None:
        self._feedback = feedback
        self._has_token = has_token
        self._turns = Turns()

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        mine = Route("/mine", for_person(self._turns.one_at_a_time(self._mine)), methods=["GET"])
        return [mine, *([Route("/all", self._all, methods=["GET"])] if self._has_token else [])]

    async def _mine(self, request: Request, person: str) -> Response:
        return await self._file(request, person)

    async def _all(self, request: Request) -> Response:
        if not is_operator(request):
            return said(msg("This is for the operator of the page."), 401, {"WWW-Authenticate": "Bearer"})
        try:
            return await self._turns.one_at_a_time(lambda asked, _: self._file(asked, None))(request, _OPERATOR)
        except StoreUnavailableError:
            return said(NOT_READABLE_NOW, 503, {"Retry-After": "2"})

    async def _file(self, request: Request, person: str | None) -> Response:
        form = request.query_params.get("as", "jsonl")
        if form not in _FORMS:
            return said(msg("Ask for one of {forms}.", forms=", ".join(_FORMS)), 400)
        try:
            since = moment(request.query_params.get("since", "1970-01-01"))
        except ValueError:
            return said(_NO_DATE, 400)
        given = await _begun(await self._feedback.given(person, since))
        headers = {
            "Content-Disposition": f'attachment; filename="feedback.{form}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        return Streamed(_body(given, is_csv=form == "csv"), media_type=_FORMS[form], headers=headers)


async def _begun(given: AsyncIterator[GivenFeedback]) -> AsyncIterator[GivenFeedback]:
    """The same, of which the first is read already: that the store cannot be read is told before a response begins.

    Raises:
        StoreUnavailableError: it cannot.
    """
    first = await anext(given, None)

    async def all_of_it() -> AsyncIterator[GivenFeedback]:
        if first is not None:
            yield first
        async for one in given:
            yield one

    return all_of_it()


async def _body(given: AsyncIterator[GivenFeedback], *, is_csv: bool) -> AsyncGenerator[bytes, None]:
    if is_csv:
        yield csv_head().encode()
    written = csv_line if is_csv else json_line
    async for one in given:
        # An answer with its sources may be many megabytes.
        line = await asyncio.to_thread(written, one)
        yield line.encode("utf-8", "replace")
