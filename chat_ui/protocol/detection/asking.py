"""A question to an address that may be near a backend: sent elsewhere only after a refusal of its place or form."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.pause import checked
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Backend, ChatRequest, configured_like
from chat_ui.protocol.backends.request import secrets_of
from chat_ui.protocol.detection.detection import MAX_REQUESTS, SEARCH_SECONDS, Search
from chat_ui.protocol.detection.question import Question, is_absent
from chat_ui.protocol.detection.requests import Record, Reply, Requests
from chat_ui.protocol.dialects.registry import form_at
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.events import AnswerWarning, Event, Failed
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.http_errors import ended, says_only_absent
from chat_ui.protocol.transport.learnt import Found, identified
from chat_ui.protocol.transport.recorder import ResponseRecorder

FOUND_ELSEWHERE: Final = "found_elsewhere"
"""The code of the warning that says where a backend answered instead."""


async def ask_anywhere(
    client: AsyncClient,
    backend: Backend,
    request: ChatRequest,
    on_event: Callable[[Event], object],
    *,
    record: Record = lambda *_: ResponseRecorder(),
    on_request: Callable[[str, str], None] | None = None,
) -> Backend:
    """Ask `request`, give `on_event` the events of the reply as they arrive, and return the backend that replied.

    A question is sent again only after a refusal, so a model answers it once at most. `client` remembers place and form
    of a backend found for `backend`, unless that form is refused too. After a refusal of a remembered form, the
    question is sent in the form of `backend` itself. An `AnswerWarning` lists the requests of a detour. If the search
    fails, the error lists its places. `record` gives the recorder of each question, and `on_request` gets method and
    URL of each request before it is sent.
    """
    client = client.pinning_for(backend)
    requests = Requests(client, backend.headers, most=MAX_REQUESTS, seconds=SEARCH_SECONDS, on_request=on_request)
    asking, search = Question(requests, request, record=record, on_event=on_event), Search(requests, backend)
    known = client.learnt.found_for(backend)
    asked = known.backend if known is not None else backend
    first = await requests.ask(asked, request, record(asked), on_event)
    is_refused = first.refused_with is not None
    reply, refusals = await _ask_on(asking, first, backend, known, search) if is_refused else (first, [])
    if reply is None:
        # If the search fails, the refusal of the address itself says most.
        refusal = refusals[0 if known is None else 1]
        for event in refusal.refusal_events:
            on_event(_with_search(event, search) if isinstance(event, Failed) else event)
        return refusal.backend
    for event in reply.refusal_events:
        on_event(event)
    if reply.backend == asked:
        client.learnt.note(backend, known, reply.answered)
        return reply.backend
    was_refused = known is not None and bool(refusals) and known.is_refused_with(refusals[0].refused_with)
    if Found(reply.backend, None).is_refused_with(reply.refused_with) or (was_refused and not reply.answered.has_text):
        return reply.backend
    found = identified(reply.answered)
    found = replace(found, is_tried=found.backend.request_format is reply.backend.request_format)
    if was_refused and known is not None and found.backend.request_format is known.backend.request_format:
        found = Found(reply.answered.backend, None)
    for url in {backend.url, found.backend.url}:
        client.learnt.remember(replace(backend, url=url), found)
    on_event(AnswerWarning(FOUND_ELSEWHERE, _search_in_words(requests, found.backend)))
    return found.backend


async def ask_there(
    client: AsyncClient,
    backend: Backend,
    request: ChatRequest,
    on_event: Callable[[Event], object],
    *,
    record: Record = lambda *_: ResponseRecorder(),
) -> Backend:
    """Send the decisions of `request` to the address of `backend`, and give `on_event` the events of the reply.

    They are sent once, in the form of their pause, as a backend may run a tool again. Nothing is learnt of the reply.

    Raises:
        InvalidRequestError: `request` cannot be sent.
        RecordingError: `backend` is a recording.
        RuntimeError: `request` has no decisions.
    """
    if request.resume is None:
        raise RuntimeError("a request without decisions")
    if backend.recording:
        raise RecordingError(msg("A recording does not take decisions."))
    pause, decisions = request.resume.steps[-1]
    checked(pause, decisions, time.time())
    asked = configured_like(form_at(pause.wire, backend.url), backend)
    exchange = client.pinning_for(asked).exchange(asked, request, record(asked))
    async with aclosing(exchange.events()) as events:
        async for event in events:
            on_event(event)
    return asked


async def _ask_on(
    asking: Question, first: Reply, backend: Backend, known: Found | None, search: Search
) -> tuple[Reply | None, list[Reply]]:
    """The reply to a question that was refused at `first`, and the refusals before it.

    The reply is to another form there, or of another place of `backend`; None if the search fails.
    """
    reply = await asking.ask_on(first)
    is_refused = known is not None and reply.backend is first.backend and known.is_refused_with(reply.refused_with)
    if not (is_refused or is_absent(reply)):
        return reply, []

    async def others() -> AsyncGenerator[Backend, None]:
        if known is not None:
            yield backend
        async with aclosing(search.backends(asking)) as places:
            async for place in places:
                yield place

    found, refusals = await asking.ask_first_present(others())
    return found, [reply, *refusals]


async def answer_anywhere(
    client: AsyncClient, backend: Backend, request: ChatRequest, *, on_request: Callable[[str, str], None] | None = None
) -> tuple[Answer, Backend]:
    """The whole answer to `request`, asked as `ask_anywhere` or `ask_there` asks, and the backend that replied."""
    builder = AnswerBuilder(secrets_of(backend, request.overrides))
    if request.resume is not None:
        found = await ask_there(client, backend, request, builder.add)
    else:
        found = await ask_anywhere(client, backend, request, builder.add, on_request=on_request)
    builder.close()
    return builder.answer(), found


def _with_search(refusal: Failed, search: Search) -> Failed:
    refused, words = refusal.error, search.error.message
    if not (says_only_absent(refused) or (refused.code == search.error.code == "html_page")):
        words = msg("{problem} {more}", problem=ended(refused.message), more=words)
    return Failed(replace(refused, message=words))


def _search_in_words(requests: Requests, found: Backend) -> str:
    return msg(
        "the address did not accept the question; the chat backend was found at {url} (tried: {requests})",
        url=without_query(found.endpoint),
        requests="; ".join(request.in_words for request in requests.sent),
    )
