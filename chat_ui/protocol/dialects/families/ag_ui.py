"""AG-UI, the protocol between agents and pages of Microsoft Agent Framework, Google ADK, AWS Strands and Pydantic AI.

Source: the protocol's documents, "Events" and "Types". It has no event for sources: they are found in the results of
tools, in the state, and in custom events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final
from uuid import uuid4

from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.backends.backend import Backend, RequestForm
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.dialects.agent_state import AgentState
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.contents import content_text
from chat_ui.protocol.dialects.errors import error_of
from chat_ui.protocol.dialects.family import Dialect, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.found_sources import context_found
from chat_ui.protocol.dialects.plain import has_only
from chat_ui.protocol.dialects.tool_calls import ToolCalls
from chat_ui.protocol.events import (
    ContextReceived,
    Event,
    Failed,
    Json,
    JsonObject,
    ReasoningDelta,
    SessionState,
    UsageReceived,
    Warning,  # noqa: A004
)
from chat_ui.protocol.translatable import msg

THREAD: Final = "threadId"
_TYPE: Final = re.compile(
    r"(?:TEXT_MESSAGE|THINKING|THINKING_TEXT_MESSAGE|REASONING|REASONING_MESSAGE|TOOL_CALL|STATE|MESSAGES|ACTIVITY|RUN|STEP"
    r"|SUBAGENT)_[A-Z_]{3,20}|RAW|CUSTOM"
)
_TEXTS: Final = frozenset({"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"})
_REASONING: Final = frozenset({"REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CHUNK", "THINKING_TEXT_MESSAGE_CONTENT"})
_KEYS: Final = frozenset({"type", "messageId", "delta", "timestamp"})
_MOST_STATES: Final = 100
"""Changes of the state that are told at once; of more, the last state alone is told at the end."""


class AgUiReader(FamilyReader):
    """Reads the events of a run."""

    text_places: ClassVar = "ag-ui"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls()
        self._message: Json = None
        self._roles: dict[Json, Json] = {}
        self._has_reasoned = False
        self._state = AgentState()
        self._states_left = _MOST_STATES
        self._steps = 0

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an event."""
        kind = value.get("type")
        if not isinstance(kind, str):
            return
        if kind.startswith("TEXT_MESSAGE"):
            yield from self._text(kind, value)
        elif kind in _REASONING:
            text = content_text(value.get("delta"))
            self._has_reasoned |= bool(text)
            yield from [ReasoningDelta(text)] if text else []
        elif kind in {"REASONING_MESSAGE_START", "THINKING_TEXT_MESSAGE_START"} and self._has_reasoned:
            yield ReasoningDelta("\n\n")
        elif kind.startswith("TOOL_CALL"):
            yield from self._tool(kind, value)
        elif kind in {"STATE_SNAPSHOT", "STATE_DELTA"}:
            yield from self._changed_state(value)
        elif kind == "MESSAGES_SNAPSHOT":
            yield from self._messages(value.get("messages"))
        elif kind == "CUSTOM":
            yield from _custom(value)
        elif kind.startswith("STEP_") or kind.startswith("ACTIVITY") or kind.startswith("SUBAGENT"):
            yield from self._step(kind, value)
        elif kind.startswith("RUN_"):
            yield from self._run(kind, value)

    def _text(self, kind: str, value: JsonObject) -> Iterator[Event]:
        message = value.get("messageId", self._message)
        if isinstance(role := value.get("role"), str):
            self._roles[message] = role
        if self._roles.get(message, "assistant") != "assistant":
            return
        if message != self._message:
            if self.text.has_begun and self._message is not None:
                yield from self.text.piece("\n\n")
            self._message = message
        if kind in _TEXTS:
            yield from self.text.piece(content_text(value.get("delta")))

    def _tool(self, kind: str, value: JsonObject) -> Iterator[Event]:
        key = str(value.get("toolCallId"))
        self._calls.begin(key, value.get("toolCallName"))
        if kind in {"TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"}:
            self._calls.add(key, value.get("delta"))
            return
        if kind == "TOOL_CALL_RESULT":
            self._calls.end(key, value.get("content"))
            yield from context_found(value.get("content"), f"{key} ")
        yield from self._calls.steps()

    def _changed_state(self, value: JsonObject) -> Iterator[Event]:
        if value.get("type") == "STATE_SNAPSHOT":
            self._state = AgentState(value.get("snapshot"))
        elif not self._state.change(value.get("delta")):
            yield Warning("state_delta", msg("a change of the agent's state that does not fit it was skipped"))
            return
        self._states_left -= 1
        if self._states_left > 0:
            yield from self._told_state()

    def _told_state(self) -> Iterator[Event]:
        state = self._state.value()
        if state:
            yield from context_found(state, "state ")
            yield ContextReceived({STEPS: {"state": {"title": msg("State"), "description": state}}})

    def _messages(self, messages: Json) -> Iterator[Event]:
        """The text of the last message, where none was streamed."""
        last = messages[-1] if isinstance(messages, list) and messages else None
        if isinstance(last, Mapping) and last.get("role") == "assistant" and not self.text.has_begun:
            yield from self.text.piece(content_text(last.get("content")))

    def _step(self, kind: str, value: JsonObject) -> Iterator[Event]:
        name = value.get("stepName") or value.get("activityType") or value.get("subagentName")
        if kind == "STEP_FINISHED" or not isinstance(name, str):
            return
        self._steps += 1
        content = value.get("content")
        yield ContextReceived(
            {STEPS: {f"step {value.get('messageId') or self._steps}": {"title": name, "description": content}}}
        )
        yield from context_found(content, f"{name} ")

    def _run(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if isinstance(thread := value.get(THREAD), str) and thread:
            yield SessionState(THREAD, thread)
        usage = value.get("usage")
        if isinstance(usage, list) and usage and isinstance(usage[0], Mapping):
            yield UsageReceived(usage[0])
        if kind == "RUN_ERROR":
            yield Failed(error_of({key: value.get(key) for key in ("message", "code")}))
        elif kind == "RUN_FINISHED":
            outcome = value.get("outcome")
            waits = isinstance(outcome, Mapping) and outcome.get("type") == "interrupt"
            if waits or self._calls.waiting:
                self.text.asks_for_tool = True
            yield from self._calls.steps()
            yield from self._told_state()
            if not self.text.has_begun:
                result = value.get("result")
                yield from self.text.piece(result if isinstance(result, str) else "")

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an event that is a piece of text of the message before and nothing else."""
        if value.get("type") != "TEXT_MESSAGE_CONTENT" or value.get("messageId") != self._message:
            return None
        text = value.get("delta")
        return text if type(text) is str and (_KEYS.issuperset(value) or has_only(_KEYS, value)) else None


def _custom(value: JsonObject) -> Iterator[Event]:
    name, held = value.get("name"), value.get("value")
    if not isinstance(name, str):
        return
    events = list(context_found(held, f"{name} "))
    yield from events
    if not events:
        yield ContextReceived({STEPS: {f"custom {name}": {"title": name, "description": held}}})


def _match(_present: JsonObject, value: JsonObject) -> Match | None:
    kind = value.get("type")
    return Match("ag-ui", 96) if isinstance(kind, str) and _TYPE.fullmatch(kind) else None


def _message(message: Message, place: int) -> JsonObject:
    sent: dict[str, Json] = {"id": f"message-{place + 1}", "role": message.role, "content": message.content}
    if message.files:
        parts: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
        for file in message.files:
            _, _, data = file.data_uri.partition(",")
            parts.append({"type": "image", "source": {"type": "data", "value": data, "mimeType": file.media_type}})
        sent["content"] = parts
    return sent


def _body(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    state = request.session_state
    thread = state.value if state is not None and state.key == THREAD else request.conversation
    model: JsonObject = {"model": backend.model} if backend.model else {}
    return {
        THREAD: thread,
        "runId": str(uuid4()),
        "state": {},
        "messages": messages,
        "tools": [],
        "context": [],
        "forwardedProps": {**model, **request.overrides},
    }


_BACKEND: Final = KnownBackend(
    "AG-UI",
    "/ag-ui",
    Backend("", streaming="server", form=RequestForm(_message, _body), files="parts", known_overrides=()),
    wants=re.compile(r"thread_?id|run_?id|forwarded_?props|RunAgentInput", re.IGNORECASE),
)

FAMILY: Final = Family(
    dialects=(Dialect("ag-ui", "AG-UI", "events of a run: `TEXT_MESSAGE_CONTENT`", "agents of several frameworks"),),
    match=_match,
    reader=AgUiReader,
    position=8,
    endings={"/ag-ui": _BACKEND.template, "/agui": _BACKEND.template},
    backends={"ag-ui": _BACKEND},
    known=lambda _: "ag-ui",
)
