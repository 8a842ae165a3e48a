"""Places of citations beside the text.

OpenAI's Responses and chat completions give in `annotations` the source of a part of a text. If that part is a mark of
the model (`【4:0†source】`, `[1]`) or a link to the source, the citation replaces it; else it follows it. The `index`
of a cited file is its end, or, as OpenAI documents it, the place of the file in a list. A mark with the file's name
counts for more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from chat_ui.protocol.answers.data_points import SUPPORTED, annotation_id, cited_in
from chat_ui.protocol.answers.placed_citation import MOST_CITATIONS
from chat_ui.protocol.answers.streaming_text import StreamingText
from chat_ui.protocol.dialects.objects import list_in, object_in, objects_in, string_in
from chat_ui.protocol.events import CitationReceived, Json, JsonObject

_LONGEST_TEXT: Final = 500_000
"""Characters of a text beyond which citations are not placed: each search takes the whole text."""
_MARK: Final = r"(?:【[^【】\n]{0,200}】|\ue200[^\ue200\ue201\n]{0,300}\ue201)"
_LINK: Final = r"\(?\[(?:[^\[\]\n]{0,500}|\[[^\[\]\n]{0,500}\])\]\([^()\s]{1,2000}\)\)?"
_NUMBER: Final = r"\[\d{1,4}\]"
_REPLACED: Final = re.compile(rf"\s*(?:{_MARK}|{_LINK}|{_NUMBER})\s*")
_MARKS: Final = re.compile(
    r" ?(?:【(?P<names>[^【】\n]{0,100}†[^【】\n]{0,200})】|\ue200(?P<parts>[^\ue200\ue201\n]{0,300})\ue201)"
)
_ANY_FILE: Final = ("source",)
"""Replaces the name of a file in a mark."""
_FILES: Final = 50
"""Files in a list; a smaller index is a place in the text only at its end, or at the end of a sentence."""
_SENTENCE_END: Final = frozenset(".!?…:;。！？：；\n")
_AROUND: Final = 310
"""Characters around a place in which a mark is looked for."""
_TWO_UNITS: Final = re.compile(r"[\U00010000-\U0010ffff]")
"""A character that is two units in UTF-16, as JavaScript counts."""


class AnnotatedCitation(NamedTuple):
    """A citation as it came: of the source `label`, for the text from `start` to `end`, in characters.

    `start` is None if only the end is known. The citation follows `passage` if the text has that. A mark may have one
    of `names`. If it `may_count_files`, `end` may not be a place in the text.
    """

    label: str
    start: int | None
    end: int
    passage: str = ""
    names: tuple[str, ...] = ()
    may_count_files: bool = False


def annotated_citations(annotations: Sequence[Json], begun: int, length: int) -> list[AnnotatedCitation]:
    """The citations in OpenAI's annotations of a text of this length, at index `begun` of the answer's."""
    return [_of(annotation, begun, length) for annotation in annotations if isinstance(annotation, Mapping)]


def _of(annotation: JsonObject, begun: int, length: int) -> AnnotatedCitation:
    cited = cited_in(annotation)
    start, end, index = (_position(cited, key) for key in ("start_index", "end_index", "index"))
    # Citations before the first character do not exist: gateways without a place say 0.
    end = end or None
    may_count_files = end is None and index is not None
    if end is None and index and cited.get("type") != "file_path":
        # The index of a file path is not a place in the text.
        end = index
    passage = annotation.get(SUPPORTED)
    names = (cited.get(key) for key in ("text", "filename", "file_name", "file_id"))
    return AnnotatedCitation(
        annotation_id(annotation),
        None if start is None else begun + start,
        begun + (length if end is None else end),
        passage if isinstance(passage, str) else "",
        tuple(name.strip().casefold() for name in names if isinstance(name, str) and name.strip()),
        may_count_files,
    )


def _position(annotation: JsonObject, key: str) -> int | None:
    position = annotation.get(key)
    return position if isinstance(position, int) and not isinstance(position, bool) else None


def annotations_in(message: JsonObject) -> list[JsonObject]:
    """The annotations beside the text of a message, or of a piece of one, and citations that LiteLLM passes on."""
    return [*objects_in(message, "annotations"), *passed_on(message)]


def passed_on(message: JsonObject) -> list[JsonObject]:
    """Anthropic's and Cohere's citations in LiteLLM's `provider_specific_fields`, as annotations."""
    fields = object_in(message, "provider_specific_fields")
    groups = list_in(fields, "citations") or [fields.get("citation")]
    citations = [found for group in groups for found in (group if isinstance(group, list) else [group])]
    return [found for citation in citations if isinstance(citation, Mapping) for found in _annotations(citation)]


def _annotations(citation: JsonObject) -> Iterator[JsonObject]:
    """The annotation, or that of each source of a citation of Cohere's."""
    if not isinstance(citation.get("sources"), list):
        yield _annotation(citation, "cited_text")
    for source in objects_in(citation, "sources"):
        document = object_in(source, "document") or source
        told = {"title": document.get("id"), **document, SUPPORTED: citation.get("text")}
        yield _annotation(told, "text", "snippet")


def _annotation(citation: JsonObject, *passages: str) -> JsonObject:
    places = {
        "url": string_in(citation, "url", "source"),
        "title": string_in(citation, "title", "document_title"),
        "content": string_in(citation, *passages),
        SUPPORTED: string_in(citation, SUPPORTED),
    }
    return {key: place for key, place in places.items() if place}


class Placing:
    """Finds the places of citations in the text of one answer so far."""

    def __init__(self, text: StreamingText) -> None:
        self._text = text
        self._placed: list[CitationReceived] = []
        self._marks: dict[str, list[tuple[int, int]]] = {}
        """The marks by their names."""
        self._searched = 0

    def place(self, citation: AnnotatedCitation) -> CitationReceived | None:
        """The citation in its place in the text so far; None without a label, or after too much text."""
        if len(self._placed) >= MOST_CITATIONS or not citation.label or self._text.length > _LONGEST_TEXT:
            return None
        text = self._text.joined()
        start, end = self._place(citation, text)
        mark = text[start:end]
        start, end = start + len(mark) - len(mark.lstrip()), end - len(mark) + len(mark.rstrip())
        self._placed.append(CitationReceived(citation.label, start, end))
        return self._placed[-1]

    def _place(self, citation: AnnotatedCitation, text: str) -> tuple[int, int]:
        _, start, end, passage, names, may_count_files = citation
        if passage and (found := text.rfind(passage)) >= 0:
            start, end = None, found + len(passage)
        for begin, last in _readings(start, end, text):
            # By OpenAI's reference the end is the last character, by its answers it is the one after that.
            if begin is not None and begin < last:
                for stop in (last, last + 1):
                    if not self._is_taken(begin, stop) and _REPLACED.fullmatch(text, begin, stop):
                        return begin, stop
            near = _MARKS.finditer(text, max(0, last - _AROUND), last + _AROUND)
            marks = [mark.span() for mark in near if mark.start() <= last <= mark.end()]
            for mark in sorted(marks, reverse=True):
                if not self._is_taken(*mark):
                    return mark
        mark_of_it = self._mark_named(names, end, text)
        if may_count_files and not mark_of_it:
            # Marks without a file name follow the order of the annotations.
            mark_of_it = self._mark_named(_ANY_FILE, 0, text)
        if mark_of_it:
            return mark_of_it
        end = max(0, min(end, len(text)))
        if may_count_files and end < _FILES and _SENTENCE_END.isdisjoint(text[max(0, end - 1) : end + 1]):
            end = len(text)
        return end, end

    def _mark_named(self, names: Sequence[str], near: int, text: str) -> tuple[int, int] | None:
        """The mark nearest to `near` that has one of the names and is not taken by a citation."""
        for mark in _MARKS.finditer(text, self._searched) if names else ():
            parts = re.split("[†\ue202]", mark["names"] or mark["parts"] or "")
            for name in {part.strip().casefold() for part in (mark[0], *parts)}:
                self._marks.setdefault(name, []).append(mark.span())
            self._searched = mark.end()
        self._searched = max(self._searched, len(text) - _AROUND)
        free = [mark for name in names for mark in self._marks.get(name, ()) if not self._is_taken(*mark)]
        return min(free, key=lambda mark: abs(mark[0] - near), default=None)

    def _is_taken(self, start: int, end: int) -> bool:
        return any(one.start < end and start < one.end for one in self._placed)


def _readings(start: int | None, end: int, text: str) -> Iterator[tuple[int | None, int]]:
    """The possible places of a citation: in characters, and in UTF-16 code units if these differ."""
    last = max(0, min(end, len(text)))
    yield None if start is None else max(0, min(start, last)), last
    if not text.isascii() and _TWO_UNITS.search(text, 0, last):
        yield None if start is None else characters_in(text, min(start, end)), characters_in(text, end)


def characters_in(text: str, units: Json) -> int:
    """The number of characters in so many UTF-16 code units of a text; all of them if `units` is not a number."""
    if not isinstance(units, int) or isinstance(units, bool):
        return len(text)
    units = max(0, min(units, 2 * len(text)))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))
