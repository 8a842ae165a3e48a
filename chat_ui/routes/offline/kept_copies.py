"""Conversations as a browser keeps them, to be read without a network.

`GET /ID/copy` is the page of one conversation, which needs nothing else, with the tag of its owner, the title, its
language, and the time (milliseconds since 1970) until which it may be kept. `GET /kept?id=ID&id=ID` tells the tag of
the person and which of these conversations are still there, as `{"tag", "there"}`.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.lists import Lists
from chat_ui.languages.translation import current_language
from chat_ui.processes.pool import Processes, TooCostlyError
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.html.link_labels import OVERRIDES
from chat_ui.routes.offline.kept_pages import POLICY, copy_page
from chat_ui.routes.offline.owner_tags import OWNER_HEADER, OwnerTags
from chat_ui.routes.owned import Turns, for_person, no_conversation, said

MOST_BYTES: Final = 512 * 1024
"""Bytes of a conversation that a browser keeps."""
MOST_ASKED: Final = 50
"""Conversations that are looked for at once."""
COPY_SECONDS: Final = 3.0
"""Seconds of making a copy."""
MOST_DAYS: Final = 30.0
_DAY: Final = 24 * 3600
_TOO_LONG: Final = msg("This conversation is too long to be kept in a browser.")


class CopyRoutes:
    """Serves copies of the conversations in `lists`, which browsers keep for at most `keep_days` after the last
    question.
    """

    def __init__(self, lists: Lists, processes: Processes, tags: OwnerTags, keep_days: float | None) -> None:
        self._lists = lists
        self._processes = processes
        self._tags = tags
        self._keep_days = keep_days
        self._turns = Turns()

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        return [
            Route("/kept", for_person(self._kept), methods=["GET"]),
            Route("/{conversation}/copy", for_person(self._turns.one_at_a_time(self._copy)), methods=["GET"]),
        ]

    async def _kept(self, request: Request, person: str) -> Response:
        asked = request.query_params.getlist("id")[:MOST_ASKED]
        there = await self._lists.stored.updated(person, asked)
        found = {"tag": self._tags.tag(person), "there": list(there)}
        return JSONResponse(found, headers={"Cache-Control": "no-store"})

    async def _copy(self, request: Request, person: str) -> Response:
        conversation = request.path_params["conversation"]
        if await self._lists.stored.bytes_said(person, conversation) > MOST_BYTES:
            return said(_TOO_LONG, 413)
        found = await self._lists.shown(person, conversation)
        updated_at = (await self._lists.stored.updated(person, [conversation])).get(conversation)
        if found is None or updated_at is None:
            return no_conversation()
        title, turns = found
        headers = {
            "Cache-Control": "private, no-cache",
            "Content-Language": current_language().tag,
            "Content-Security-Policy": POLICY,
            "ETag": _validator(title, turns),
            "X-Title": quote(title.translate(OVERRIDES)),
            "X-Keep-Until": str(self._keep_until(updated_at)),
            OWNER_HEADER: self._tags.tag(person),
        }
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        try:
            page = await self._processes.run(person, copy_page, title, turns, seconds=COPY_SECONDS)
        except TooCostlyError:
            return said(_TOO_LONG, 413)
        return HTMLResponse(page, headers=headers)

    def _keep_until(self, updated_at: float) -> int:
        until = time.time() + MOST_DAYS * _DAY
        if self._keep_days is not None:
            until = min(until, updated_at + self._keep_days * _DAY)
        return int(1000 * until)


def _validator(title: str, turns: Sequence[tuple[str, str | None, str]]) -> str:
    written = json.dumps([POLICY, current_language().tag, title, turns]).encode()
    return f'"{hashlib.sha256(written).hexdigest()[:32]}"'
