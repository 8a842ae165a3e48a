"""Helpers to read a paused answer, and to write the decisions on it."""

import json
from collections.abc import Sequence
from typing import Any

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Decision, Resume, pause_from_json, pause_to_json
from chat_ui.protocol.backends.backend import ChatRequest, Message, attempts
from chat_ui.protocol.backends.request import request_body
from chat_ui.protocol.dialects.registry import form_at
from chat_ui.protocol.events import Pause, SessionState
from chat_ui.protocol.transport.answer_body import AnswerBody
from tests.protocol.asking import PATIENT, folded

CONVERSATION = "thread-1"


def stream(values: Sequence[object]) -> bytes:
    """Server-sent events."""
    return b"".join(
        b"data: " + (value.encode() if isinstance(value, str) else json.dumps(value).encode()) + b"\n\n"
        for value in values
    )


def read(values: Sequence[object], resume: Resume | None = None) -> Answer:
    """The answer in these events, or its rest after the decisions of `resume`."""
    body = AnswerBody("auto", PATIENT, resume=resume)
    return folded([*body.feed(stream(values)), *body.end(), *body.close()])


def pause_of(answer: Answer) -> Pause:
    """The pause of an answer, as another process reads it from the store."""
    assert answer.pause is not None
    kept = pause_from_json(json.loads(json.dumps(pause_to_json(answer.pause))))
    assert kept == answer.pause
    return kept


def written(
    resume: Resume, question: str, state: SessionState | None = None, conversation: str = CONVERSATION
) -> dict[str, Any]:
    """The body that sends the last decisions."""
    request = ChatRequest((Message("user", question),), {}, state, conversation, resume=resume)
    backend = form_at(resume.steps[-1][0].wire, "http://127.0.0.1/agent")
    return dict(request_body(backend, request, stream_flag=attempts(backend)[0].stream_flag))


def approved(pause: Pause) -> tuple[Decision, ...]:
    """A yes to each request."""
    return tuple(Decision(one.id, "approved") for one in pause.interrupts)
