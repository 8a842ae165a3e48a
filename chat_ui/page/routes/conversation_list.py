"""A person's list of conversations over HTTP: pages, search, and operations on whole conversations.

`GET /?after=TIME,ID` is a page of the list and `GET /?q=WORDS` a search, both as `{"conversations": [{"id", "title",
"pinned", "shared", "waiting", "updated_at", "excerpt"}], "next": "TIME,ID" | null}`; the first page begins with the
pinned ones. `shared` marks a conversation with a valid link to a snapshot, `waiting` one whose agent waits for the
person. `PATCH /ID` takes `{"title"}` or `{"pinned"}`, `DELETE /ID` deletes, `POST /ID/restore` restores, and
`DELETE /` deletes everything of the person.
"""

from __future__ import annotations

import asyncio
from typing import Final
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.lists import Lists
from chat_ui.conversations.records.records import ConversationRecord
from chat_ui.conversations.snapshots import Snapshots
from chat_ui.conversations.store.conversation_list import Place
from chat_ui.errors import TooCostlyError
from chat_ui.page.routes.bodies import json_of
from chat_ui.page.routes.owned import NO_STORE, for_person, no_conversation, text_response
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.html.links import OVERRIDES

PAGE: Final = 40
_BODY_AT_MOST: Final = 10_000
_SEARCHES_AT_ONCE: Final = 2
SEARCH_TOOK_TOO_LONG: Final = msg("The search took too long. Type longer or more words.")


class ListRoutes:
    def __init__(self, lists: Lists, snapshots: Snapshots) -> None:
        self._lists = lists
        self._snapshots = snapshots
        self._searches = asyncio.Semaphore(_SEARCHES_AT_ONCE)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def routes(self) -> list[Route]:
        return [
            Route("/", for_person(self._list), methods=["GET"]),
            Route("/", for_person(self._delete_all), methods=["DELETE"]),
            Route("/{conversation}", for_person(self._change), methods=["PATCH"]),
            Route("/{conversation}", for_person(self._delete), methods=["DELETE"]),
            Route("/{conversation}/restore", for_person(self._restore), methods=["POST"]),
        ]

    async def _list(self, request: Request, person: str) -> Response:
        lists = self._lists.stored
        words = request.query_params.get("q", "").strip()
        if words:
            try:
                async with self._turns.setdefault(person, asyncio.Lock()), self._searches:
                    found = await lists.search(person, words, PAGE)
            except TooCostlyError:
                return text_response(SEARCH_TOOK_TOO_LONG, 422)
            return await self._page(person, [_entry(one.conversation, one.excerpt) for one in found], None)
        after = _place(request.query_params.get("after", ""))
        pinned = [] if after else await lists.pinned(person)
        page = await lists.page(person, after, PAGE)
        last = f"{page[-1].updated_at!r},{page[-1].id}" if len(page) == PAGE else None
        return await self._page(person, [_entry(record) for record in (*pinned, *page)], last)

    async def _page(self, person: str, entries: list[dict[str, object]], following: str | None) -> Response:
        ids = [str(entry["id"]) for entry in entries]
        shared = await self._snapshots.shared_among(person, ids)
        waiting = await self._lists.stored.waiting_among(person, ids)
        marked = [{**entry, "shared": entry["id"] in shared, "waiting": entry["id"] in waiting} for entry in entries]
        return JSONResponse({"conversations": marked, "next": following}, headers=NO_STORE)

    async def _change(self, request: Request, person: str) -> Response:
        wanted = await json_of(request, _BODY_AT_MOST)
        conversation = request.path_params["conversation"]
        match wanted:
            case {"title": str(title)} if title.strip():
                changed = await self._lists.rename(person, conversation, title.strip())
            case {"pinned": bool(pinned)}:
                changed = await self._lists.pin(person, conversation, pinned)
            case _:
                return text_response(msg("Send a title, or whether the conversation is pinned."), 400)
        return Response(status_code=204) if changed else no_conversation()

    async def _delete(self, request: Request, person: str) -> Response:
        deleted = await self._lists.delete(person, request.path_params["conversation"])
        return Response(status_code=204) if deleted else no_conversation()

    async def _restore(self, request: Request, person: str) -> Response:
        restored = await self._lists.restore(person, request.path_params["conversation"])
        return Response(status_code=204) if restored else no_conversation()

    async def _delete_all(self, _request: Request, person: str) -> Response:
        deleted = await self._lists.delete_all(person)
        return JSONResponse({"deleted": deleted}, headers=NO_STORE)


def _entry(record: ConversationRecord, excerpt: str = "") -> dict[str, object]:
    return {
        "id": record.id,
        "title": record.title.translate(OVERRIDES),
        "pinned": record.pinned,
        "updated_at": record.updated_at,
        "excerpt": excerpt.translate(OVERRIDES),
    }


def _place(after: str) -> Place | None:
    moment, _, conversation = after.partition(",")
    try:
        return Place(float(moment), conversation)
    except ValueError:
        return None
