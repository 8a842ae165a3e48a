"""The links that people share their conversations by.

`GET /` is `{"readers": "anyone" | "signed-in", "days": [DAYS], "links": [{"id", "conversation", "title", "made_at",
"ends_at", "path"}]}`: the days are those for which a link can be made, `path` is null where the server's secret is
another one by now. `POST /` takes `{"conversation", "days", "thoughts", "documents"}`, of which the last two say
whether those go out as well, and answers one such link. `DELETE /ID` revokes one.

The token in the address of a link is made of the random id of its snapshot, with the secret of the server. The store
has a digest of it alone: what was read from a store or a backup opens no link. The owner gets the same link again for
as long as the secret is the same. With another one, links that were given away still open, as they are found by their
digests.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.snapshots import Snapshot
from chat_ui.processes.pool import Processes, TooCostlyError
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.exported_page.page_document import AS_BUILT, Look
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.routes.exports import ExportRoutes
from chat_ui.routes.owned import Turns, for_person, no_conversation, said
from chat_ui.routes.request_body import json_of
from chat_ui.routes.snapshots.snapshot_document import snapshot_document

MAKE_SECONDS: Final = 30.0
"""Seconds of making a document."""
_USUAL_DAYS: Final = (1, 7, 30)
_DAY: Final = 24 * 3600
_BODY_AT_MOST: Final = 10_000
_TOKEN_BYTES: Final = 24
_NO_STORE: Final = {"Cache-Control": "no-store"}
_TOO_LARGE: Final = msg(
    "This conversation is too long to be shared by a link. Export it as a page, and send that file."
)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class LinkRoutes:
    """Makes, lists and revokes links to snapshots of `conversations`, for `readers`; their pages are at `pages`/TOKEN.

    A link can be read for `most_days` at most, and no longer than its conversation is kept: `keep_days` after its last
    question. What goes out is chosen as for `exports`, and has this `look`.
    """

    def __init__(
        self,
        conversations: Conversations,
        processes: Processes,
        secret: str,
        exports: ExportRoutes,
        *,
        pages: str,
        readers: str,
        most_days: int,
        keep_days: float | None,
        look: Look = AS_BUILT,
    ) -> None:
        self._conversations = conversations
        self._processes = processes
        self._key = hmac.digest(secret.encode(), b"chat_ui links", "sha256")
        self._pages = pages
        self._readers = readers
        self._days = sorted({days for days in _USUAL_DAYS if days < most_days} | {most_days})
        self._keep_days = keep_days
        self._exports = exports
        self._look = look
        self._turns = Turns()

    def routes(self) -> list[Route]:
        return [
            Route("/", for_person(self._list), methods=["GET"]),
            Route("/", for_person(self._turns.one_at_a_time(self._make)), methods=["POST"]),
            Route("/{link}", for_person(self._revoke), methods=["DELETE"]),
        ]

    async def _list(self, _request: Request, person: str) -> Response:
        links = [self._link(one) for one in await self._conversations.snapshots.of(person)]
        return JSONResponse({"readers": self._readers, "days": self._days, "links": links}, headers=_NO_STORE)

    async def _make(self, request: Request, person: str) -> Response:
        asked = await json_of(request, _BODY_AT_MOST)
        match asked:
            case {"conversation": str(conversation_id), "days": int(days)} if days in self._days:
                pass
            case _:
                return said(msg("A conversation and the days of a link are needed."), 400)
        conversation = await self._conversations.get(person, conversation_id)
        if conversation is None:
            return no_conversation()
        if conversation.live is not None:
            return said(msg("An answer is still being written. Share the conversation once it has ended."), 409)
        found = await self._conversations.lists.shown_with_origins(person, conversation_id)
        if found is None:
            return no_conversation()
        title, turns, origins = found
        now = time.time()
        try:
            chosen = await self._exports.chosen(
                person,
                turns,
                origins,
                thoughts=asked.get("thoughts") is True,
                documents=asked.get("documents") is True,
                backend=False,
            )
            document = await self._processes.run(
                person, snapshot_document, title, turns, chosen, self._look, now, seconds=MAKE_SECONDS
            )
        except TooCostlyError:
            document = None
        if document is None:
            return said(_TOO_LARGE, 422)
        snapshot_id = secrets.token_urlsafe(16)
        snapshot = Snapshot(
            id=snapshot_id,
            digest=digest_of(self._token(snapshot_id)),
            conversation=conversation_id,
            title=title,
            made_at=now,
            ends_at=await self._end(person, conversation_id, now + days * _DAY),
        )
        if not await self._conversations.snapshots.keep(person, snapshot, document):
            return no_conversation()
        return JSONResponse(self._link(snapshot), status_code=201, headers=_NO_STORE)

    async def _end(self, person: str, conversation_id: str, wanted: float) -> float:
        if self._keep_days is None:
            return wanted
        updated = await self._conversations.lists.stored.updated(person, [conversation_id])
        return min(wanted, updated.get(conversation_id, 0.0) + self._keep_days * _DAY)

    async def _revoke(self, request: Request, person: str) -> Response:
        revoked = await self._conversations.snapshots.revoke(person, request.path_params["link"])
        return Response(status_code=204) if revoked else said(msg("There is no such link any more."), 404)

    def _token(self, snapshot_id: str) -> str:
        made = hmac.digest(self._key, snapshot_id.encode(), "sha256")
        return urlsafe_b64encode(made[:_TOKEN_BYTES]).decode()

    def _link(self, snapshot: Snapshot) -> dict[str, object]:
        token = self._token(snapshot.id)
        is_same = hmac.compare_digest(digest_of(token), snapshot.digest)
        return {
            "id": snapshot.id,
            "conversation": snapshot.conversation,
            "title": snapshot.title.translate(OVERRIDES),
            "made_at": snapshot.made_at,
            "ends_at": snapshot.ends_at,
            "path": f"{self._pages}/{token}" if is_same else None,
        }
