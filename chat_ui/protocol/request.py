"""What is sent: messages, options and session state, as the JSON body that a backend expects."""

from __future__ import annotations

from dataclasses import dataclass, field

from chat_ui.protocol.backend import Backend
from chat_ui.protocol.events import Json, JsonObject, SessionState


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation; `role` is `user`, `assistant` or `system`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question with what came before it.

    `messages` is the full history, oldest first, the question last. `overrides` are the options of the
    backend (`temperature`, `suggest_followup_questions`, …); `context` holds other keys of the context.
    `session_state` is the last one received.
    """

    messages: tuple[Message, ...]
    overrides: JsonObject = field(default_factory=dict)
    context: JsonObject = field(default_factory=dict)
    session_state: SessionState | None = None


def request_body(backend: Backend, request: ChatRequest, *, stream_flag: bool | None) -> dict[str, Json]:
    """The JSON body for `backend`; `stream_flag` is the value of `stream`, None to leave it out.

    Keys that say nothing are left out: real backends refuse `context: {}`, `context: null` and
    `session_state: null`.
    """
    messages = request.messages[-1:] if backend.history == "last" else request.messages
    body: dict[str, Json] = {
        backend.messages_key: [{"role": message.role, "content": message.content} for message in messages]
    }
    context: dict[str, Json] = dict(request.context)
    if request.overrides:
        if backend.overrides == "nested":
            context["overrides"] = request.overrides
        else:
            context.update(request.overrides)
    if context:
        body["context"] = context
    state = request.session_state
    if state is not None and state.value not in (None, {}):
        body[backend.session_state_key or state.key] = state.value
    if stream_flag is not None:
        body["stream"] = stream_flag
    if backend.model:
        body["model"] = backend.model
    body.update(backend.extra_body)
    return body
