"""OpenAI's Responses, and the AI Chat Protocol of 2026 in their shape: events with a `type`, or a whole response.

Questions go in the form of either. Source: OpenAI's API reference, "Responses" and "Streaming events".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Final

from chat_ui.protocol.answers.pause import Decision
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message, RequestFormat
from chat_ui.protocol.dialects.families.responses.response_events import ENDS, ResponsesReader
from chat_ui.protocol.dialects.families.responses.response_rules import STANDARD
from chat_ui.protocol.dialects.family import Answered, Dialect, End, Family, KnownBackend, Match
from chat_ui.protocol.dialects.objects import list_in, present
from chat_ui.protocol.events import CONVERSATION, PREVIOUS_RESPONSE, Json, JsonObject
from chat_ui.protocol.translatable import msg

_OVERRIDES_OF_POSTGRES: Final = ("temperature", "top", "retrieval_mode", "use_advanced_flow", "prompt_template", "seed")
_NUMBERED: Final = frozenset({"item_id", "output_index", "sequence_number"})
_STATES: Final = frozenset({PREVIOUS_RESPONSE, CONVERSATION})
_REFUSES_STATE: Final = re.compile(
    r"previous[_ ]response|malformed identifier|['\"`]conversation['\"`]"
    r"|\bconversation\b.{0,90}\b(?:not (?:found|exist|supported|permitted|allowed)|no longer)\b"
    r"|\b(?:unknown|unsupported|unexpected|unrecogni[sz]ed|extra|invalid|no such)\b.{0,40}\bconversation\b",
    re.IGNORECASE,
)


def _input(message: Message, _place: int) -> JsonObject:
    if not message.files:
        return {"role": message.role, "content": message.content}
    parts: list[Json] = [{"type": "input_text", "text": message.content}] if message.content else []
    return {"role": message.role, "content": [*parts, *map(_part, message.files)]}


def _part(file: Attachment) -> JsonObject:
    if file.media_type.startswith("image/"):
        return {"type": "input_image", "image_url": file.data_uri}
    return {"type": "input_file", "filename": file.name, "file_data": file.data_uri}


def _complete_history(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    return {"input": messages, **request.overrides, **({"model": backend.model} if backend.model else {})}


def _answers(decisions: Sequence[Decision]) -> list[Json]:
    return [
        {
            "type": "mcp_approval_response",
            "approval_request_id": decision.interrupt,
            "approve": decision.verdict == "approved",
            **present({"reason": decision.reason}),
        }
        for decision in decisions
    ]


def _body(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    """The body; a server that said so keeps the conversation before the question."""
    state, body = request.session_state, _complete_history(backend, request, messages)
    new = messages[-1:] if backend.extra_body.keys() & _STATES else messages[-request.new_message_count :]
    if request.resume is not None:
        new = _answers(request.resume.steps[-1][1])
        since = ([*list_in(pause.kept, "output"), *_answers(given)] for pause, given in request.resume.steps)
        body["input"] = [*messages, *chain.from_iterable(since)]
    if backend.extra_body.keys() & _STATES:
        return {**body, "input": new}
    return {**body, "input": new, state.key: state.value} if state is not None and state.key in _STATES else body


def _for_agent(body: dict[str, Json]) -> dict[str, Json]:
    """The body with the agent's name in place of a model's."""
    name = body.pop("model", None)
    return {**body, "agent_reference": {"type": "agent_reference", "name": name}} if name else body


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    name = value.get("type")
    is_named = isinstance(name, str) and name.startswith("response.")
    is_complete = value.get("object") == "response" and isinstance(present.get("output"), list)
    if is_named or is_complete or present.get("output_text") is not None:
        return Match("responses", 90)
    return Match("responses", 60) if isinstance(present.get("delta"), str) else None


def _known(answered: Answered) -> str | None:
    for name, known in _OPENAI.items():
        if answered.backend.request_format is known.template.request_format:
            return name
    if answered.backend.request_format is not None:
        return None
    if answered.backend.messages_key == "messages":
        return "azure-search-openai-demo"
    if answered.backend.requires_context:
        return "rag-postgres-openai-python"
    return "openai-chat-app-quickstart" if answered.path.endswith("/chat") else None


_OVERRIDES: Final = ("temperature", "top_p", "max_output_tokens", "instructions")
_FILE_TYPES: Final = (
    "image/",
    "application/pdf",
    "text/",
    "application/json",
    "application/vnd.openxmlformats-officedocument.",
)
"""Source: OpenAI's guide "File inputs"."""


def _template(form: RequestFormat, file_types: tuple[str, ...] = _FILE_TYPES) -> Backend:
    return Backend(
        "", streaming="body", request_format=form, known_overrides=_OVERRIDES, files="parts", file_types=file_types
    )


_RESPONSES: Final = RequestFormat(_input, _body, RequestFormat(_input, _complete_history), _REFUSES_STATE)
_OF_AZURE: Final = ("image/", "application/pdf")
"""Azure takes no other files."""
_OPENAI: Final = {
    "openai-responses": KnownBackend("/v1/responses", _template(_RESPONSES)),
    # Its path names the agent. An earlier form has `applications` in place of `agents`, without `endpoint`.
    "foundry-agent-endpoint": KnownBackend(
        "/api/projects/PROJECT/agents/NAME/endpoint/protocols/openai/responses?api-version=v1",
        _template(_RESPONSES, _OF_AZURE),
        "/protocols/openai",
    ),
    "foundry-agent": KnownBackend(
        "/api/projects/NAME/openai/v1/responses",
        _template(
            RequestFormat(
                _input,
                lambda *asked: _for_agent(_body(*asked)),
                RequestFormat(_input, lambda *asked: _for_agent(_complete_history(*asked))),
                _REFUSES_STATE,
            ),
            _OF_AZURE,
        ),
        "/api/projects/",
    ),
}


def _is_over(value: JsonObject) -> bool:
    """Whether a stream ended: a context shows the AI Chat Protocol, whose streams end with the body."""
    return value.get("type") in (*ENDS, "response.failed") or "context" in value


def _is_of_openai(value: JsonObject, event: str | None) -> bool:
    """Whether a stream is of OpenAI's kind, by fields that the AI Chat Protocol lacks."""
    name = value.get("type")
    is_named = event is not None and name == event
    return is_named or name in ("response.created", "response.in_progress") or bool(_NUMBERED & value.keys())


FAMILY: Final = Family(
    dialects=(
        Dialect(
            "responses",
            msg("OpenAI Responses, also the AI Chat Protocol of 2026"),
            End("response.completed", _is_over, is_due=_is_of_openai, closing="response.context"),
        ),
    ),
    match=_match,
    reader=ResponsesReader,
    position=4,
    places={"/chat/stream": 5, "/v1/responses": 7, "/responses": 9},
    endings={"/responses": _OPENAI["openai-responses"].template},
    bases={
        r"/api/projects/[^/]+": "/openai/v1/responses",
        r"/api/projects/[^/]+/openai/v1": "/responses",
        r"/api/projects/[^/]+/(?:agents|applications)/[^/]+/(?:endpoint/)?protocols/openai": "/responses",
    },
    backends={
        **_OPENAI,
        "rag-postgres-openai-python": KnownBackend(
            "/chat",
            Backend(
                "",
                streaming="path",
                messages_key="input",
                requires_context=True,
                known_overrides=_OVERRIDES_OF_POSTGRES,
            ),
        ),
        "openai-chat-app-quickstart": KnownBackend(
            "/chat",
            Backend("", streaming="path", streams_only=True, messages_key="input", known_overrides=()),
        ),
    },
    known=_known,
    standard=lambda _, known_backend, __: STANDARD if known_backend in _OPENAI else None,
)
