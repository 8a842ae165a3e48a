"""JSON values to events: what backends of this family send, recognised object by object.

None of the dialects has a version field, and one body may change from one to another, so each object is read
by the keys it has. Errors, context, session state and usage are read the same way in all of them; the readers
of the families differ in where the text is. Text that merely repeats what was streamed is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from chat_ui.protocol.answers.data_points import ANNOTATIONS, MAX_DATA_POINTS
from chat_ui.protocol.answers.growing_text import GrowingText, TextSoFar, rest_after
from chat_ui.protocol.dialects.contents import content_text, message_text, output_text
from chat_ui.protocol.dialects.contexts import (
    CONTEXT_KEYS,
    STATE_KEYS,
    annotations_in,
    context_events,
    tool_context_events,
)
from chat_ui.protocol.dialects.errors import CONTENT_FILTER, error_in, error_of
from chat_ui.protocol.dialects.plain_deltas import PLAIN_TEXT, PlainText, sample_app_text
from chat_ui.protocol.dialects.recognition import DIALECTS, FAMILY, certainty, first_choice, kind_in_words, name_of
from chat_ui.protocol.dialects.thinking import ThinkingFilter
from chat_ui.protocol.events import (
    ContextReceived,
    DialectSeen,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    ObjectSeen,
    ReasoningDelta,
    UsageReceived,
    Warning,  # noqa: A004
)
from chat_ui.protocol.reading.framing import Framed
from chat_ui.protocol.reading.json_text import excerpt, kind_of

__all__ = ["DIALECTS", "DialectReader"]

_TOOLS: Final = frozenset({"tool", "function"})
_NOT_ANSWERING: Final = frozenset({"user", "system", "developer"})
_TOOLS_ASKED_FOR: Final = frozenset({"tool_calls", "function_call"})
_OTHER_DELTAS: Final = frozenset({"compaction_delta", "input_json_delta", "signature_delta", "citations_delta"})
"""Types of Anthropic's deltas that are no text of the answer, whatever is in their content."""
_TOOL_ITEMS: Final = frozenset(
    {
        "function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call",
        "mcp_approval_request",
    }
)  # fmt: skip
"""The items of a Responses object in which a model asks for something to be done."""
_KINDS_TOLD: Final = 8
_SAY_SOMETHING: Final = CONTEXT_KEYS | {"choices", "context", "usage", *STATE_KEYS}


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
        self._plain_text: PlainText | None = None
        self._certainty = 0
        self._streamed = GrowingText()
        self._history_metadata: Json = None
        self._so_far = TextSoFar()
        self._thinking = ThinkingFilter()
        self._set_aside: list[tuple[Warning, str]] = []
        """What the system said before the answer came, and what is told of it."""
        self._asks_for_tool = self._is_tool_told = False
        self._annotations_left = MAX_DATA_POINTS
        self._kinds: set[str] = set()
        self._readers: dict[str, Callable[[JsonObject], Iterator[Event]]] = {
            "choices": self._choices,
            "flat": self._flat,
            "responses": self._responses,
            "sample-app": self._sample_app,
            "answer": self._old_answer,
        }
        self._plain_texts = {**PLAIN_TEXT, "sample-app": self._plain_sample_app}

    def read(self, item: Framed) -> list[Event]:
        """The events of one value."""
        return self.read_all((item,))

    def read_all(self, items: Iterable[Framed]) -> list[Event]:
        """The events of values that came together: texts that follow one another are one."""
        events: list[Event] = []
        texts: list[str] = []
        for item in items:
            value = item.value
            if self._plain_text is not None and type(value) is dict and item.event != "error":
                text = self._plain_text(value)
                if text is not None:
                    texts.append(text)
                    continue
            if texts:
                events += self._text("".join(texts))
                texts.clear()
            events += self._events(value, item.event)
        if texts:
            events += self._text("".join(texts))
        return events

    def _events(self, value: Json, event: str | None) -> Iterator[Event]:
        if not isinstance(value, Mapping):
            if event == "error":
                yield Failed(error_of(value))
            else:
                yield Warning("unexpected_value", f"{kind_of(value)} where an object was expected: {excerpt(value)}")
            return
        if not self._streamed.length and len(self._kinds) < _KINDS_TOLD:
            kind = kind_in_words(value, event)
            if kind not in self._kinds:
                self._kinds.add(kind)
                yield ObjectSeen(kind)
        name = self._fixed or self._recognise(value)
        if name is not None and name != self._seen:
            self._seen, self._plain_text = name, self._plain_texts.get(name)
            yield DialectSeen(name)
        error = error_in(value, event)
        if error is not None:
            yield Failed(error)
        yield from _filtered(value.get("prompt_filter_results"))
        yield from context_events(value)
        if annotations := annotations_in(value)[: self._annotations_left]:
            self._annotations_left -= len(annotations)
            yield ContextReceived({ANNOTATIONS: tuple(annotations)})
        found = name_of(value)
        family = FAMILY.get(self._fixed or found or "")
        if self._fixed is not None and found is not None and FAMILY[found] != family:
            yield Warning("other_dialect", f"an object of the dialect {found} was not read as {self._fixed}")
        elif family is not None:
            yield from self._readers[family](value)
        elif error is None and value and not value.keys() & _SAY_SOMETHING:
            yield Warning("unknown_object", f"an object that says nothing known was skipped: {excerpt(value)}")
        usage = value.get("usage")
        if isinstance(usage, Mapping) and usage:
            yield UsageReceived(usage)

    def _recognise(self, value: JsonObject) -> str | None:
        name = name_of(value)
        if name is None:
            return None
        sureness = certainty(name, value)
        if self._seen is not None and FAMILY[name] == FAMILY[self._seen] and sureness <= self._certainty:
            # Within a family the line that says most decides, and later lines that say less do not undo it.
            return self._seen
        self._certainty = sureness
        return name

    def _text(self, text: str) -> list[Event]:
        if not text:
            return []
        self._streamed.append(text)
        if not self._set_aside:
            return self._thinking.feed(text)
        # The answer has come, so what the system said before is none of it.
        told = [warning for warning, _ in self._set_aside]
        self._set_aside.clear()
        return [*told, *self._thinking.feed(text)]

    def close(self) -> list[Event]:
        """What was held back, once nothing more comes: an answer may be in the system's name alone."""
        events = self._thinking.close()
        if self._streamed.length:
            return events
        texts = [text for _, text in self._set_aside]
        self._set_aside.clear()
        if texts:
            return [*self._text("".join(texts)), *self._thinking.close()]
        return [*events, *(self._tool_asked_for() if self._asks_for_tool else ())]

    def _whole_text(self, text: str) -> Iterator[Event]:
        """Text that may be the whole answer again after it was streamed: only what is new of it counts."""
        if self._streamed.length and text:
            # No more of it than may be compared: each half of a surrogate pair counts for itself.
            streamed = self._streamed.beginning(2 * len(text) + 1)
            if rest_after(text, streamed) is not None:
                return
            rest = rest_after(streamed, text)
            text = text if rest is None else rest
        yield from self._text(text)

    # --- the families ---

    def _choices(self, value: JsonObject) -> Iterator[Event]:
        choice = first_choice(value)
        if choice is None:
            return
        delta, message = choice.get("delta"), choice.get("message")
        yield from self._delta(delta)
        if isinstance(message, Mapping):
            yield from self._said(message, self._whole_text)
        if not (delta or message) and isinstance(choice.get("text"), str):
            yield from self._text(content_text(choice["text"]))
        yield from self._finish(choice.get("finish_reason"))

    def _flat(self, value: JsonObject) -> Iterator[Event]:
        delta, message = value.get("delta"), value.get("message")
        yield from self._delta(delta)
        if isinstance(message, Mapping):
            yield from self._said(message, self._text if "done" in value else self._whole_text)
        elif "done" in value and isinstance(value.get("response"), str):
            yield from self._text(content_text(value["response"]))
        if value.get("done") is True:
            counts = {key: value[key] for key in ("prompt_eval_count", "eval_count", "total_duration") if key in value}
            if counts:
                yield UsageReceived(counts)
        yield from self._finish(value.get("finish_reason") or value.get("done_reason"))

    def _delta(self, delta: Json) -> Iterator[Event]:
        if not isinstance(delta, Mapping):
            yield from self._text(content_text(delta))
        elif not _is_of(delta, _OTHER_DELTAS):
            yield from self._said(delta, self._text)

    def _said(self, message: JsonObject, read: Callable[[str], Iterable[Event]]) -> Iterator[Event]:
        """What a message, or a piece of one, says, whose text `read` takes."""
        left_out = _said_by_another(message)
        if left_out is None:
            self._asks_for_tool |= any(message.get(key) for key in _TOOLS_ASKED_FOR)
            yield from _reasoning(message)
            yield from read(message_text(message))
        elif message.get("role") == "system" and not self._streamed.length:
            self._set_aside.append((left_out, message_text(message)))
        else:
            yield left_out

    def _responses(self, value: JsonObject) -> Iterator[Event]:
        named = value.get("type")
        kind = named if isinstance(named, str) else None
        delta = value.get("delta")
        if kind is not None and kind.endswith(".delta"):
            if kind in {"response.output_text.delta", "response.refusal.delta"}:
                yield from self._text(content_text(delta))
            elif "reasoning" in kind and (text := content_text(delta)):
                yield ReasoningDelta(text)
        elif kind in {"response.output_text.done", "response.refusal.done"} and not self._streamed.length:
            yield from self._text(content_text(value.get("text") or value.get("refusal")))
        elif kind is None:
            if value.get("output_text"):
                yield from self._whole_text(content_text(value["output_text"]))
            elif value.get("output"):
                yield from self._whole_text(output_text(value["output"]))
            elif isinstance(delta, str):
                yield from self._text(delta)
        response = value.get("response")
        whole = response if isinstance(response, Mapping) else value
        items = [value.get("item"), *(output if isinstance(output := whole.get("output"), list) else ())]
        self._asks_for_tool |= any(isinstance(one, Mapping) and _is_of(one, _TOOL_ITEMS) for one in items)
        if isinstance(response, Mapping):
            if not self._streamed.length:
                yield from self._whole_text(
                    content_text(response.get("output_text")) or output_text(response.get("output"))
                )
            usage = response.get("usage")
            if isinstance(usage, Mapping) and usage:
                yield UsageReceived(usage)

    def _sample_app(self, value: JsonObject) -> Iterator[Event]:
        self._history_metadata = value.get("history_metadata")
        choice = first_choice(value) or {}
        messages = choice.get("messages")
        for message in messages if isinstance(messages, list) else ():
            if not isinstance(message, Mapping):
                continue
            # Azure OpenAI On Your Data streamed pieces of messages in 2023, and `[DONE]` as the last piece of a turn.
            piece = message.get("delta")
            told = piece if isinstance(piece, Mapping) else message
            role, text = told.get("role"), content_text(told.get("content"))
            if role == "tool":
                yield from tool_context_events(told.get("content"))
            elif role == "error":
                yield Failed(error_of(text))
            elif told is piece:
                yield from self._text("" if message.get("end_turn") is True and text == "[DONE]" else text)
            elif role is None or role == "assistant":
                yield from _reasoning(message)
                yield from self._text(self._so_far.increment(text))
        yield from self._finish(choice.get("finish_reason"))

    def _finish(self, reason: Json) -> Iterator[Event]:
        if reason == "content_filter":
            yield Failed(ErrorInfo(CONTENT_FILTER, code="content_filter"))
        elif isinstance(reason, str) and reason in _TOOLS_ASKED_FOR:
            yield from self._tool_asked_for()
        elif reason == "length":
            yield Warning("finish_length", "the backend stopped at its own limit of length, so the answer may be short")

    def _tool_asked_for(self) -> Iterator[Event]:
        if not self._is_tool_told:
            self._is_tool_told = True
            yield Warning("tool_calls", "the backend asked for a tool to be called, which a chat page does not do")

    def _plain_sample_app(self, value: dict[str, Any]) -> str | None:
        text = sample_app_text(value, self._history_metadata)
        return self._so_far.increment(text) if text else text

    def _old_answer(self, value: JsonObject) -> Iterator[Event]:
        yield from self._whole_text(content_text(value.get("answer")))


def _is_of(value: JsonObject, types: frozenset[str]) -> bool:
    named = value.get("type")
    return isinstance(named, str) and named in types


def _said_by_another(message: JsonObject) -> Warning | None:
    """What is told of a message that is not the assistant's: an echo of the question, instructions, a tool's result."""
    role = message.get("role")
    if not isinstance(role, str):
        return None
    if role in _TOOLS:
        return Warning("tool_message", f"what a tool said was left out of the answer: {excerpt(message)}")
    if role in _NOT_ANSWERING and message_text(message):
        return Warning("other_role", f"what the role {role} said was left out of the answer: {excerpt(message)}")
    return None


def _filtered(results: Json) -> Iterator[Event]:
    """Azure OpenAI's `prompt_filter_results`: an error where a filter stopped the question."""
    for result in results if isinstance(results, list) else ():
        found = result.get("content_filter_results") if isinstance(result, Mapping) else None
        verdicts = found.values() if isinstance(found, Mapping) else ()
        if any(isinstance(verdict, Mapping) and verdict.get("filtered") is True for verdict in verdicts):
            yield Failed(ErrorInfo(CONTENT_FILTER, code="content_filter"))
            return


def _reasoning(message: JsonObject) -> Iterator[Event]:
    for key in ("reasoning_content", "reasoning", "thinking"):
        text = content_text(message.get(key))
        if text:
            yield ReasoningDelta(text)
            return
