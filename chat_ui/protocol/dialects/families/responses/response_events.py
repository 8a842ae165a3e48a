"""The events of a stream of Responses, or a whole response, read part by part."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, TypeAlias

from chat_ui.protocol.answers.data_points import SUPPORTED, annotation_id, cited_in
from chat_ui.protocol.answers.pause import Resume, paused
from chat_ui.protocol.answers.streaming_text import has_words_of, is_at, place_of, rest_of
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.family import FamilyReader
from chat_ui.protocol.dialects.objects import content_text, kind_of, list_in, object_in, only_text, read_json, string_in
from chat_ui.protocol.dialects.placed_citations import annotated_citations, passed_on
from chat_ui.protocol.dialects.tool_calls import MOST_CALLS, OutputItems
from chat_ui.protocol.events import (
    CONVERSATION,
    PREVIOUS_RESPONSE,
    Event,
    Interrupt,
    Json,
    JsonObject,
    ReasoningDelta,
    SessionState,
    UsageReceived,
)

_TOOL_ITEMS: Final = frozenset(
    {
        "function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call",
    }
)  # fmt: skip
"""The items in which a model calls a tool."""
WIRE: Final = "responses"
_ASKS: Final = "mcp_approval_request"
_MAKES_PICTURE: Final = "image_generation_call"
_TEXT_DELTAS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_COMPLETE_TEXTS: Final = frozenset({"response.output_text.done", "response.refusal.done"})
_ITEMS: Final = frozenset({"response.output_item.added", "response.output_item.done"})
ENDS: Final = ("response.completed", "response.incomplete", "response.done")
_OF_ITEMS: Final = frozenset({"item", "output"})
"""Levels of a repeated item with all its parts."""
_KEYS: Final = frozenset(
    {
        "type", "delta", "snapshot", "item_id", "output_index", "content_index", "logprobs", "sequence_number",
        "obfuscation",
    }
)  # fmt: skip
_MOST_LOOKED_FOR: Final = 1_000
"""Places of one answer at which a repeated text is searched for among others."""
Place: TypeAlias = "int | str | None"
Part: TypeAlias = "tuple[Place, Place]"
"""The place of a text: of its item in the output, and of the text in the item's content."""
_NO_PART: Final[Part] = (None, 0)


class ResponsesReader(FamilyReader):
    """Reads an event of a stream, or a whole response.

    The text of an answer is in parts, whose annotations are the places of citations in them.
    """

    text_places: ClassVar = "responses"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._keys: dict[int | str, Place] = {}
        """Internal names of items, by their ids and their streamed places in the output."""
        self._parts: dict[Part, int] = {}
        """The index in the answer's text of each part."""
        self._part: Part | None = None
        self._places: tuple[Json, ...] | None = None
        """The places of the previous delta of the same part."""
        self._begun_items: set[Place] = set()
        self._begun: list[int] = []
        """The indices of parts, in order."""
        self._retold: dict[str, int] = {}
        """The length of the repeated text, by its level: each level repeats all of it, in order."""
        self._looked_for = 0
        self._items = OutputItems()
        self._done: dict[Place, JsonObject] = {}
        """The streamed items that are done."""
        self._cited: set[str] = set()
        self._has_reasoned = False

    def continues(self, resume: Resume) -> None:
        """The response continues one that was paused."""
        self._items.continues(resume)

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an object."""
        name, response = kind_of(value), object_in(value, "response")
        if name:
            yield from self._event(name, value)
        elif value.get("output_text"):
            yield from self.text.complete(content_text(value["output_text"]))
        elif not value.get("output") and isinstance(delta := value.get("delta"), str):
            yield from self.text.piece(delta)
        complete = response or value
        if output := list_in(complete, "output"):
            yield from self._output(output)
        elif response:
            self._retold["output"] = 0
            yield from self._content("output", _NO_PART, response.get("output_text"), is_own=False)
        if usage := object_in(response, "usage"):
            yield UsageReceived(usage)
        if found := [*passed_on(complete), *(passed_on(value) if response else ())]:
            yield from self._cite_from(self._part or _NO_PART, found)
        if name in ENDS or complete.get("status") in ("completed", "incomplete"):
            yield from _state(complete)
            yield from self._paused(output or list(self._done.values()))

    def _paused(self, output: Sequence[Json]) -> Iterator[Event]:
        """The approvals that the items of a response ask for. Some servers send the call before its approval."""
        # A picture would make the state too large to be kept.
        items = [item for item in output if isinstance(item, Mapping) and kind_of(item) != _MAKES_PICTURE]
        calls = {_called(item): string_in(item, "call_id") for item in items if kind_of(item) == "function_call"}
        asked = [
            Interrupt(
                string_in(item, "id"),
                tool=string_in(item, "name"),
                server=string_in(item, "server_label"),
                call=calls.get(_called(item), ""),
                arguments=read_json(item.get("arguments")),
                may=frozenset({"reason"}),
            )
            for item in items
            if kind_of(item) == _ASKS
        ]
        if asked:
            self.text.asks_for_tool = False
            yield from paused(WIRE, asked, {"output": items})

    def _event(self, name: str, value: JsonObject) -> Iterator[Event]:
        part = (self._key(value.get("item_id"), value.get("output_index")), _place(value.get("content_index")) or 0)
        if name in _TEXT_DELTAS:
            # Some gateways have another id in each event, under one index.
            if isinstance(value.get("item_id"), str) and isinstance(value.get("output_index"), int):
                yield from self._begin_item(part[0])
            self._begin(part)
            self._places = _places_of(value)
            if "refusal" in name:
                yield from self.text.refused()
            yield from self.text.piece(content_text(value.get("delta")))
        elif name.endswith(".delta"):
            if "reasoning" in name and (text := content_text(value.get("delta"))):
                self._has_reasoned = True
                yield ReasoningDelta(text)
        elif name in _COMPLETE_TEXTS:
            kind = "refusal" if "refusal" in name else "output_text"
            complete: JsonObject = {"type": kind, "text": value.get("text") or value.get("refusal")}
            yield from self._content("text", part, complete, is_own=self._owns(value))
        elif name == "response.content_part.added":
            yield from self._begin_item(part[0])
        elif name == "response.content_part.done":
            yield from self._content("part", part, value.get("part"), is_own=self._owns(value))
        elif name == "response.output_text.annotation.added":
            yield from self._cite_from(part, [value.get("annotation")])
        elif name == "response.reasoning_summary_part.added" and self._has_reasoned:
            yield ReasoningDelta("\n\n")
        elif name in _ITEMS:
            yield from self._told_item(value.get("item"), value.get("output_index"), is_done=name.endswith("done"))
        elif name == "response.image_generation_call.partial_image":
            yield from self.text.picture(string_in(value, "partial_image_b64"), str(part[0]), is_partial=True)
        elif name == "response.function_result.complete":
            yield from self._items.read({**value, "type": "function_call_output"}, str(value.get("item_id")))

    def _told_item(self, item: Json, index: Json, *, is_done: bool) -> Iterator[Event]:
        name = string_in(item, "id")
        if not is_done and name and name not in self._keys:
            self._keys[name] = name
            if isinstance(index, int):
                self._keys[index] = name
        key = self._key(name, index)
        if not is_done and kind_of(item) == "message":
            yield from self._begin_item(key)
        yield from self._item("item", item, index, key, is_done=is_done, is_own=key == name)

    def _output(self, output: Sequence[Json]) -> Iterator[Event]:
        """The items of a whole response, whose places may differ from the streamed ones."""
        self._retold["output"] = 0
        told: set[Place] = set()
        for index, item in enumerate(output):
            name = string_in(item, "id")
            key = self._keys.setdefault(name, name) if name else f"output {index}"
            yield from self._item("output", item, index, key, is_done=True, is_own=key not in told)
            told.add(key)

    def _item(self, level: str, item: Json, index: Json, key: Place, *, is_done: bool, is_own: bool) -> Iterator[Event]:
        if not isinstance(item, Mapping):
            return
        if is_done and kind_of(item) == _MAKES_PICTURE:
            yield from self.text.picture(string_in(item, "result"), str(key), string_in(item, "revised_prompt"))
        if is_done and len(self._done) < MOST_CALLS:
            self._done[key] = item
        self.text.asks_for_tool |= kind_of(item) in _TOOL_ITEMS
        yield from self._items.read(item, f"at {index}")
        if not is_done:
            return
        contents = item.get("content")
        if item.get("type", "message") == "message":
            for number, content in enumerate(contents if isinstance(contents, list) else [contents]):
                yield from self._content(level, (key, number), content, is_own=is_own)
        elif item.get("type") == "reasoning" and not self._has_reasoned:
            text = content_text(item.get("summary")) or content_text(contents)
            if text:
                self._has_reasoned = True
                yield ReasoningDelta(text)

    def _content(self, level: str, part: Part, content: Json, *, is_own: bool) -> Iterator[Event]:
        """The new text of a part, perhaps streamed in another part, and its citations."""
        text, found = content_text(content), list_in(content, "annotations")
        yield from self.text.sources(found)
        came, retold, begun = self.text.came, self._retold.get(level, 0), self._parts.get(part)
        if not text:
            yield from self._cite(retold if begun is None else begun, 0, found)
            return
        is_next = begun is not None and begun >= retold
        # A repeated part may come once more, or late.
        late = [begun] if begun is not None and is_own and not is_next else []
        places = [begun, retold] if begun is not None and is_next else [retold]
        place = next(filter(None, (place_of(text, came, at) for at in (*places, *late) if at < came.length)), None)
        if place := place or self._later(text, retold):
            self._retold[level] = max(retold, place[1])
            self._begin_at(part, place[0])
            yield from self._cite(place[0], len(text), found)
            return
        last = self._begun[-1:] if self._begun and self._begun[-1] > retold else []
        rests = ((at, rest_of(text, came, at)) for at in sorted({*places, *last}))
        at, rest = next(((at, rest) for at, rest in rests if rest is not None), (places[0], None))
        if rest is None and has_words_of(text, came, at):
            yield from self._cite(at, came.length - at, found)
            return
        if kind_of(content) == "refusal":
            yield from self.text.refused()
        if rest is None or len(rest) == len(text):
            yield from self._begin_item(part[0], is_new=level in _OF_ITEMS and part[1] == 0)
            self._begin(part)
            at, rest = came.length, text
        yield from self.text.piece(rest)
        self._retold[level] = came.length
        yield from self._cite(at, len(text), found)

    def _later(self, text: str, retold: int) -> tuple[int, int] | None:
        """The beginning and the end of a repeated text after parts that were not repeated."""
        came = self.text.came
        for at in self._begun[bisect_right(self._begun, retold) :][: _MOST_LOOKED_FOR - self._looked_for]:
            self._looked_for += 1
            end = is_at(text, came, at)
            if end is not None and (end == came.length or end in self._begun[bisect_left(self._begun, end) :][:1]):
                return at, end
        return None

    def _owns(self, value: JsonObject) -> bool:
        """Whether the id of an item in an event is that of its streamed text."""
        name = string_in(value, "item_id")
        return self._keys.get(name, "") == name != ""

    def _key(self, name: Json, index: Json) -> Place:
        """The internal name of a streamed item, by its id, else by its place in the output."""
        names = [one for one in (name, index) if isinstance(one, int | str) and one != ""]
        key = next((self._keys[one] for one in names if one in self._keys), names[0] if names else None)
        for one in names:
            self._keys.setdefault(one, key)
        return key

    def _begin_item(self, key: Place, *, is_new: bool = False) -> Iterator[Event]:
        """A new paragraph for the text of each message."""
        if self.text.has_begun and (is_new or key not in self._begun_items):
            yield from self.text.piece("\n\n")
        self._begun_items.add(key)

    def _begin(self, part: Part) -> None:
        if part != self._part:
            self._part, self._places = part, None
        self._begin_at(part, self.text.came.length)

    def _begin_at(self, part: Part, begun: int) -> None:
        if part not in self._parts:
            self._parts[part] = begun
            insort(self._begun, begun)
            self._begun_items.add(part[0])

    def _cite_from(self, part: Part, annotations: Sequence[Json]) -> Iterator[Event]:
        """The citations of a part that may go on."""
        yield from self.text.sources(annotations)
        begun = self._parts.get(part, next(iter(self._parts.values()), 0))
        yield from self._cite(begun, self.text.came.length - begun, annotations)

    def _cite(self, begun: int, length: int, annotations: Sequence[Json]) -> Iterator[Event]:
        """The new citations of annotations, in a text of this length at index `begun`."""
        new: list[Json] = []
        for annotation in annotations:
            told = _told(annotation, begun)
            if told not in self._cited:
                self._cited.add(told)
                new.append(annotation)
        return self.text.cite(annotated_citations(new, begun, length))

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an event that is only a piece of text."""
        if value.get("type") != "response.output_text.delta" or _places_of(value) != self._places:
            return None
        return only_text(value, "delta", _KEYS)


def _called(item: JsonObject) -> str:
    return repr((item.get("name"), item.get("arguments")))


def _places_of(value: JsonObject) -> tuple[Json, ...]:
    return (value.get("item_id"), value.get("output_index"), value.get("content_index"))


def _place(value: Json) -> Place:
    return value if isinstance(value, int | str) else None


def _told(annotation: Json, begun: int) -> str:
    """The key that identifies an annotation: its part, its item and the response repeat it."""
    if not isinstance(annotation, Mapping):
        return ""
    cited = cited_in(annotation)
    places = [cited.get(key) for key in ("start_index", "end_index", "index")]
    told = [begun + place if type(place) is int else place for place in places]
    return repr((annotation_id(annotation), *told, cited.get(SUPPORTED), begun if told == places else 0))


def _state(response: JsonObject) -> Iterator[Event]:
    """The state that continues the conversation with the next question, if the server keeps it."""
    response_id = string_in(response, "id")
    if conversation := string_in(object_in(response, CONVERSATION), "id") or string_in(response, CONVERSATION):
        yield SessionState(CONVERSATION, conversation)
    elif response_id and _is_kept(response):
        yield SessionState(PREVIOUS_RESPONSE, response_id)


def _is_kept(response: JsonObject) -> bool:
    """Whether the server keeps a response: Foundry's servers of agents do unless asked not to, and gateways do not."""
    return response.get("store", isinstance(response.get("agent_reference"), Mapping)) is True
