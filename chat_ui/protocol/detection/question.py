"""The one path by which a question is asked: at a place, in the form that is taken there.

A refusal that names what is missing (`context`, `input`, `messages`, `model`) or not wanted (a context) is heeded and
the question sent again, since no model has answered it. After an answer, and after a refusal that has nothing to do
with the request's form, nothing more is sent: what was heard last is what is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest
from chat_ui.protocol.detection.forms import form_guessed, form_named, misses_model
from chat_ui.protocol.detection.tried import ABSENT, Heard, Record, Requests
from chat_ui.protocol.dialects.family import Answered
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS, identify
from chat_ui.protocol.events import Event, JsonObject
from chat_ui.protocol.transport.http_errors import is_unhandled
from chat_ui.protocol.transport.probe import Probe
from chat_ui.protocol.transport.recorder import WireRecord

MAX_FORMS: Final = 3
"""Forms in which a question is sent at most; at most one of them is answered, the others were refused."""
SAYS_ABSENT: Final = re.compile(r"unexpected endpoint|(?:endpoint|route) not found", re.IGNORECASE)
"""The words of some model servers, such as LM Studio, with status 200 at a path they do not serve."""
_ELSEWHERE_THAN_AT_A_ROOT: Final = frozenset({403, 415})
"""Statuses of web servers for a question at their root: they say nothing of the paths below."""


class Question:
    """A question that goes out over `requests`; `take` gets the events of what is heard, as they arrive, but for those
    of a refusal (`Heard.kept_back`). `record` gives the recorder of each time that it is sent.
    """

    def __init__(
        self,
        requests: Requests,
        question: ChatRequest,
        *,
        record: Record,
        take: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._requests = requests
        self._question = question
        self._record = record
        self._take = take
        self.models: tuple[str, ...] = ()
        """The models that the server was found to list."""

    async def ask_where_it_is(self, candidates: AsyncGenerator[Backend, None]) -> tuple[Heard | None, list[Heard]]:
        """The response of the first of `candidates` that exists, None where none does; and earlier refusals."""
        refusals: list[Heard] = []
        async with aclosing(candidates):
            async for backend in candidates:
                heard = await self.ask(backend)
                if not is_elsewhere(heard):
                    return heard, refusals
                refusals.append(heard)
        return None, refusals

    async def ask(self, backend: Backend) -> Heard:
        """The response of `backend`, asked in the form that it takes."""
        told = heard = await self._send(backend)
        asked = [backend]
        while heard.kept_back and len(asked) < MAX_FORMS:
            form, is_guess = await self._next_form(heard)
            if form is None or not self._requests.has_room_for(form):
                break
            # How a stream is asked for was found out on the way, and makes no other form.
            new = replace(form, streaming=backend.streaming)
            if new in asked:
                break
            asked.append(new)
            heard = await self._send(form)
            if not (is_guess and self._is_wrong(heard)):
                told = heard
        return told

    def _is_wrong(self, heard: Heard) -> bool:
        """Whether the form of a question, a guess, is refused as well: then the refusal before it says more."""
        error = heard.answer.error
        if error is None or not heard.kept_back:
            return False
        return is_unhandled(error) or form_named(heard.backend, self._question, error) is not None

    async def _send(self, backend: Backend) -> Heard:
        return await self._requests.ask(backend, self._question, self._record(backend), self._take)

    async def _next_form(self, heard: Heard) -> tuple[Backend | None, bool]:
        """The form to ask in after a refusal, and whether it is a guess."""
        error = heard.answer.error
        if error is None or heard.recorder.requests[-1][1] is None:
            return None, False
        backend = heard.as_it_went
        if misses_model(backend, error):
            named = await self.with_model(backend)
            return (named if named.model else None), False
        form = form_named(backend, self._question, error)
        return (form, False) if form is not None else (form_guessed(backend, error), True)

    async def with_model(self, backend: Backend) -> Backend:
        """`backend` with the first model that its server lists, where none is named."""
        parts = urlsplit(backend.url)
        base, completions, _ = parts.path.rpartition("/chat/completions")
        if not (backend.model or self.models):
            path = f"{base}/models" if completions else "/api/tags"
            probe = await self._requests.probe("GET", urlunsplit(parts._replace(path=path, query="")))
            if probe is not None:
                self.models = _models_in(probe)
                count = len(self.models)
                words = f"lists {count} model{'' if count == 1 else 's'}" if count else "lists no models"
                self._requests.note(probe, words)
        return replace(backend, model=backend.model or next(iter(self.models), None))


def is_elsewhere(heard: Heard) -> bool:
    """Whether what was heard says that no chat backend is at that place: nothing is, or pages are."""
    error = heard.answer.error
    if error is None or not heard.kept_back:
        return False
    at_root = not urlsplit(heard.backend.url).path.strip("/")
    if error.status in ABSENT:
        # What is known of a model is not said by a place that is not there.
        return "model" not in error.message.lower()
    if heard.recorder.requests[-1][1] == 200 and SAYS_ABSENT.search(error.message):
        return True
    says_nothing = error.code == "empty_answer" and heard.answer.dialect is None
    return error.code == "html_page" or (
        at_root and (says_nothing or error.code == "redirect" or error.status in _ELSEWHERE_THAN_AT_A_ROOT)
    )


def spoken_to(form: Backend, asked: Backend) -> Backend:
    """The backend that `form` describes, with what was said of it where it was asked for: credentials, model, whether
    it streams, and what belongs to its profile.
    """
    return replace(
        form,
        headers=asked.headers,
        key_header=asked.key_header,
        dialect=form.dialect if asked.dialect == "auto" else asked.dialect,
        model=asked.model or form.model,
        stream=asked.stream,
        extra_body=asked.extra_body,
        documents=asked.documents,
        profile=asked.profile,
        name=asked.name,
    )


def identified(heard: Heard) -> tuple[Backend, str | None]:
    """The backend that was heard as it is asked from now on, and its name in `KNOWN_BACKENDS`, None where it is none of
    them.
    """
    backend = heard.as_it_went
    record = heard.recorder.record()
    headers = {name.lower(): value for name, value in record.headers}
    name = identify(Answered(backend, heard.answer, _first_object(record), headers))
    if name is None:
        return backend, None
    template = KNOWN_BACKENDS[name].template
    streaming = backend.streaming if template.streaming == "auto" else template.streaming
    only = backend.streams_only or template.streams_only
    return spoken_to(replace(template, url=backend.url, streaming=streaming, streams_only=only), backend), name


def _first_object(record: WireRecord) -> JsonObject:
    try:
        value = json.loads(record.lines[0].text) if record.lines else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _models_in(probe: Probe) -> tuple[str, ...]:
    try:
        value = json.loads(probe.body)
    except (ValueError, RecursionError):
        return ()
    listed = (value.get("data") or value.get("models")) if isinstance(value, Mapping) else None
    if probe.status != 200 or not isinstance(listed, list):
        return ()
    named = [entry.get("id") or entry.get("name") for entry in listed if isinstance(entry, Mapping)]
    return tuple(name for name in named if isinstance(name, str) and name)
