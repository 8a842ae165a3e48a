"""The backend that an answer shows: how it is asked from now on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, configured_like
from chat_ui.protocol.dialects.family import Answered
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS, identify
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.transport.recorder import WireRecord, WireRecorder


@dataclass(frozen=True, slots=True)
class Found:
    """A backend as an answer showed it: how to speak to it, and its name in `KNOWN_BACKENDS`, None where it is none of
    them.
    """

    backend: Backend
    known_backend: str | None


def as_asked(backend: Backend, recorder: WireRecorder) -> Backend:
    """`backend`, with the way of asking for a stream that it answered."""
    if backend.streaming != "auto" or not backend.stream:
        return backend
    by_path = urlsplit(recorder.requests[-1][0]).path.rstrip("/").endswith("/stream")
    return replace(backend, streaming="path" if by_path else "body")


def identified(backend: Backend, answer: Answer, recorder: WireRecorder) -> Found:
    """What `answer`, recorded by `recorder`, shows of the `backend` that was asked."""
    asked, record = as_asked(backend, recorder), recorder.record()
    headers = {name.lower(): value for name, value in record.headers}
    name = identify(Answered(asked, answer, _first_object(record), headers))
    if name is None:
        return Found(asked, None)
    template = KNOWN_BACKENDS[name].template
    is_told = asked.streaming == "auto" or (asked.streaming == "body" and template.streaming == "server")
    streaming = template.streaming if is_told else asked.streaming
    only = asked.streams_only or template.streams_only
    is_other = template.form is not None and asked.form is not None and asked.form is template.form.otherwise
    form = asked.form if is_other else template.form
    described = replace(template, url=asked.url, streaming=streaming, streams_only=only, form=form)
    return Found(configured_like(described, asked), name)


def _first_object(record: WireRecord) -> JsonObject:
    try:
        value = json.loads(record.lines[0].text) if record.lines else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}
