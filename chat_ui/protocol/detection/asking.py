"""A question to an address that may be near a backend: asked there, and after a refusal of its place or its form, asked
where the backend is found.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, secrets_of
from chat_ui.protocol.detection.detection import MAX_REQUESTS, SEARCH_SECONDS, Search
from chat_ui.protocol.detection.question import Question, is_absent
from chat_ui.protocol.detection.requests import Record, Reply, Requests
from chat_ui.protocol.events import Event, Failed, Warning  # noqa: A004
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import Client, Found, as_asked, identified
from chat_ui.protocol.transport.http_errors import ended, says_only_absent
from chat_ui.protocol.transport.recorder import WireRecorder

FOUND_ELSEWHERE: Final = "found_elsewhere"
"""The code of the warning that says where a backend answered instead."""


async def ask_anywhere(
    client: Client,
    backend: Backend,
    request: ChatRequest,
    take: Callable[[Event], None],
    *,
    record: Record = lambda *_: WireRecorder(),
    on_request: Callable[[str, str], None] | None = None,
) -> Backend:
    """Ask `request`, give `take` the events of the reply as they arrive, and return the backend that replied.

    A question is sent again only after a refusal, so a model answers it once at most. `client` remembers place and form
    of a backend that is found for `backend`, unless it refuses that form too. Where what is remembered is refused, the
    question goes in the form of `backend` itself. A `Warning` lists the requests where the question had to go another
    way. Where none is found, the error says where one was looked for. `record` gives the recorder of each question,
    `on_request` gets method and URL of each request before it goes.
    """
    client = client.pinning_for(backend)
    requests = Requests(client, backend.headers, most=MAX_REQUESTS, seconds=SEARCH_SECONDS, on_request=on_request)
    asking = Question(requests, request, record=record, take=take)
    known = client.found_for(backend)
    remembered = known.backend if known is not None else backend
    search = Search(requests, backend)

    async def candidates() -> AsyncGenerator[Backend, None]:
        yield remembered
        if known is not None:
            yield backend
        async with aclosing(search.backends(asking)) as others:
            async for one in others:
                yield one

    def is_passed(reply: Reply) -> bool:
        return is_absent(reply) or (reply.backend is remembered and refuses(reply))

    def refuses(reply: Reply) -> bool:
        return known is not None and bool(reply.refusal_events) and known.is_refused_with(reply.answer.error)

    reply, refusals = await asking.ask_first_present(candidates(), is_passed)
    if reply is None:
        # Where no backend is found, the refusal of the address itself says most.
        refusal = refusals[0 if known is None else 1]
        for event in refusal.refusal_events:
            take(_with_search(event, search) if isinstance(event, Failed) else event)
        return refusal.backend
    for event in reply.refusal_events:
        take(event)
    if reply.backend == remembered:
        if known is None:
            client.learn(backend, reply.answer, reply.recorder)
        else:
            client.review(backend, known, reply.answer)
        return reply.backend
    was_refused = known is not None and bool(refusals) and refuses(refusals[0])
    if reply.refuses_the_form or (was_refused and not reply.answer.text):
        return reply.backend
    found = identified(reply.backend, reply.answer, reply.recorder)
    found = replace(found, is_tried=found.backend.form is reply.backend.form)
    if was_refused and known is not None and found.backend.form is known.backend.form:
        found = Found(as_asked(reply.backend, reply.recorder), None)
    for url in {backend.url, found.backend.url}:
        client.remember(replace(backend, url=url), found)
    take(Warning(FOUND_ELSEWHERE, _search_in_words(requests, found.backend)))
    return found.backend


async def answer_anywhere(
    client: Client, backend: Backend, request: ChatRequest, *, on_request: Callable[[str, str], None] | None = None
) -> tuple[Answer, Backend]:
    """The whole answer to `request`, asked as `ask_anywhere` asks, and the backend that replied."""
    builder = AnswerBuilder(secrets_of(backend, request.overrides))

    def take(event: Event) -> None:
        builder.add(event)

    found = await ask_anywhere(client, backend, request, take, on_request=on_request)
    builder.close()
    return builder.answer(), found


def _with_search(refusal: Failed, search: Search) -> Failed:
    refused, words = refusal.error, search.error.message
    if not (says_only_absent(refused) or (refused.code == search.error.code == "html_page")):
        words = msg("{problem} {more}", problem=ended(refused.message), more=words)
    return Failed(replace(refused, message=words))


def _search_in_words(requests: Requests, found: Backend) -> str:
    return msg(
        "the address did not take the question as it was; the chat backend answered at {url} (tried: {requests})",
        url=without_query(found.place),
        requests="; ".join(request.in_words for request in requests.sent),
    )
