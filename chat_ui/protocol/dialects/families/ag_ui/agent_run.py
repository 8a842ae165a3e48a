"""The events of the run of an agent, which answers one question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.growing_text import rest_after
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.dialects.agent_state import AgentState, PatchBounds
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.cited_text import MOST, PlacedCitation
from chat_ui.protocol.dialects.contents import content_text
from chat_ui.protocol.dialects.errors import error_of, plain_words
from chat_ui.protocol.dialects.families.ag_ui.thread import THREAD, thread_state, turns_of
from chat_ui.protocol.dialects.family import FamilyReader
from chat_ui.protocol.dialects.found_sources import context_found
from chat_ui.protocol.dialects.objects import present
from chat_ui.protocol.dialects.plain import has_only
from chat_ui.protocol.dialects.tool_calls import ToolCalls, read_json
from chat_ui.protocol.events import (
    ContextReceived,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    ReasoningDelta,
    SessionState,
    UsageReceived,
    Warning,  # noqa: A004
)
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg

_KEYS: Final = frozenset({"type", "messageId", "delta", "timestamp"})
_PARAGRAPH: Final = "\n\n"
_NO_STATE: Final = frozenset({"messages", "tools", "copilotkit"})
"""Keys of a state whose values are told elsewhere, or are of use to a page alone. An underscore begins others."""
_MOST_STATES: Final = 100
"""Changes of the state and of activities that are told at once; of more, the last alone is told at the end."""
_MOST_RUNS: Final = 100
"""Ends of a run in one answer that are read."""
_MOST_STATE: Final = 100_000
"""Bytes of a state that goes back with the next question."""
_MOST_ACTIVITIES: Final = 100
_MOST_SUBAGENTS: Final = 100
_NEEDS_AN_ANSWER: Final = "on_interrupt"
"""The custom event of LangGraph's agents that wait for an answer."""


class AgUiReader(FamilyReader):
    """Reads the events of a run."""

    text_places: ClassVar = "ag-ui"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls()
        self._call = ""
        self._thread = ""
        self._turns: list[Json] = []
        self._is_interrupted = False
        self._runs_left = _MOST_RUNS
        self._snapshot: Sequence[Json] = ()
        """The messages of the thread, as they were told last."""
        self._open: str | None = None
        """The message that began last, which pieces without an id belong to."""
        self._message: str | None = None
        """The message whose text came last."""
        self._texts: dict[str, int] = {}
        """Where in the answer the text of each message begins."""
        self._others: set[str] = set()
        """Messages that are not the assistant's."""
        self._citations_left = MOST
        self._cited: dict[str, int] = {}
        """How many citations of a message were read."""
        self._reasoning: str | None = None
        self._has_reasoned = False
        self._bounds = PatchBounds()
        self._state = AgentState(self._bounds)
        self._states_left = _MOST_STATES
        self._has_new_state = False
        self._activities: dict[str, AgentState] = {}
        self._changed_activities: dict[str, str] = {}
        self._subagents: dict[str, _Subagent] = {}
        """Those that have not finished."""
        self._said_by_subagent = ""
        self._steps = 0
        self._read_kind: Mapping[str, Callable[[str, JsonObject], Iterator[Event]]] = {
            "TEXT": self._text,
            "REASONING": self._reason,
            "THINKING": self._reason,
            "TOOL": self._tool,
            "STATE": self._changed_state,
            "MESSAGES": self._messages,
            "CUSTOM": self._custom,
            "STEP": self._step,
            "ACTIVITY": self._activity,
            "SUBAGENT": self._told_subagent,
            "RUN": self._run,
        }

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an event."""
        kind = value.get("type")
        read = self._read_kind.get(kind.partition("_")[0]) if isinstance(kind, str) else None
        if read is not None and isinstance(kind, str):
            yield from read(kind, value)

    def close(self) -> Iterator[Event]:
        """What an answer that broke off before the run was over holds in its messages alone."""
        yield from self._unstreamed()

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an event that is a piece of text of the message before and nothing else."""
        if value.get("type") != "TEXT_MESSAGE_CONTENT" or value.get("messageId") != self._message:
            return None
        text = value.get("delta")
        return text if type(text) is str and (_KEYS.issuperset(value) or has_only(_KEYS, value)) else None

    def _text(self, kind: str, value: JsonObject) -> Iterator[Event]:
        message = _id(value, "messageId") or self._open or ""
        self._open = message
        if isinstance(role := value.get("role"), str) and role != "assistant":
            self._others.add(message)
        if message in self._others:
            return
        text = content_text(value.get("delta")) if kind in {"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"} else ""
        subagent = self._subagents.get(_id(value, "subagentRunId") or "")
        if subagent is not None:
            subagent.said.append(text)
            return
        metadata = value.get("metadata")
        if text or metadata:
            yield from self._turn_to(message)
        if isinstance(metadata, Mapping):
            yield from self._cite(message, metadata)
        yield from self.text.piece(text)

    def _turn_to(self, message: str) -> Iterator[Event]:
        """The answer goes on in a message."""
        if message != self._message:
            if self.text.has_begun and self._message is not None:
                yield from self.text.piece(_PARAGRAPH)
            self._message = message
            self._texts.setdefault(message, self.text.length)

    def _cite(self, message: str, metadata: JsonObject) -> Iterator[Event]:
        """The citations in the metadata of a message: those of Strands' agents say how much of its text, in UTF-16 code
        units, is before them, and come again with each further one.
        """
        listed = metadata.get("citations")
        citations = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
        if not any("textOffset" in citation for citation in citations):
            yield from context_found(metadata, f"{message} ")
            return
        begun = self._texts[message]
        read = self._cited.get(message, 0)
        for number, citation in enumerate(citations[read : read + self._citations_left], read + 1):
            self._citations_left -= 1
            source = _cited_source(citation)
            label = source.get("id")
            if isinstance(label, str) and label:
                yield ContextReceived({SOURCES: {f"{message} {number}": source}})
                end = begun + _characters(self.text.whole_text[begun:], citation.get("textOffset"))
                yield from self.text.cite(PlacedCitation(label, None, end))
        self._cited[message] = max(read, len(citations))

    def _reason(self, kind: str, value: JsonObject) -> Iterator[Event]:
        message = _id(value, "messageId")
        is_new = kind.endswith("MESSAGE_START") or (message is not None and message != self._reasoning)
        self._reasoning = message or self._reasoning
        if is_new and self._has_reasoned:
            self._has_reasoned = False
            yield ReasoningDelta(_PARAGRAPH)
        if kind.endswith(("_CONTENT", "_CHUNK")) and (text := content_text(value.get("delta"))):
            self._has_reasoned = True
            yield ReasoningDelta(text)

    def _tool(self, kind: str, value: JsonObject) -> Iterator[Event]:
        key = self._call = _id(value, "toolCallId") or self._call
        self._calls.begin(key, value.get("toolCallName"))
        if kind in {"TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"}:
            self._calls.add(key, value.get("delta"))
            return
        if kind == "TOOL_CALL_RESULT":
            yield from self._result(key, value.get("content"), None)
        yield from self._calls.steps()

    def _result(self, key: str, content: Json, error: Json) -> Iterator[Event]:
        result = content if isinstance(content, str) else content_text(content) or content
        failed = isinstance(error, str) and bool(error)
        self._calls.end(key, error if failed else "" if result is None else result, has_failed=failed)
        yield from context_found(result, f"{key} ")

    def _changed_state(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if kind == "STATE_SNAPSHOT":
            self._state = AgentState(self._bounds, value.get("snapshot"))
        elif not self._state.change(value.get("delta")):
            yield Warning("state_delta", msg("a change of the agent's state that does not fit it was skipped"))
        self._has_new_state = True
        self._states_left -= 1
        if self._states_left > 0:
            yield from self._told_state()

    def _told_state(self) -> Iterator[Event]:
        if not self._has_new_state:
            return
        self._has_new_state = False
        state = self._shown_state()
        if state:
            yield from context_found(state, "state ")
            yield ContextReceived({STEPS: {"state": {"title": msg("State"), "description": state}}})

    def _shown_state(self) -> Json:
        state = self._state.value()
        if isinstance(state, Mapping):
            return present({key: held for key, held in state.items() if self._is_state(key, held)})
        return state

    def _is_state(self, key: str, held: Json) -> bool:
        is_thread = key == "id" and held == self._thread
        return not (is_thread or key in _NO_STATE or key.startswith("_"))

    def _messages(self, _kind: str, value: JsonObject) -> Iterator[Event]:
        messages = value.get("messages")
        if not isinstance(messages, list):
            return
        self._snapshot = messages
        yield from self._calls_in(_since_question(messages), are_begun=True)
        self._turns = turns_of(messages)
        yield from self._told_thread()

    def _calls_in(self, messages: Sequence[JsonObject], *, are_begun: bool) -> Iterator[Event]:
        """The calls of tools in messages, and their results; only those that the run told, where they `are_begun`."""
        for message in messages:
            if message.get("role") == "tool" and (key := _id(message, "toolCallId")):
                if self._calls.waits_for(key) if key in self._calls else not are_begun:
                    yield from self._result(key, message.get("content"), message.get("error"))
                continue
            calls = message.get("toolCalls")
            for call in calls if isinstance(calls, list) else ():
                function = call.get("function") if isinstance(call, Mapping) else None
                key = _id(call, "id") if isinstance(call, Mapping) else None
                if key and isinstance(function, Mapping) and (key in self._calls or not are_begun):
                    self._calls.begin(key, function.get("name"))
                    self._calls.replace(key, function.get("arguments"))
        yield from self._calls.steps()

    def _unstreamed(self) -> Iterator[Event]:
        """What the messages told last hold of this answer that was not streamed."""
        messages, self._snapshot = _since_question(self._snapshot), ()
        if not messages:
            return
        texts = [
            (place, text)
            for place, message in enumerate(messages)
            if message.get("role") == "assistant" and (text := content_text(message.get("content"))).strip()
        ]
        if not self.text.has_begun:
            yield from self._calls_in(messages, are_begun=False)
            if texts:
                yield from self.text.piece(_PARAGRAPH.join(text for _, text in texts))
            return
        streamed = self._streamed()
        seen = [
            number
            for number, (place, text) in enumerate(texts)
            if _id(messages[place], "id") in self._texts or text.strip() in streamed
        ]
        if not seen:
            # Of another answer, or of this one before it began.
            return
        place, text = texts[seen[-1]]
        rest = rest_after(self.text.whole_text[self._texts.get(self._message or "", 0) :], text)
        if _id(messages[place], "id") == self._message and rest:
            yield from self.text.piece(rest)
        yield from self._calls_in(messages[place:], are_begun=False)
        for _, text in texts[seen[-1] + 1 :]:
            yield from self.text.piece(_PARAGRAPH + text)

    def _streamed(self) -> set[str]:
        """The texts of the messages that were streamed."""
        whole = self.text.whole_text
        begun = [*self._texts.values(), len(whole)]
        return {whole[start:end].strip() for start, end in pairwise(begun)} | {whole.strip()}

    def _custom(self, _kind: str, value: JsonObject) -> Iterator[Event]:
        name, held = value.get("name"), value.get("value")
        if not isinstance(name, str):
            return
        if name == "usage" and isinstance(held, Mapping) and held:
            yield UsageReceived(held)
        elif name == _NEEDS_AN_ANSWER:
            yield from self._interrupted([held])
        elif events := list(context_found(held, f"{name} ")):
            yield from events
        else:
            yield _step(f"custom {name}", name, held)

    def _step(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if kind == "STEP_STARTED" and isinstance(name := value.get("stepName"), str):
            self._steps += 1
            yield _step(f"step {self._steps}", name, None)

    def _activity(self, kind: str, value: JsonObject) -> Iterator[Event]:
        name, key = value.get("activityType"), _id(value, "messageId") or ""
        if not isinstance(name, str):
            return
        known = self._activities.get(key)
        if kind == "ACTIVITY_SNAPSHOT":
            if known is not None and value.get("replace") is False:
                return
            if known is None and len(self._activities) >= _MOST_ACTIVITIES:
                return
            known = self._activities[key] = AgentState(self._bounds, value.get("content"))
        elif known is None or not known.change(value.get("patch")):
            yield Warning("activity_delta", msg("a change of the agent's activity that does not fit it was skipped"))
            return
        self._changed_activities[key] = name
        self._states_left -= 1
        if self._states_left > 0:
            yield from self._told_activities()

    def _told_activities(self) -> Iterator[Event]:
        for key, name in self._changed_activities.items():
            content = self._activities[key].value()
            yield _step(f"activity {key}", name, content)
            yield from context_found(content, f"{name} ")
        self._changed_activities.clear()

    def _told_subagent(self, kind: str, value: JsonObject) -> Iterator[Event]:
        key = _id(value, "subagentRunId") or ""
        if kind == "SUBAGENT_STARTED" and len(self._subagents) < _MOST_SUBAGENTS:
            self._subagents[key] = _Subagent(value.get("name"))
        subagent = self._subagents.get(key)
        if subagent is None:
            return
        text = "".join(subagent.said)
        told: Json = text.strip() or value.get("result") or value.get("description")
        name = subagent.name
        if kind != "SUBAGENT_STARTED":
            del self._subagents[key]
            self._said_by_subagent = text or self._said_by_subagent
        if kind == "SUBAGENT_ERROR":
            name, told = msg("{name} failed", name=name), value.get("message")
        yield _step(f"subagent {key}", name, told)

    def _run(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if (thread := _id(value, THREAD)) and thread != self._thread:
            self._thread = thread
            yield from self._told_thread()
        usage = value.get("usage")
        if isinstance(usage, list) and (counts := _sum(usage)):
            yield UsageReceived(counts)
        if kind not in {"RUN_ERROR", "RUN_FINISHED"}:
            return
        self._runs_left -= 1
        if self._runs_left >= 0:
            yield from self._unstreamed()
            if kind == "RUN_FINISHED":
                yield from self._finished(value.get("result"), value.get("outcome"))
            state = self._shown_state()
            if state and size_of((state,), _MOST_STATE) <= _MOST_STATE:
                yield from self._told_thread(state)
        if kind == "RUN_ERROR":
            yield Failed(error_of({key: value.get(key) for key in ("message", "code")}))

    def _told_thread(self, state: Json = None) -> Iterator[Event]:
        if self._thread and not self._is_interrupted:
            yield thread_state(self._thread, self._turns, state)

    def _interrupted(self, interrupts: Json) -> Iterator[Event]:
        """The agent waits for what no chat page gives: an approval, the fields of a form. Its thread would take nothing
        else, so the next question begins another.
        """
        self._is_interrupted = True
        yield SessionState(THREAD, {})
        yield Failed(ErrorInfo(_in_words(interrupts), code="interrupt"))

    def _finished(self, result: Json, outcome: Json) -> Iterator[Event]:
        kind = outcome.get("type") if isinstance(outcome, Mapping) else None
        if isinstance(outcome, Mapping) and kind == "interrupt":
            yield from self._interrupted(outcome.get("interrupts"))
        elif kind == "cancelled":
            yield Failed(
                ErrorInfo(msg("The agent was stopped before the end of its answer. Ask again."), code="cancelled")
            )
        elif self._calls.waiting:
            self.text.asks_for_tool = True
        yield from self._calls.steps()
        yield from self._told_state()
        yield from self._told_activities()
        yield from context_found(result, "result ")
        if not self.text.has_begun:
            running = next((one.said for one in reversed(self._subagents.values()) if any(one.said)), [])
            said = "".join(running) or self._said_by_subagent
            yield from self.text.piece(said or (result if isinstance(result, str) else ""))


class _Subagent:
    """An agent that another one asked, and what it said."""

    def __init__(self, name: Json) -> None:
        self.name = name if isinstance(name, str) and name else msg("Agent")
        self.said: list[str] = []


def _id(value: JsonObject, key: str) -> str | None:
    named = value.get(key)
    return named if isinstance(named, str) and named else None


def _step(key: str, title: str, description: Json) -> ContextReceived:
    return ContextReceived({STEPS: {key: {"title": title, "description": description}}})


def _since_question(messages: Sequence[Json]) -> list[JsonObject]:
    """The messages after the last question."""
    found: list[JsonObject] = []
    for message in reversed(messages):
        if isinstance(message, Mapping):
            if message.get("role") == "user":
                break
            found.append(message)
    return found[::-1]


def _in_words(interrupts: Json) -> str:
    asked = [_question(one) for one in interrupts[:10]] if isinstance(interrupts, list) else []
    words = plain_words("; ".join(filter(None, asked)))
    waits = (
        msg("The agent waits for an answer that this page cannot give it: “{question}”", question=words)
        if words
        else msg("The agent waits for an answer that this page cannot give it.")
    )
    advice = msg("Put the question differently, or ask on the page that was made for this agent.")
    return msg("{problem} {advice}", problem=waits, advice=advice)


def _question(interrupt: Json) -> str:
    interrupt = read_json(interrupt)
    if not isinstance(interrupt, Mapping):
        return interrupt if isinstance(interrupt, str) else ""
    for key in ("message", "question", "reason"):
        if isinstance(words := interrupt.get(key), str) and words.strip():
            return words
    return ""


def _sum(usage: Sequence[Json]) -> JsonObject:
    """The tokens of all models together."""
    counts: dict[str, Json] = {}
    for one in usage:
        for key, count in one.items() if isinstance(one, Mapping) else ():
            known = counts.get(key, 0)
            if isinstance(count, int) and isinstance(known, int):
                counts[key] = known + count
    return counts


def _cited_source(citation: JsonObject) -> JsonObject:
    location = citation.get("location")
    url = location.get("url") if isinstance(location, Mapping) else None
    passages = citation.get("sourceContent")
    title, source = (_id(citation, key) for key in ("title", "source"))
    return {
        "id": url if isinstance(url, str) and url else title or source,
        "title": title or source,
        "content": content_text(passages if isinstance(passages, list) else None),
        "url": url if isinstance(url, str) else None,
    }


def _characters(text: str, units: Json) -> int:
    """How many characters so many UTF-16 code units of a text are."""
    if not isinstance(units, int) or isinstance(units, bool):
        return len(text)
    units = max(0, min(units, 2 * len(text)))
    if text.isascii():
        return units
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))
