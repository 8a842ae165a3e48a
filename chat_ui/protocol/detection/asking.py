"""One question to an address that may not be quite the backend's: asked there, and after a refusal for its place or its
form, asked where the backend is found.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final

from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest
from chat_ui.protocol.detection.detection import Search
from chat_ui.protocol.detection.question import Question, identified, spoken_to
from chat_ui.protocol.detection.tried import Record, Requests
from chat_ui.protocol.events import Event, Warning  # noqa: A004
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.recorder import WireRecorder

FOUND_ELSEWHERE: Final = "found_elsewhere"
"""The code of the warning that says where a backend answered instead."""
_MOST_REQUESTS: Final = 20


async def ask_anywhere(
    client: Client,
    backend: Backend,
    request: ChatRequest,
    take: Callable[[Event], None],
    *,
    record: Record = lambda *_: WireRecorder(),
    on_request: Callable[[str, str], None] | None = None,
) -> Backend:
    """Ask `request`, give `take` the events of what is heard, as they arrive, and return the backend that said it.

    A backend that is looked for, or asked in another form, has refused the question before, so no more than one is
    answered by a model. Where it is found, `client` remembers place and form for `backend.url`, whatever it said, and a
    `Warning` tells what was tried. `record` gives the recorder of each question, `on_request` hears of each request.
    """
    client = client.to(backend)
    requests = Requests(client, backend.headers, most=_MOST_REQUESTS, on_request=on_request)
    asking = Question(requests, request, record=record, take=take)
    known = client.found.get(backend.url)
    remembered = spoken_to(known.backend, backend) if known is not None else backend

    async def candidates() -> AsyncGenerator[Backend, None]:
        yield remembered
        if known is not None:
            yield backend
        async with aclosing(Search(requests, backend).backends(asking)) as found:
            async for one in found:
                yield one

    heard, refusals = await asking.ask_where_it_is(candidates())
    # Where nothing is there, what the address itself said tells most.
    told = heard or refusals[0 if known is None else 1]
    for event in told.kept_back:
        take(event)
    if heard is not None and heard.backend != remembered:
        found, name = identified(heard)
        for url in {backend.url, found.url}:
            client.remember(url, found, name)
        take(Warning(FOUND_ELSEWHERE, _told(requests, found)))
    return told.backend


def _told(requests: Requests, found: Backend) -> str:
    tried = [
        f"{one.method} {without_query(one.url)}: {one.status or 'no answer'}, {one.in_words}" for one in requests.tried
    ]
    answered = f"the chat backend answered at {without_query(found.place)}"
    return f"the address did not take the question as it was; {answered} (tried: {'; '.join(tried)})"
