"""Conversations here of the sessions that a deployment keeps: opened from there, and written there after each answer.

`GET /sessions?after=TOKEN` is a page, `{"sessions": [{"id", "title", "updated_at", "conversation"}], "next": TOKEN}`.
`POST /sessions?session=ID` opens one as `{"conversation", "left_out"}`, `DELETE /sessions?session=ID` deletes it there
and here, and `GET /unsaved?answer=ID` gives the words about an answer that was not saved there.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Final
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.backends.backends import Backends
from chat_ui.backends.offer import backend_name
from chat_ui.conversations.archive.foreign_archive import read_demo_session
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.records.records import Status, Transcript, title_of
from chat_ui.conversations.store.rows import Batch, conversation_row, generation_row, turn_row
from chat_ui.errors import StoreUnavailableError
from chat_ui.features.deployment.deployment_routes import ServiceResource
from chat_ui.features.deployment.own_files import has_own_token
from chat_ui.features.deployment.past_sessions import UNREADABLE, Sessions, body_of
from chat_ui.features.deployment.session_table import SessionTable
from chat_ui.page.routes.owned import NO_STORE, Endpoint, text_response
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.detection.advice import Advice
from chat_ui.protocol.events import Json, SessionState
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.html.links import OVERRIDES

_UNSAVED_BYTES: Final = 1024 * 1024
_LATEST: Final = 8.64e15
"""The last time of a script, in ms."""


class SessionCopies:
    """The sessions of people's deployments. They are not used with a token of the operator, which many people share."""

    def __init__(self, backends: Backends, conversations: Conversations) -> None:
        self._backends = backends
        self._lists = conversations.lists
        self._table = SessionTable(conversations.repository.opened)
        self._writing: dict[str, asyncio.Task[None]] = {}
        """The writing after each answer, by the answer's id."""
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._unsaved: RecentlyUsed[tuple[str, str], tuple[str, str]] = RecentlyUsed(_UNSAVED_BYTES)
        """By person and service: an answer since the last success that was not saved there, and the words."""

    def routes(self, of_backend: Callable[[ServiceResource], Endpoint]) -> list[Route]:
        """`of_backend` makes an endpoint for the backend of a request."""
        return [
            Route("/sessions", of_backend(self._list), methods=["GET"]),
            Route("/sessions", of_backend(self._open), methods=["POST"]),
            Route("/sessions", of_backend(self._delete), methods=["DELETE"]),
            Route("/unsaved", of_backend(self._unsaved_words), methods=["GET"]),
        ]

    def watch(self, generation: LocalGeneration) -> None:
        """Write the conversation of an answer after its end, unless it is the second column of a comparison."""
        if generation.asked.is_second:
            return
        # The asked backend is later replaced by the found one.
        task = asyncio.create_task(self._write_after(generation, generation.backend))
        self._writing[generation.id] = task
        task.add_done_callback(lambda _: self._writing.pop(generation.id, None))

    async def _write_after(self, generation: LocalGeneration, backend: Backend) -> None:
        await generation.wait_for_end()
        answer, person, conversation = generation.answer, generation.owner, generation.asked.conversation
        service = self._service(backend, self._backends.advice_known(person, backend))
        session = answer.session_state.value if answer.session_state and not answer.recorded_at else None
        if not service or generation.status is not Status.FINISHED or not isinstance(session, str) or not session:
            return
        async with self._turns.setdefault(conversation, asyncio.Lock()):
            with suppress(StoreUnavailableError):
                transcript = await self._lists.transcript(person, conversation)
                owner, is_deleted = (await self._table.of(person, service, [session])).get(session, ("", True))
                # An imported copy leaves the session to the conversation that was exported, until that is deleted.
                if transcript is None or not (is_deleted or owner == conversation):
                    return
                await self._table.keep(person, service, session, conversation)
                sessions = self._sessions(backend, service)
                body, count, reason = await asyncio.to_thread(body_of, session, transcript)
                if not reason and any(turn.place > count and not turn.shown for turn in transcript.turns):
                    # A write does not remove the further pairs of another version.
                    await sessions.delete(session)
                if not reason and (problem := await sessions.write(body)):
                    reason = msg("{reason} Your next question sends all of it again.", reason=problem)
                if not reason:
                    self._unsaved.pop((person, service))
                elif (person, service) not in self._unsaved and self._is_newest(generation.id):
                    words = msg("Saved here. {name} did not save it. {reason}", **_told(backend, reason))
                    self._unsaved.put((person, service), (generation.id, words), len(words))

    def _is_newest(self, answer: str) -> bool:
        """Whether the page shows the words about this answer, as no later one of its conversation is under way."""
        conversation = f"{answer.partition('.')[0]}."
        return answer == [one for one in self._writing if one.startswith(conversation)][-1]

    async def _unsaved_words(self, request: Request, person: str, backend: Backend, advice: Advice) -> Response:
        answer = request.query_params.get("answer", "")
        if writing := self._writing.get(answer):
            await asyncio.wait([writing])
        unsaved, words = self._unsaved.get((person, self._service(backend, advice))) or ("", "")
        return text_response(words if answer == unsaved else "", 200)

    async def _list(self, request: Request, person: str, backend: Backend, advice: Advice) -> Response:
        if not (service := self._service(backend, advice)):
            return JSONResponse({"sessions": [], "next": None}, headers=NO_STORE)
        value, problem = await self._sessions(backend, service).page(request.query_params.get("after", ""))
        match value:
            case {"sessions": [*found], **rest}:
                told = {str(one["id"]): one for session in found if (one := _entry(session))}
            case _:
                return _refused(msg("Your conversations at {name} are not shown. {reason}", **_told(backend, problem)))
        for session, (conversation, is_deleted) in (await self._table.of(person, service, told)).items():
            told[session]["conversation"] = None if is_deleted else conversation
        page = {"sessions": [*told.values()], "next": rest.get("continuation_token")}
        return JSONResponse(page, headers=NO_STORE)

    async def _open(self, request: Request, person: str, backend: Backend, advice: Advice) -> Response:
        session, service = request.query_params.get("session", ""), self._service(backend, advice)
        pairs, problem = await self._sessions(backend, service).pairs(session)
        if problem:
            return _refused(msg("{name} did not open the conversation. {reason}", **_told(backend, problem)))
        if not pairs:
            return _refused(msg("This conversation is no longer at {name}.", **_told(backend)))
        moment = request.query_params.get("updated_at")
        try:
            value = {"answers": pairs, "timestamp": float(moment) * 1000 if moment else None}
            read = await asyncio.to_thread(partial(read_demo_session, value, person, only_readable=True))
        except (ValueError, RecursionError):
            return _refused(msg("This conversation has a shape that cannot be read."))
        known = (await self._table.of(person, service, [session])).get(session)
        conversation, is_deleted = known or (_id(person, service, session), False)
        if is_deleted:
            await self._lists.restore(person, conversation)
        async with self._turns.setdefault(conversation, asyncio.Lock()):
            have = await self._lists.transcript(person, conversation)
            batch = await asyncio.to_thread(_missing, read, have, conversation, backend, session)
            if batch.turns:
                size = sum(row["size"] for row in (*batch.turns, *batch.generations))
                await self._lists.import_batches(person, iter([batch]), size)
                self._lists.changed_elsewhere(conversation)
            await self._table.keep(person, service, session, conversation)
        told = {"conversation": conversation, "left_out": len(pairs) - len(read.turns)}
        return JSONResponse(told, headers=NO_STORE)

    async def _delete(self, request: Request, person: str, backend: Backend, advice: Advice) -> Response:
        session, service = request.query_params.get("session", ""), self._service(backend, advice)
        if problem := await self._sessions(backend, service).delete(session):
            return _refused(msg("{name} did not delete the conversation. {reason}", **_told(backend, problem)))
        # Another tab may have opened it.
        for conversation, _ in (await self._table.of(person, service, [session])).values():
            await self._lists.delete(person, conversation)
        return Response(status_code=204)

    def _service(self, backend: Backend, advice: Advice) -> str:
        """The address of the person's sessions; empty without them."""
        profile = self._backends.offer.remembered_profile(backend.memory)
        return advice.services.get("sessions", "") if has_own_token(profile, backend) else ""

    def _sessions(self, backend: Backend, service: str) -> Sessions:
        return Sessions(self._backends.client, backend, service)


def _entry(session: Json) -> dict[str, Json] | None:
    match session:
        case {"id": str(name), **rest} if name and clean_text(name) == name:
            title, moment = rest.get("title"), rest.get("timestamp")
            return {
                "id": name,
                "title": title_of(clean_text(title)).translate(OVERRIDES) if isinstance(title, str) else "",
                "updated_at": moment / 1000 if isinstance(moment, int | float) and 0 < moment < _LATEST else None,
                "conversation": None,
            }
    return None


def _missing(read: Transcript, have: Transcript | None, conversation: str, backend: Backend, session: str) -> Batch:
    """The rows of the turns that a session has beyond the conversation here, after its last shown turn.

    Their ids follow from their place, so that tabs which open it at once write the same rows.
    """
    record, known, last = replace(read.conversation, id=conversation), Counter[str](), None
    if have is not None:
        record = replace(have.conversation, updated_at=max(have.conversation.updated_at, record.updated_at))
        known = Counter(turn.question for turn in have.turns)
        last = max((turn for turn in have.turns if turn.shown), key=attrgetter("place"), default=None)
    batch = Batch([{**conversation_row(record), "deleted_at": None}])
    if have is not None and any(one.status is Status.RUNNING for one in have.generations):
        return batch
    for turn, generation in zip(read.turns, read.generations, strict=True):
        if known[turn.question]:
            known[turn.question] -= 1
            continue
        parent, place = (last.id, last.place + 1) if last is not None else (None, 1)
        turn_id = _id(conversation, parent or "", turn.question)
        last = replace(turn, id=turn_id, conversation=conversation, parent=parent, place=place)
        batch.turns.append(turn_row(last))
        state = generation.answer.session_state or SessionState("session_state", session)
        answer = replace(generation.answer, session_state=state)
        kept = replace(generation, id=f"{conversation}.{turn_id}", conversation=conversation, turn=turn_id)
        batch.generations.append(generation_row(replace(kept, answer=answer, backend=backend.memory)))
    return batch


def _id(*parts: str) -> str:
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()


def _told(backend: Backend, reason: str = "") -> dict[str, str]:
    return {"name": backend_name(backend.memory), "reason": reason or UNREADABLE}


def _refused(words: str) -> Response:
    return text_response(words, 409)
