"""LangGraph's server (Agent Server): a run on a thread, as server-sent events of several modes.

`messages` repeats a message as it grows, `updates` has the changes of each node, `custom` has values of the graph, and
`checkpoints` names the state after each step. The next question continues from the checkpoint of the answer before it,
so each branch of a conversation has its own history. After a broken connection the stream goes on behind its last
event. Source: langgraph-api 0.16.7.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final
from urllib.parse import quote
from uuid import uuid4

from chat_ui.protocol.answers.pause import Resume, paused
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message, RequestFormat, RunAct
from chat_ui.protocol.dialects.answer_text import AnswerText, reasoning
from chat_ui.protocol.dialects.contexts import CONTEXT_KEYS, context_found
from chat_ui.protocol.dialects.families.ag_ui.interrupts import answers, of_langgraph
from chat_ui.protocol.dialects.families.ag_ui.states import step
from chat_ui.protocol.dialects.family import Dialect, End, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import content_text, kind_of, list_in, object_in, objects_in, present, string_in
from chat_ui.protocol.dialects.tool_calls import ToolCalls, calls_of
from chat_ui.protocol.events import (
    CHECKPOINT,
    THREAD,
    Event,
    Interrupt,
    Json,
    JsonObject,
    ReasoningDelta,
    SessionState,
    TextDelta,
    TextRevised,
    UsageReceived,
)

_NAME: Final = "langgraph"
_ASSISTANT: Final = "assistant_id"
_INTERRUPT: Final = "__interrupt__"
_BEGINNING: Final = frozenset({"run_id", "attempt"})
"""The keys of the first object of a run. Older servers lack the second, and other backends name a run too."""
_PARAGRAPH: Final = "\n\n"
_MOST_STEPS: Final = 200
_LOST: Final = re.compile(r"\bthread\b.*\bnot found", re.IGNORECASE)
_RUNS: Final = re.compile(r"(?:/threads/[^/?]+)?(/runs/stream)")
_ROLES: Final = {"ai": "ai", "assistant": "ai", "human": "human", "user": "human"}
"""The types of messages that a node may write without an object of LangChain, by their roles."""
_RUN: Final = re.compile(r"/runs/([\w-]{1,100})\Z")
_STREAM: Final = re.compile(r"/stream(?=\?|\Z)")


class LangGraphReader(FamilyReader):
    """Reads the events of a run, by their shape: only the first object has the form of its dialect."""

    text_places: ClassVar = _NAME
    own_contexts: ClassVar = CONTEXT_KEYS
    reads_all: ClassVar = True

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls()
        self._texts: dict[str, str] = {}
        """The text of each message of a model, by its id."""
        self._thoughts: Counter[str] = Counter()
        """The characters of thinking that came with each message."""
        self._usage: dict[str, JsonObject] = {}
        self._kept: set[str] = set()
        """The ids of messages that nodes added to the state."""
        self._reason: Json = None
        self._steps_left = _MOST_STEPS
        self._place: dict[str, Json] = {}
        """The thread, its last checkpoint and the assistant."""
        self._interrupts: list[Interrupt] = []
        self._is_over = False
        """Whether the run ended or waits: until then a node may still add a message."""

    def continues(self, resume: Resume) -> None:
        """The answer continues one that was paused."""
        self._calls.continues(calls_of(resume))

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an object of any mode."""
        if _is_checkpoint(value):
            yield from self._checkpoint(value)
        elif _INTERRUPT in value:
            for one in objects_in(value, _INTERRUPT):
                schema = object_in(one, "response_schema")
                self._interrupts += of_langgraph(Interrupt(string_in(one, "id")), one.get("value"), schema)
            self._is_over = True
            yield from paused(_NAME, self._interrupts, {**self._place})
        elif "response_metadata" in value:
            yield from self._message(value)
        elif "error" not in value and not value.keys() <= _BEGINNING:
            for key, held in value.items():
                if "langgraph_node" not in object_in(held, "metadata"):
                    yield from self._value(key, held)

    def close(self) -> Iterator[Event]:
        """The usage, and the text without messages that no node added: of models that rewrite a question, for example.

        The text is revised too where messages of parallel nodes grew side by side.
        """
        counts: Counter[str] = Counter()
        for usage in self._usage.values():
            counts.update({key: count for key, count in usage.items() if isinstance(count, int)})
        if counts:
            yield UsageReceived(counts)
        yield from self.text.finish(self._reason)
        self._usage, self._reason = {}, None
        added = {key: text for key, text in self._texts.items() if self._is_over and key in self._kept}
        said = _PARAGRAPH.join(filter(None, (added or self._texts).values()))
        self._texts = {}
        if said and said != self.text.came.joined():
            yield from self.text.close()
            again = AnswerText()
            texts = (one.text for one in (*again.piece(said), *again.close()) if isinstance(one, TextDelta))
            yield TextRevised("".join(texts))

    def _checkpoint(self, value: JsonObject) -> Iterator[Event]:
        place = object_in(object_in(value, "config"), "configurable")
        self._place = {THREAD: place.get("thread_id"), **{key: place.get(key) for key in (CHECKPOINT, _ASSISTANT)}}
        if not value.get("next"):
            self._is_over = True
            # A later question cannot continue from a step within an answer.
            yield SessionState(THREAD, {**self._place})

    def _message(self, message: JsonObject) -> Iterator[Event]:
        key, kind = string_in(message, "id"), kind_of(message)
        if kind in {"tool", "ToolMessage"} and (call := string_in(message, "tool_call_id")):
            content, has_failed = message.get("content"), message.get("status") == "error"
            self._calls.begin(call, message.get("name"))
            self._calls.end(call, content_text(content) or content, has_failed=has_failed)
            if not has_failed:
                yield from context_found(message.get("artifact") or content, f"{call} ")
        elif kind in {"ai", "AIMessageChunk"}:
            told = [*reasoning({**object_in(message, "additional_kwargs"), "content": message.get("content")})]
            thought = "".join(one.text for one in told if isinstance(one, ReasoningDelta))
            if new := thought[self._thoughts[key] :]:
                self._thoughts[key] = len(thought)
                yield ReasoningDelta(new)
            yield from self._text(key, content_text(message.get("content")))
            calls = objects_in(message, "tool_calls")
            for one in calls:
                if call := string_in(one, "id"):
                    self._calls.begin(call, one.get("name"))
                    self._calls.replace(call, one.get("args"))
            self._usage[key] = object_in(message, "usage_metadata") or self._usage.get(key, {})
            if calls or "response_metadata" in message:
                self._reason = None if calls else object_in(message, "response_metadata").get("finish_reason")
        yield from self._calls.steps()

    def _text(self, key: str, text: str) -> Iterator[Event]:
        is_last, known = key == next(reversed(self._texts), None), self._texts.get(key)
        if text and known is None and self.text.has_begun:
            yield from self.text.piece(_PARAGRAPH)
        if text and (known is None or (is_last and text.startswith(known))):
            yield from self.text.piece(text.removeprefix(known or ""))
        if text:
            self._texts[key] = text

    def _value(self, key: str, held: Json) -> Iterator[Event]:
        """The sources in a node's change, or in a value of the graph itself, and a step of its name."""
        if found := [*context_found({key: held}, f"{key} ")]:
            yield from found
            return
        found += context_found(held, f"{key} ")
        changes = [one for one in (held if isinstance(held, list) else [held]) if isinstance(one, Mapping)]
        for name, inner in () if found else [pair for change in changes for pair in change.items()]:
            if added := self._messages(inner):
                self._kept |= {string_in(one, "id") for one in added}
                held = None
                yield from self._added(added, is_answer=name == "messages")
            else:
                found += context_found(inner, f"{key} {name} ")
        yield from found
        self._steps_left -= 1
        if self._steps_left >= 0:
            yield step(f"node {key}", key, None if found else held)

    def _messages(self, held: Json) -> list[JsonObject]:
        """The messages in a value of the state, whole or as a role and its text."""
        messages: list[JsonObject] = []
        for one in map(_named, held if isinstance(held, list) and _named(held) is held else [held]):
            if isinstance(one, Mapping) and "response_metadata" in one:
                messages.append(one)
            elif isinstance(one, Mapping) and one.keys() >= {"role", "content"}:
                text = content_text(one["content"])
                # It gets an id of its own only in the stream.
                key = next((key for key, came in self._texts.items() if came == text), text)
                messages.append({**one, "type": _ROLES.get(string_in(one, "role"), ""), "id": key})
        return messages

    def _added(self, messages: list[JsonObject], *, is_answer: bool) -> Iterator[Event]:
        """The events of messages that did not come as they grew: a stream that goes on has no growing messages."""
        asked = max((place for place, one in enumerate(messages) if kind_of(one) == "human"), default=-1)
        for message in messages[asked + 1 :]:
            if is_answer or string_in(message, "id") in self._texts:
                yield from self._message(message)


def _named(value: Json) -> Json:
    """A message from `[role, text]`; another value as it is."""
    match value:
        case [str(role), str(text)] if role in _ROLES:
            return {"role": role, "content": text}
    return value


def _is_checkpoint(value: JsonObject) -> bool:
    return CHECKPOINT in object_in(object_in(value, "config"), "configurable") and "next" in value


def _place_of(request: ChatRequest) -> JsonObject:
    """The thread and the checkpoint that a question continues; empty for a new thread."""
    state = request.session_state
    known = request.resume.steps[-1][0].kept if request.resume is not None else state.value if state else None
    return known if isinstance(known, Mapping) and known.get(CHECKPOINT) else {}


def _address(url: str, request: ChatRequest) -> str:
    thread = quote(string_in(_place_of(request), THREAD) or str(uuid4()), safe="")
    return _RUNS.sub(lambda found: f"/threads/{thread}{found[1]}", url, count=1)


def _run_address(url: str, headers: Mapping[str, str], act: RunAct) -> str:
    run = _RUN.search(headers.get("content-location", ""))
    address, found = _STREAM.subn(f"/{run[1]}/{act}", url, count=1) if run else ("", 0)
    return address if found else ""


def _sent_message(message: Message, _place: int) -> JsonObject:
    parts: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
    parts += [{"type": "image_url", "image_url": {"url": file.data_uri}} for file in message.files]
    return {"role": message.role, "content": parts if message.files else message.content}


def _run(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    """The body of a question, or of the decisions on its pause. A run outlives its connection, and can be read on."""
    place = _place_of(request)
    body: dict[str, Json] = {
        **present({_ASSISTANT: backend.model or place.get(_ASSISTANT), CHECKPOINT: place.get(CHECKPOINT)}),
        "if_not_exists": "reject" if place else "create",
        "stream_mode": ["messages", "updates", "custom", "checkpoints"],
        "on_disconnect": "continue",
        "stream_resumable": True,
    }
    if request.resume is not None:
        return {**body, **answers(*request.resume.steps[-1])[1]}
    return {**body, "input": {"messages": messages[-request.new_message_count :] if place else messages}}


_BACKEND: Final = KnownBackend(
    "/runs/stream",
    Backend(
        "",
        dialect=_NAME,
        streaming="path",
        streams_only=True,
        request_format=RequestFormat(_sent_message, _run, address=_address, lost=_LOST, run=_run_address),
        overrides="none",
        known_overrides=(),
        files="parts",
    ),
    path_part="/runs/stream",
)
_END: Final = End(
    "a last checkpoint",
    lambda value: _INTERRUPT in value or (_is_checkpoint(value) and not list_in(value, "next")),
    is_due=lambda value, _: _is_checkpoint(value),
)

FAMILY: Final = Family(
    dialects=(Dialect(_NAME, "LangGraph", _END),),
    match=lambda _, value: Match(_NAME, 95) if value.keys() == _BEGINNING else None,
    reader=LangGraphReader,
    position=11,
    places={"/runs": 13},
    endings={"/runs": _BACKEND.template},
    backends={_NAME: _BACKEND},
    known=lambda _: _NAME,
)
