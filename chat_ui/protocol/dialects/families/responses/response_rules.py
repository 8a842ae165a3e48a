"""The rules of OpenAI's Responses.

Source: OpenAI's API reference, and the types of its OpenAPI description. The reference does not give the unit of
indices: code points and UTF-16 code units are both accepted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, TypeAlias

from chat_ui.protocol.dialects.objects import kind_of, object_in, objects_in
from chat_ui.protocol.dialects.standards import (
    ERROR_RULES_OF_OPENAI,
    Observed,
    Rule,
    Standard,
    Verdict,
    as_json,
    each,
    event_stream_rules,
)
from chat_ui.protocol.events import JsonObject

_REFERENCE: Final = "https://developers.openai.com/api/reference/resources/responses"
_STREAMING: Final = _REFERENCE + "/streaming-events"
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_TEXTS: Final[Mapping[str, str]] = {"response.output_text": "text", "response.refusal": "refusal"}
"""The beginnings of the types of events with text, each with the key of the whole text."""
_INDICES: Final[Mapping[str, tuple[str, ...]]] = {
    "url_citation": ("start_index", "end_index"),
    "container_file_citation": ("start_index", "end_index"),
    "file_citation": ("index",),
}
_Part: TypeAlias = tuple[str, str, str]
"""The place of a text: the beginning of its type, its item in the output, and its place in the item's content."""


def _part_of(value: JsonObject, name: str) -> _Part:
    return name, as_json(value.get("output_index")), as_json(value.get("content_index"))


def _joined(observed: Observed) -> dict[_Part, str]:
    joined: dict[_Part, str] = defaultdict(str)
    for value in observed.objects:
        name, _, ending = kind_of(value).rpartition(".")
        if name in _TEXTS and ending == "delta":
            joined[_part_of(value, name)] += str(value.get("delta"))
    return joined


def _is_joined(observed: Observed) -> Verdict:
    joined = _joined(observed)

    def is_kept(value: JsonObject) -> bool:
        name = kind_of(value).removesuffix(".done")
        text = joined.get(_part_of(value, name))
        return text is None or value.get(_TEXTS[name]) == text

    return each((one for one in observed.objects if kind_of(one) in {f"{name}.done" for name in _TEXTS}), is_kept)


def _responses(observed: Observed) -> list[JsonObject]:
    ended = [object_in(value, "response") for value in observed.objects if kind_of(value) in _ENDS]
    return ended if observed.complete is None else [*ended, observed.complete]


def _lie_within(observed: Observed) -> Verdict:
    joined = _joined(observed)
    found = [
        (object_in(value, "annotation"), joined.get(_part_of(value, "response.output_text"), ""))
        for value in observed.objects
        if kind_of(value) == "response.output_text.annotation.added"
    ]
    for response in _responses(observed):
        for item in objects_in(response, "output"):
            for content in objects_in(item, "content"):
                found += [(one, str(content.get("text"))) for one in objects_in(content, "annotations")]
    placed = [(one, text) for one, text in found if kind_of(one) in _INDICES]
    odd = next((one for one, text in placed if not _lies_within(one, text)), None)
    return Verdict(odd is None if placed else None, as_json(odd) if odd else "")


def _lies_within(annotation: JsonObject, text: str) -> bool:
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    last = 0
    for key in _INDICES[kind_of(annotation)]:
        index = annotation.get(key)
        if not (isinstance(index, int) and last <= index <= units):
            return False
        last = index
    return True


def _begins(observed: Observed) -> Verdict:
    return each(observed.objects[:1], lambda value: kind_of(value) == "response.created")


def _ends(observed: Observed) -> Verdict:
    return each(observed.objects[-1:], lambda value: kind_of(value) in {*_ENDS, "error"})


STANDARD: Final = Standard(
    "OpenAI’s reference of Responses",
    None,
    (
        *event_stream_rules(_STREAMING, may_be_done=True),
        Rule("A stream begins with response.created", _STREAMING, _begins),
        Rule("The full text of a part equals its joined deltas", _STREAMING, _is_joined),
        Rule("Annotation indices are within the text", _REFERENCE, _lie_within),
        Rule("A stream ends with response.completed, response.incomplete, response.failed or error", _STREAMING, _ends),
        Rule(
            "A response has an “id” and a list “output”",
            _REFERENCE,
            lambda observed: each(
                _responses(observed), lambda one: isinstance(one.get("id"), str) and isinstance(one.get("output"), list)
            ),
        ),
        *ERROR_RULES_OF_OPENAI,
    ),
    answers_at_once=True,
)
