"""JSON values to events: what backends of this family send, recognised object by object.

None of the dialects has a version field, and one body may change from one to another, so each object is read
by the keys it has. Errors, context, session state and usage are read the same way in all of them; the readers
of the families differ in where the text is. Text that merely repeats what was streamed is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from chat_ui.protocol.errors import CONTENT_FILTER, error_of
from chat_ui.protocol.events import (
    ContextReceived,
    DialectSeen,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    ReasoningDelta,
    SessionState,
    TextDelta,
    TextSoFar,
    UsageReceived,
    Warning,  # noqa: A004
)
from chat_ui.protocol.framing import Framed

DIALECTS: Final = {
    "choices": "2024-01-28: `choices[0].delta`, streaming by body",
    "flat": "2024-05-29: `delta` and `message`, streaming by path",
    "chat-protocol": "Microsoft AI Chat Protocol: as flat, with `sessionState`",
    "openai": "OpenAI chat completions, server-sent events",
    "on-your-data": "Azure OpenAI On Your Data",
    "responses": "the Responses shape of 2026",
    "sample-app": "the Azure sample app: `choices[].messages[]`",
    "ollama": "Ollama's native lines",
    "answer": "2023: `answer`, `data_points`, `thoughts`",
}
"""The names a dialect can be fixed to, each with what it is."""

_FAMILY: Final = {
    "choices": "choices",
    "openai": "choices",
    "on-your-data": "choices",
    "flat": "flat",
    "chat-protocol": "flat",
    "ollama": "flat",
    "responses": "responses",
    "sample-app": "sample-app",
    "answer": "answer",
}
_STATE_KEYS: Final = ("session_state", "sessionState", "history_metadata")
_CONTEXT_KEYS: Final = frozenset({"data_points", "thoughts", "followup_questions", "citations"})
_CHAT_KEYS: Final = frozenset({"delta", "message", "choices", "context", "output_text", "answer", "output", "response"})
_OWN_DATA_KEYS: Final = frozenset({"citations", "intent", "all_retrieved_documents"})
_SAY_SOMETHING: Final = _CONTEXT_KEYS | {"choices", "context", "usage", *_STATE_KEYS}
_CHOICES_FAMILY: Final = frozenset({"choices", "openai", "on-your-data"})
_FLAT_FAMILY: Final = frozenset({"flat", "chat-protocol"})
_PLAIN_KEYS: Final = frozenset(
    {
        "delta",
        "choices",
        "type",
        "id",
        "object",
        "created",
        "model",
        "system_fingerprint",
        "service_tier",
        "obfuscation",
        "sequence_number",
        "item_id",
        "output_index",
        "content_index",
        "snapshot",
        "logprobs",
    }
)
_PLAIN_CHOICE_KEYS: Final = frozenset({"delta", "index", "logprobs", "end_turn"})
_MAX_NESTING: Final = 8


class DialectReader:
    """Turns the values of one answer into events; `dialect` fixes the dialect, `auto` recognises it.

    `read` never raises: a value that says nothing becomes a `Warning`.

    Raises:
        ValueError: `dialect` is neither `auto` nor a key of `DIALECTS`.
    """

    def __init__(self, dialect: str = "auto") -> None:
        if dialect != "auto" and dialect not in DIALECTS:
            raise ValueError(f"No dialect is called {dialect!r}. Known: auto, {', '.join(DIALECTS)}.")
        self._fixed = None if dialect == "auto" else dialect
        self._seen: str | None = None
        self._certainty = 0
        self._streamed: list[str] = []
        self._readers: dict[str, Callable[[JsonObject], Iterator[Event]]] = {
            "choices": self._choices,
            "flat": self._flat,
            "responses": self._responses,
            "sample-app": self._sample_app,
            "answer": self._old_answer,
        }

    def read(self, item: Framed) -> list[Event]:
        """The events of one value."""
        value, event = item
        if type(value) is dict and event is None and (text := self._plain_text(value)) is not None:
            return self._text(text)
        return list(self._events(value, event))

    def _plain_text(self, value: dict[str, Json]) -> str | None:
        """The text of a line that carries nothing else, which is nearly every line of a stream; None for others."""
        for key, item in value.items():
            if item is not None and key not in _PLAIN_KEYS:
                return None
        seen = self._seen
        if seen == "responses":
            text = value.get("delta")
            return text if value.get("type") == "response.output_text.delta" and type(text) is str else None
        delta = value.get("delta")
        if delta is None and seen in _CHOICES_FAMILY:
            choices = value.get("choices")
            if type(choices) is not list or len(choices) != 1 or type(choices[0]) is not dict:
                return None
            choice = choices[0]
            if choice.get("index"):
                return None
            for key, item in choice.items():
                if item is not None and key not in _PLAIN_CHOICE_KEYS:
                    return None
            delta = choice.get("delta")
        elif seen not in _FLAT_FAMILY or "choices" in value or "type" in value:
            return None
        if type(delta) is not dict:
            return None
        for key, item in delta.items():
            if item is not None and key != "content" and key != "role":  # noqa: PLR1714 - twice as fast as a set
                return None
        text = delta.get("content")
        return text if type(text) is str else None

    def _events(self, value: Json, event: str | None) -> Iterator[Event]:
        if not isinstance(value, Mapping):
            if event == "error":
                yield Failed(error_of(value))
            else:
                yield Warning("unexpected_value", f"{_kind(value)} where an object was expected: {_excerpt(value)}")
            return
        name = self._fixed or self._recognise(value)
        if name is not None and name != self._seen:
            self._seen = name
            yield DialectSeen(name)
        error = _error_in(value, event)
        if error is not None:
            yield Failed(error)
        yield from _context_events(value)
        family = _FAMILY.get(self._fixed or _name_of(value) or "")
        if family is not None:
            yield from self._readers[family](value)
        elif error is None and value and not value.keys() & _SAY_SOMETHING:
            yield Warning("unknown_object", f"an object with the keys {_excerpt(sorted(map(str, value)))} was skipped")
        usage = value.get("usage")
        if isinstance(usage, Mapping) and usage:
            yield UsageReceived(usage)

    def _recognise(self, value: JsonObject) -> str | None:
        name = _name_of(value)
        if name is None:
            return None
        certainty = _certainty(name, value)
        if self._seen is not None and _FAMILY[name] == _FAMILY[self._seen] and certainty <= self._certainty:
            # Within a family the line that says most decides, and later lines that say less do not undo it.
            return self._seen
        self._certainty = certainty
        return name

    def _text(self, text: str) -> list[Event]:
        if not text:
            return []
        self._streamed.append(text)
        return [TextDelta(text)]

    def _whole_text(self, text: str) -> Iterator[Event]:
        """Text that may be the whole answer again after it was streamed: only what is new of it counts."""
        if self._streamed and text:
            streamed = "".join(self._streamed)
            self._streamed = [streamed]
            if streamed.startswith(text):
                return
            if text.startswith(streamed):
                text = text[len(streamed) :]
        yield from self._text(text)

    # --- the families ---

    def _choices(self, value: JsonObject) -> Iterator[Event]:
        choice = _first_choice(value)
        if choice is None:
            return
        delta, message = choice.get("delta"), choice.get("message")
        if isinstance(delta, Mapping):
            yield from self._delta(delta)
        elif isinstance(delta, str):
            yield from self._text(delta)
        if isinstance(message, Mapping):
            yield from _reasoning(message)
            yield from self._whole_text(content_text(message.get("content")))
        if delta is None and message is None and isinstance(choice.get("text"), str):
            yield from self._text(content_text(choice["text"]))
        yield from _finish(choice.get("finish_reason"))

    def _flat(self, value: JsonObject) -> Iterator[Event]:
        delta, message = value.get("delta"), value.get("message")
        if isinstance(delta, Mapping):
            yield from self._delta(delta)
        elif isinstance(delta, str):
            yield from self._text(delta)
        if isinstance(message, Mapping):
            yield from _reasoning(message)
            text = content_text(message.get("content"))
            if "done" in value:
                yield from self._text(text)
            else:
                yield from self._whole_text(text)
        elif "done" in value and isinstance(value.get("response"), str):
            yield from self._text(content_text(value["response"]))
        if value.get("done") is True:
            counts = {key: value[key] for key in ("prompt_eval_count", "eval_count", "total_duration") if key in value}
            if counts:
                yield UsageReceived(counts)
        yield from _finish(value.get("finish_reason"))

    def _delta(self, delta: JsonObject) -> Iterator[Event]:
        yield from _reasoning(delta)
        yield from self._text(content_text(delta.get("content")))
        yield from self._text(content_text(delta.get("refusal")))

    def _responses(self, value: JsonObject) -> Iterator[Event]:
        named = value.get("type")
        kind = named if isinstance(named, str) else None
        delta = value.get("delta")
        if kind is not None and kind.endswith(".delta"):
            if kind in {"response.output_text.delta", "response.refusal.delta"}:
                yield from self._text(content_text(delta))
            elif "reasoning" in kind and (text := content_text(delta)):
                yield ReasoningDelta(text)
        elif kind in {"response.output_text.done", "response.refusal.done"} and not self._streamed:
            yield from self._text(content_text(value.get("text") or value.get("refusal")))
        elif kind is None:
            if value.get("output_text") is not None:
                yield from self._whole_text(content_text(value["output_text"]))
            elif isinstance(value.get("output"), list):
                yield from self._whole_text(_output_text(value["output"]))
            elif isinstance(delta, str):
                yield from self._text(delta)
        response = value.get("response")
        if isinstance(response, Mapping):
            if not self._streamed:
                yield from self._whole_text(
                    content_text(response.get("output_text")) or _output_text(response.get("output"))
                )
            usage = response.get("usage")
            if isinstance(usage, Mapping) and usage:
                yield UsageReceived(usage)

    def _sample_app(self, value: JsonObject) -> Iterator[Event]:
        choice = _first_choice(value)
        messages = choice.get("messages") if choice else None
        if not isinstance(messages, list):
            return
        for message in messages:
            if not isinstance(message, Mapping):
                continue
            role, text = message.get("role"), content_text(message.get("content"))
            if role == "tool":
                yield from _tool_context(message.get("content"))
            elif role == "error":
                yield Failed(error_of(text))
            elif role is None or role == "assistant":
                yield from _reasoning(message)
                if text:
                    yield TextSoFar(text)

    def _old_answer(self, value: JsonObject) -> Iterator[Event]:
        yield from self._whole_text(content_text(value.get("answer")))


def _certainty(name: str, value: JsonObject) -> int:
    """How surely `value` is of the dialect `name` rather than another of its family."""
    if name == "choices":
        choice = _first_choice(value) or {}
        return 2 if choice.keys() & {"context", "session_state"} or _inner_context(choice) else 0
    return {"openai": 1, "on-your-data": 3, "chat-protocol": 1, "ollama": 2}.get(name, 0)


def _name_of(value: JsonObject) -> str | None:
    """The dialect that one object shows, None where it could be of any."""
    kind = value.get("type")
    if (isinstance(kind, str) and kind.startswith("response.")) or "output_text" in value:
        return "responses"
    if value.get("object") == "response" and isinstance(value.get("output"), list):
        return "responses"
    if isinstance(value.get("choices"), list):
        return _choices_name(value)
    if "done" in value and ("message" in value or "response" in value):
        return "ollama"
    if isinstance(value.get("delta"), str):
        return "responses"
    if "delta" in value or isinstance(value.get("message"), Mapping):
        return "chat-protocol" if "sessionState" in value else "flat"
    if "answer" in value and not isinstance(value["answer"], Mapping):
        return "answer"
    return None


def _choices_name(value: JsonObject) -> str | None:
    choice = _first_choice(value)
    if choice is None:
        return None
    if "messages" in choice:
        return "sample-app"
    inner = _inner_context(choice)
    if inner.keys() & _OWN_DATA_KEYS:
        return "on-your-data"
    if inner or choice.keys() & {"context", "session_state"} or not isinstance(value.get("object"), str):
        return "choices"
    return "openai"


def _inner_context(choice: JsonObject) -> JsonObject:
    for inner in (choice.get("delta"), choice.get("message")):
        context = inner.get("context") if isinstance(inner, Mapping) else None
        if isinstance(context, Mapping):
            return context
    return {}


def _first_choice(value: JsonObject) -> JsonObject | None:
    choices = value.get("choices")
    if not isinstance(choices, list):
        return None
    for choice in choices:
        if isinstance(choice, Mapping) and choice.get("index") in (0, None):
            return choice
    return None


def content_text(content: Json, depth: int = 0) -> str:
    """The text of a content: a string, null (nothing), a number (its text) or a list of parts (their
    `text`).
    """
    if content is None or isinstance(content, bool) or depth > _MAX_NESTING:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, int | float):
        return _number_text(content)
    if isinstance(content, Mapping):
        for key in ("text", "content", "value"):
            if content.get(key) is not None:
                return content_text(content[key], depth + 1)
        return ""
    return "".join(content_text(part, depth + 1) for part in content)


def _number_text(number: float) -> str:
    try:
        return str(number)
    except ValueError:
        return hex(int(number))


def _output_text(output: Json) -> str:
    if not isinstance(output, list):
        return ""
    return "".join(
        content_text(item.get("content"))
        for item in output
        if isinstance(item, Mapping) and item.get("type", "message") == "message"
    )


def _reasoning(message: JsonObject) -> Iterator[Event]:
    for key in ("reasoning_content", "reasoning", "thinking"):
        text = content_text(message.get(key))
        if text:
            yield ReasoningDelta(text)
            return


def _finish(reason: Json) -> Iterator[Event]:
    if reason == "content_filter":
        yield Failed(ErrorInfo(CONTENT_FILTER, code="content_filter"))
    elif reason == "length":
        yield Warning("finish_length", "the backend stopped at its own limit of length, so the answer may be short")


# --- what all dialects share ---


def _places(value: JsonObject) -> Iterator[JsonObject]:
    """The objects of one value that may carry context and session state."""
    yield value
    choice = _first_choice(value)
    if choice is not None:
        yield choice
    for outer in (value, choice):
        if outer is not None:
            for key in ("delta", "message"):
                inner = outer.get(key)
                if isinstance(inner, Mapping):
                    yield inner


def _context_events(value: JsonObject) -> Iterator[Event]:
    beside = {key: value[key] for key in _CONTEXT_KEYS if value.get(key) is not None}
    if beside:
        yield ContextReceived(beside)
    for place in _places(value):
        context = place.get("context")
        if isinstance(context, Mapping):
            if context:
                yield ContextReceived(unwrap_context(context))
        elif context is not None:
            yield Warning("unexpected_context", f"a context that is {_kind(context)} was skipped: {_excerpt(context)}")
        for key in _STATE_KEYS:
            if place.get(key) is not None:
                yield SessionState(key, place[key])


def unwrap_context(context: JsonObject) -> JsonObject:
    """`context` with every `context.context` inside it merged into one; what stands further out wins."""
    layers = [context]
    while isinstance(inner := layers[-1].get("context"), Mapping) and len(layers) < _MAX_NESTING:
        layers.append(inner)
    merged: dict[str, Json] = {}
    for layer in reversed(layers):
        merged.update({key: item for key, item in layer.items() if item is not None and key != "context"})
    return merged


def _tool_context(content: Json) -> Iterator[Event]:
    """The context in the content of a tool message, which is a JSON string."""
    context = content
    if isinstance(content, str):
        if not content.strip():
            return
        try:
            context = json.loads(content, strict=False)
        except (ValueError, RecursionError):
            detail = f"a tool message that is no JSON was skipped: {_excerpt(content)}"
            yield Warning("unexpected_context", detail)
            return
    if isinstance(context, Mapping):
        if context:
            yield ContextReceived(unwrap_context(context))
    elif context is not None:
        yield Warning("unexpected_context", f"a tool message that is {_kind(context)} was skipped: {_excerpt(context)}")


def _error_in(value: JsonObject, event: str | None) -> ErrorInfo | None:
    named = value.get("type")
    kind = named if isinstance(named, str) else None
    response = value.get("response")
    if kind in {"response.failed", "response.incomplete", "response.error"}:
        return _failed_response(kind, value, response if isinstance(response, Mapping) else {})
    if value.get("error") is not None:
        return error_of(value["error"], value)
    if kind == "error" or event == "error":
        return error_of(value)
    choice = _first_choice(value)
    if choice is not None and choice.get("error") is not None:
        return error_of(choice["error"])
    if isinstance(response, Mapping) and response.get("error") is not None:
        return error_of(response["error"])
    if value.keys() & _CHAT_KEYS - {"message"} or isinstance(value.get("message"), Mapping):
        return None
    if "code" in value and "message" in value:
        return error_of(value)
    if value.get("detail") is not None and not value.keys() & _CONTEXT_KEYS:
        return error_of(value["detail"])
    return None


def _failed_response(kind: str, value: JsonObject, response: JsonObject) -> ErrorInfo:
    details = response.get("incomplete_details") or value.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    if reason == "content_filter":
        return ErrorInfo(CONTENT_FILTER, code="content_filter")
    for error in (value.get("error"), response.get("error"), value.get("message")):
        if error is not None:
            info = error_of(error)
            return info if info.code else ErrorInfo(info.message, code=kind)
    if isinstance(reason, str) and reason:
        return ErrorInfo(f"The backend stopped before the end of the answer: {reason[:80]} ({kind}).", code=kind)
    return ErrorInfo(f"The backend reported {kind} without saying why.", code=kind)


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    return "a string" if isinstance(value, str) else "a list"


def _excerpt(value: Json) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"
    return repr(text if len(text) <= 80 else text[:79] + "…")
