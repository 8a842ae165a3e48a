"""One question to an address that may not be quite the backend's: asked there, and after a refusal for its place or its
form, asked where the backend is found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from chat_ui.protocol.backend import Backend
from chat_ui.protocol.client import Client
from chat_ui.protocol.detection import Detection, Record, detect, hear, may_be_elsewhere
from chat_ui.protocol.events import Event, TextDelta, Warning  # noqa: A004
from chat_ui.protocol.request import ChatRequest
from chat_ui.protocol.wire import WireRecorder

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
) -> None:
    """Ask `request`, and give `take` the events of its answer as they arrive.

    A backend that is looked for has refused the question before, so no more than one is answered by a model. Where it
    is found, `client` remembers that for `backend.url`, and a `Warning` tells what was tried and what answered.
    `record` gives the recorder of each question, `on_request` hears of each request of the search.
    """
    known = client.found.get(backend.url)
    asked = backend if known is None else _as_found(known.backend, backend)
    answer, refusal = await hear(client, asked, request, record(asked), take)
    if refusal and may_be_elsewhere(answer):
        found = await detect(
            client, backend.url, headers=backend.headers, model=backend.model, extra_body=backend.extra_body,
            question=request, record=record, on_request=on_request, take=take,
        )  # fmt: skip
        if found.backend is not None and found.answer is not None and found.answer.text.strip():
            client.remember(backend.url, found.backend, found.kind)
            if found.wire is None:
                # It answered an empty body, which was no stream.
                take(TextDelta(found.answer.text))
            take(Warning(FOUND_ELSEWHERE, _told(asked, answer.error.status if answer.error else None, found)))
            return
    for event in refusal:
        take(event)


def _as_found(known: Backend, backend: Backend) -> Backend:
    return replace(
        known,
        headers=backend.headers,
        dialect=known.dialect if backend.dialect == "auto" else backend.dialect,
        model=backend.model or known.model,
        stream=backend.stream,
        extra_body=backend.extra_body,
        documents=backend.documents,
    )


def _told(asked: Backend, status: int | None, found: Detection) -> str:
    tried = [f"POST {_bare(asked.url)}: {status}"]
    tried += [f"{one.method} {_bare(one.url)}: {one.status or 'no answer'}, {one.told}" for one in found.tried]
    place = _bare(found.backend.url) if found.backend else ""
    return f"the address did not take the question; the chat backend answered at {place} (tried: {'; '.join(tried)})"


def _bare(url: str) -> str:
    return url.partition("?")[0]
