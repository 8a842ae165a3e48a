"""The events of an agent's run, which answers one question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.pause import Resume, first, paused
from chat_ui.protocol.answers.placed_citation import MOST_CITATIONS
from chat_ui.protocol.answers.streaming_text import rest_after
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.contexts import context_found
from chat_ui.protocol.dialects.families.ag_ui.interrupts import (
    ASKING_CALLS,
    WIRE,
    Transcript,
    calls_before,
    interrupts_in,
    interrupts_in_calls,
    interrupts_in_events,
    question_id,
    takes_one_decision,
)
from chat_ui.protocol.dialects.families.ag_ui.states import ShownStates, step
from chat_ui.protocol.dialects.families.ag_ui.thread import cited_source, thread_state, turns_of
from chat_ui.protocol.dialects.family import FamilyReader
from chat_ui.protocol.dialects.objects import (
    content_text,
    kind_of,
    object_in,
    objects_in,
    only_text,
    string_in,
)
from chat_ui.protocol.dialects.placed_citations import AnnotatedCitation, characters_in
from chat_ui.protocol.dialects.reported_errors import error_of
from chat_ui.protocol.dialects.tool_calls import MOST_CALLS, ToolCalls
from chat_ui.protocol.events import (
    THREAD,
    ContextReceived,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    ReasoningDelta,
    UsageReceived,
)
from chat_ui.protocol.translatable import msg

_KEYS: Final = frozenset({"type", "messageId", "delta", "timestamp"})
_PARAGRAPH: Final = "\n\n"
_MOST_RUNS: Final = 100
_MOST_STATE: Final = 100_000
"""Bytes of a state that is sent back with the next question."""
_MOST_SUBAGENTS: Final = 100
_INTERRUPT: Final = "on_interrupt"
"""The custom event of LangGraph's agents that wait for a person."""
_REPEATED: Final = "function_approval_request"
"""The custom event of Agent Framework that the outcome of the run repeats."""


class AgUiReader(FamilyReader):
    """Reads the events of a run."""

    text_places: ClassVar = "ag-ui"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls(ASKING_CALLS)
        self._transcript = Transcript()
        self._interrupts: list[JsonObject] = []
        self._earlier: set[str] = set()
        """The ids of messages of the parts before a pause."""
        self._call = ""
        self._length_at_call = 0
        """Characters of text before the last event of a call."""
        self._thread = ""
        self._turns: list[Json] = []
        self._runs_left = _MOST_RUNS
        self._snapshot: Sequence[Json] = ()
        """The messages of the thread in the last snapshot."""
        self._open = ""
        """The message that began last; it gets the pieces without an id."""
        self._message: str | None = None
        """The message of the last text."""
        self._texts: dict[str, int] = {}
        """The index in the answer of each message's text."""
        self._others: set[str] = set()
        self._citations_left = MOST_CITATIONS
        self._cited: dict[str, int] = {}
        """The number of citations that were read, by messages."""
        self._reasoning = ""
        self._has_reasoned = False
        self._states = ShownStates()
        self._subagents: dict[str, _Subagent] = {}
        self._said_by_subagent = ""
        self._steps = 0
        self._read_kind: Mapping[str, Callable[[str, JsonObject], Iterator[Event]]] = {
            "TEXT": self._text,
            "REASONING": self._reason,
            "THINKING": self._reason,
            "TOOL": self._tool,
            "STATE": self._states.state,
            "MESSAGES": self._messages,
            "CUSTOM": self._custom,
            "STEP": self._step,
            "ACTIVITY": self._states.activity,
            "SUBAGENT": self._told_subagent,
            "RUN": self._run,
        }

    def continues(self, resume: Resume) -> None:
        """The answer continues one that was paused."""
        self._calls.continues(calls_before(resume))
        messages = (one for pause, _ in resume.steps for one in objects_in(pause.kept, "messages"))
        self._earlier = {string_in(one, "id") for one in messages}

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an event."""
        kind = kind_of(value)
        if read := self._read_kind.get(kind.partition("_")[0]):
            yield from read(kind, value)

    def close(self) -> Iterator[Event]:
        """Messages that came only whole in an answer that broke off, and the state at its end."""
        yield from self._unstreamed()
        yield from self._states.rest()

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an event that is only a piece of the last message's text."""
        if value.get("type") != "TEXT_MESSAGE_CONTENT" or value.get("messageId") != self._message:
            return None
        return only_text(value, "delta", _KEYS)

    def _text(self, kind: str, value: JsonObject) -> Iterator[Event]:
        message = string_in(value, "messageId") or self._open
        self._open = message
        if isinstance(role := value.get("role"), str) and role != "assistant":
            self._others.add(message)
        if message in self._others:
            return
        text = content_text(value.get("delta")) if kind in {"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"} else ""
        subagent = self._subagents.get(string_in(value, "subagentRunId"))
        if subagent is not None:
            subagent.said.append(text)
            return
        metadata = object_in(value, "metadata")
        if text or metadata:
            yield from self._turn_to(message)
        if metadata:
            yield from self._cite(message, metadata)
        yield from self.text.piece(text)

    def _turn_to(self, message: str) -> Iterator[Event]:
        if message != self._message:
            if self.text.has_begun and self._message is not None:
                yield from self.text.piece(_PARAGRAPH)
            self._message = message
            self._transcript.text(message, self.text.came.length)
            self._texts.setdefault(message, self.text.came.length)

    def _cite(self, message: str, metadata: JsonObject) -> Iterator[Event]:
        """The citations in the metadata of a message. Those of Strands' agents give their place in UTF-16 code units of
        its text, and each event repeats the earlier ones.
        """
        citations = objects_in(metadata, "citations")
        if not any("textOffset" in citation for citation in citations):
            yield from context_found(metadata, f"{message} ")
            return
        begun = self._texts[message]
        read = self._cited.get(message, 0)
        for number, citation in enumerate(citations[read : read + self._citations_left], read + 1):
            self._citations_left -= 1
            source = cited_source(citation)
            if label := string_in(source, "id"):
                yield ContextReceived({SOURCES: {f"{message} {number}": source}})
                end = begun + characters_in(self.text.came.joined()[begun:], citation.get("textOffset"))
                yield from self.text.cite([AnnotatedCitation(label, None, end)])
        self._cited[message] = max(read, len(citations))

    def _reason(self, kind: str, value: JsonObject) -> Iterator[Event]:
        message = string_in(value, "messageId")
        is_new = kind.endswith("MESSAGE_START") or message not in ("", self._reasoning)
        self._reasoning = message or self._reasoning
        if is_new and self._has_reasoned:
            self._has_reasoned = False
            yield ReasoningDelta(_PARAGRAPH)
        if kind.endswith(("_CONTENT", "_CHUNK")) and (text := content_text(value.get("delta"))):
            self._has_reasoned = True
            yield ReasoningDelta(text)

    def _tool(self, kind: str, value: JsonObject) -> Iterator[Event]:
        key = self._call = string_in(value, "toolCallId") or self._call
        self._calls.begin(key, value.get("toolCallName"))
        if kind in {"TOOL_CALL_START", "TOOL_CALL_CHUNK"}:
            self._transcript.call(key, string_in(value, "parentMessageId"))
        self._length_at_call = self.text.came.length
        if kind in {"TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"}:
            self._calls.add(key, value.get("delta"))
            return
        if kind == "TOOL_CALL_RESULT":
            yield from self._result(key, value, None)
        yield from self._calls.steps()

    def _result(self, key: str, message: JsonObject, error: Json) -> Iterator[Event]:
        content = message.get("content")
        self._transcript.result(key, string_in(message, "messageId", "id"), content)
        result = content if isinstance(content, str) else content_text(content) or content
        failed = isinstance(error, str) and bool(error)
        self._calls.end(key, error if failed else "" if result is None else result, has_failed=failed)
        if not failed:
            yield from context_found(content, f"{key} ")

    def _messages(self, _kind: str, value: JsonObject) -> Iterator[Event]:
        messages = value.get("messages")
        if not isinstance(messages, list):
            return
        self._snapshot = messages
        since = _since_question(messages, self._earlier)
        yield from self._calls_in(since, are_begun=True)
        parts = (part for one in since if one.get("role") == "assistant" for part in objects_in(one, "content"))
        for part in parts:
            source = object_in(part, "source") or part
            kind = string_in(source, "mimeType") or f"{kind_of(part)}/"
            if kind.startswith("image/"):
                yield from self.text.picture(string_in(source, "value", "url", "data"))
        self._turns = turns_of(messages)
        yield from self._told_thread()

    def _calls_in(self, messages: Sequence[JsonObject], *, are_begun: bool) -> Iterator[Event]:
        """The calls of tools in messages, and their results; only calls of this run if they `are_begun`."""
        for message in messages:
            if message.get("role") == "tool" and (key := string_in(message, "toolCallId")):
                if self._calls.waits_for(key) if key in self._calls else not are_begun:
                    yield from self._result(key, message, message.get("error"))
                continue
            for call in objects_in(message, "toolCalls"):
                function, key = object_in(call, "function"), string_in(call, "id")
                if key and function and (key in self._calls or not are_begun):
                    self._calls.begin(key, function.get("name"))
                    self._transcript.call(key, string_in(message, "id"))
                    self._calls.replace(key, function.get("arguments"))
        yield from self._calls.steps()

    def _unstreamed(self) -> Iterator[Event]:
        """The part of the last snapshot's messages in this answer that was not streamed."""
        messages, self._snapshot = _since_question(self._snapshot, self._earlier), ()
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
        observed = [
            number
            for number, (place, text) in enumerate(texts)
            if string_in(messages[place], "id") in self._texts or text.strip() in streamed
        ]
        if not observed:
            # Of another answer, or of this one before it began.
            return
        place, text = texts[observed[-1]]
        rest = rest_after(self.text.came.joined()[self._texts.get(self._message or "", 0) :], text)
        if string_in(messages[place], "id") == self._message and rest:
            yield from self.text.piece(rest)
        yield from self._calls_in(messages[place:], are_begun=False)
        for _, text in texts[observed[-1] + 1 :]:
            yield from self.text.piece(_PARAGRAPH + text)

    def _streamed(self) -> set[str]:
        complete = self.text.came.joined()
        begun = [*self._texts.values(), len(complete)]
        return {complete[start:end].strip() for start, end in pairwise(begun)} | {complete.strip()}

    def _custom(self, _kind: str, value: JsonObject) -> Iterator[Event]:
        name, held = string_in(value, "name"), value.get("value")
        if not name:
            return
        if name == "usage" and isinstance(held, Mapping) and held:
            yield UsageReceived(held)
        elif name == _INTERRUPT:
            if len(self._interrupts) < MOST_CALLS:
                self._interrupts.append(value)
        elif name == _REPEATED:
            return
        elif events := list(context_found(held, f"{name} ")):
            yield from events
        else:
            yield step(f"custom {name}", name, held)

    def _step(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if kind == "STEP_STARTED" and (name := string_in(value, "stepName")):
            self._steps += 1
            yield step(f"step {self._steps}", name, None)

    def _told_subagent(self, kind: str, value: JsonObject) -> Iterator[Event]:
        key = string_in(value, "subagentRunId")
        if kind == "SUBAGENT_STARTED" and len(self._subagents) < _MOST_SUBAGENTS:
            self._subagents[key] = _Subagent(string_in(value, "name") or msg("Agent"))
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
        yield step(f"subagent {key}", name, told)

    def _run(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if (thread := string_in(value, THREAD)) and thread != self._thread:
            self._thread = self._states.thread = thread
            yield from self._told_thread()
        if kind == "RUN_STARTED":
            self._transcript.question = question_id(string_in(value, "runId"))
        if counts := _sum(objects_in(value, "usage")):
            yield UsageReceived(counts)
        if kind not in {"RUN_ERROR", "RUN_FINISHED"}:
            return
        self._runs_left -= 1
        if self._runs_left >= 0:
            yield from self._unstreamed()
            if kind == "RUN_FINISHED":
                yield from self._finished(value.get("result"), value.get("outcome"))
            if state := self._states.shown(_MOST_STATE):
                yield from self._told_thread(state)
        if kind == "RUN_ERROR":
            yield Failed(error_of({key: value.get(key) for key in ("message", "code")}))

    def _told_thread(self, state: Json = None) -> Iterator[Event]:
        if self._thread:
            yield thread_state(self._thread, self._turns, state)

    def _paused(self, outcome: Json) -> Iterator[Event]:
        """The requests that the run waits for. Some agents leave out results of calls, but answer after them."""
        is_last = self.text.came.length == self._length_at_call
        found = (
            [*first(interrupts_in(outcome, self._calls))]
            or [*first(interrupts_in_events(self._interrupts))]
            or [*first(interrupts_in_calls(self._calls, are_last=is_last))]
        )
        if found or kind_of(outcome) == "interrupt":
            kept = self._transcript.kept(self._calls, self.text.came, found)
            yield from paused(WIRE, found, kept, is_joint=takes_one_decision(found, outcome))
        self._interrupts.clear()

    def _finished(self, result: Json, outcome: Json) -> Iterator[Event]:
        if kind_of(outcome) == "cancelled":
            yield Failed(
                ErrorInfo(msg("The agent was stopped before the end of its answer. Ask again."), code="cancelled")
            )
        else:
            yield from self._paused(outcome)
        yield from self._calls.steps()
        yield from self._states.told()
        yield from context_found(result, "result ")
        if not self.text.has_begun:
            running = next((one.said for one in reversed(self._subagents.values()) if any(one.said)), [])
            said = "".join(running) or self._said_by_subagent
            yield from self.text.piece(said or (result if isinstance(result, str) else ""))


@dataclass(slots=True)
class _Subagent:
    """An agent that another one asked, and its text."""

    name: str
    said: list[str] = field(default_factory=list)


def _since_question(messages: Sequence[Json], earlier: Collection[str]) -> list[JsonObject]:
    """The messages since the question, or since its last pause."""
    found: list[JsonObject] = []
    for message in reversed(messages):
        if isinstance(message, Mapping):
            if message.get("role") == "user":
                break
            if string_in(message, "id") not in earlier:
                found.append(message)
    return found[::-1]


def _sum(usage: Sequence[JsonObject]) -> JsonObject:
    counts: Counter[str] = Counter()
    for one in usage:
        counts.update({key: count for key, count in one.items() if isinstance(count, int)})
    return counts
