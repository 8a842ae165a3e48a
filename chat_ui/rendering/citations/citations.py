"""Citations among the brackets of an answer, and their sources.

A bracket that matches a data point of the answer cites it, by name (`source_names`) or by number. A bracket that can
only be a citation (a document's file name, a URL, `[doc9]`, a number where sources go by number) is a missing citation
without a match. A bracket may name several sources, with quotes, emphasis and words such as `Source:` around them, if
each of them is a citation. Everything else is text.

`[ref_id:7]`, `[citation:7]` and `[cite: 7]` are the same as `[7]`, and never an index. With a UUID in place of the
number they can only be citations. If sources go by number and exist, `[#7]`, `[^7]` and the range `[7-9]` are citations
too: else they are an issue, a footnote or an interval. OpenAI's models write `4:0†source`, the turn and the place of a
search result, and perhaps its name: the source of that name or id, else of that number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.protocol.answers.place import NOWHERE, Place
from chat_ui.rendering.citations.brackets import (
    LEAD,
    SEPARATOR,
    bare_name,
    ends_in_prose,
    ends_in_word,
    is_subscripted,
    list_parts,
)
from chat_ui.rendering.citations.source_names import (
    DASHES,
    NUMBER,
    PAGES,
    RULE_FIGURE,
    RULE_PAGE,
    URL,
    NamedSources,
    clean_label,
    normalized,
    page_fragment,
    place_fragment,
    source_name,
)

MAX_LABEL = 1_500
"""Characters between two brackets beyond which they are text."""

RULE_NUMBER = "number"
RULE_MISSING = "not found"

_DOC_NUMBER = re.compile(r"doc ?(\d{1,4})", re.IGNORECASE)
_MAX_LISTED = 200
_LONGEST_NAME = 5
"""Separators in the name of one source."""
_LONGEST_RANGE = 6
"""Sources in a range; `[0-9]` and `[1-9]` are any digit."""
_RANGE = re.compile(rf"([1-9]\d{{0,5}})\s*[{DASHES}]\s*(\d{{1,6}})")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DAGGER = "†"
_PAGES = re.compile(PAGES)


@dataclass(frozen=True, slots=True)
class Citation:
    """A source that an answer cites.

    `number` counts from 1 in order of first use. `label` is the source's name in the answer's sources, or as the answer
    wrote it. `data_point` is its index among the data points, None if missing. `rule` is the match of the first use:
    `exact`, `name`, `figure`, `page`, `number` or `not found`.
    """

    number: int
    label: str
    data_point: int | None
    rule: str


@dataclass(frozen=True, slots=True)
class CitationUse:
    """A use of a citation: its `claim` as plain text (see `sentences`), its `place` where its source lacks it."""

    number: int
    claim: str
    place: Place = NOWHERE


def cited_places(uses: Iterable[CitationUse]) -> dict[int, list[Place]]:
    """The cited places of each source, by its number, in the order of the text."""
    places: dict[int, dict[Place, None]] = {}
    for use in uses:
        if use.place:
            places.setdefault(use.number, {})[use.place] = None
    return {number: list(named) for number, named in places.items()}


@dataclass(frozen=True, slots=True)
class Match:
    """The target of a name between brackets: a data point, or None if missing, and the name's place."""

    label: str
    data_point: int | None
    rule: str
    place: Place = NOWHERE

    @property
    def key(self) -> tuple[str, int | str]:
        """A key that matches of one source share."""
        if self.data_point is not None:
            return ("source", self.data_point)
        return ("missing", normalized(self.label))


class SourceIndex(NamedSources):
    """The data points of one answer, ready to be matched with the text between brackets."""

    def __init__(self, points: Sequence[DataPoint]) -> None:
        """Index `points` by id, name, document and number; earlier ones win where two have the same name."""
        super().__init__(points)
        self._by_doc_number = any(_DOC_NUMBER.fullmatch(point.id.strip()) for point in points)

    def resolve(self, text: str, before: str = "") -> tuple[Match, ...]:
        """The citations of `[text]`, in their order; empty for text.

        `before` is the text that ends at the bracket: a number after a name or a bracket is an index (`arr[1]`), not a
        citation. Brackets within `text` can only be part of a source's name.
        """
        text = text.strip()
        if not text or len(text) > MAX_LABEL or (text[0] == "^" and not text[1:2].isdigit()):
            return ()
        complete = self._resolve_one(text, before)
        if complete is not None and complete.data_point is not None:
            return (complete,)
        if "[" in text or "]" in text:
            return ()
        return self._resolve_list(text, before) or ((complete,) if complete is not None else ())

    def resolve_label(self, label: str) -> Match:
        """The citation of the source that a backend names beside the text."""
        return self._resolve_one(label.strip(), "") or Match(clean_label(label), None, RULE_MISSING)

    def resolve_known(self, text: str) -> tuple[Match, ...]:
        """The same for a bracket of another kind, which is text unless all named sources exist."""
        matches = self.resolve(text)
        return matches if all(match.data_point is not None for match in matches) else ()

    def resolve_each(self, names: Iterable[str]) -> tuple[Match, ...]:
        """The citations among the names."""
        matches = (self._resolve_one(name.strip(), "") for name in names)
        return _distinct(match for match in matches if match)

    def resolve_link(self, number: str, url: str) -> Match | None:
        """The citation of `[[number]](url)`, by number and address, or by the address if the number is unused."""
        found = self.find(number)
        if found is None:
            found = self.find(url) if URL.match(url) else None
        elif not self.is_name_of(url, found[0]):
            return None
        return Match(self.label(found[0]), found[0], RULE_NUMBER) if found else None

    def may_become(self, text: str) -> bool:
        """Whether the unfinished `[text` names sources so far: all but the last of a list, or a URL."""
        *named, last = SEPARATOR.split(text.strip())
        if not named:
            return URL.fullmatch(last) is not None
        return bool(self._resolve_list(",".join(named), "") or self._resolve_one(named[0], ""))

    def begins(self, text: str) -> bool:
        """Whether `text` is the beginning of a source's name."""
        start = normalized(text)
        return any(name.startswith(start) for name in self._normalized)

    def _resolve_list(self, text: str, before: str) -> tuple[Match, ...]:
        """The citations of a list, or of one decorated name; empty if a part is not a citation."""
        spans = list_parts(text)
        if len(spans) > _MAX_LISTED:
            return ()
        matches: list[Match] = []
        document, kind = "", ""
        position = 0
        while position < len(spans):
            start = spans[position][0]
            part = text[slice(*spans[position])]
            match: Match | None
            lead = LEAD.match(part)
            is_led = lead is not None and lead["source"]
            numbers = self._range(part[lead.end() :], "") if lead and is_led else self._range(part, before)
            place = place_fragment(part)
            if kind and not place and not self.by_number and _PAGES.fullmatch(part):
                place = page_fragment(part).replace("page", kind)
            if numbers:
                matches += numbers[:-1]
                match = numbers[-1]
                document, kind = "", ""
                position += 1
            elif place and document:
                if not kind:
                    matches.pop()
                match = self._resolve_one(f"{document}{place}", before)
                kind = _kind(place)
                position += 1
            else:
                match, position = self._longest(text, spans, position, before)
                named = source_name(bare_name(text[start : spans[position - 1][1]]))
                document, kind = named.document, _kind(named.fragment)
            if match is None:
                return ()
            matches.append(match)
        return _distinct(matches)

    def _range(self, part: str, before: str) -> list[Match]:
        """The citations of a range such as `1-3`; empty unless all of its sources exist."""
        span = _RANGE.fullmatch(part) if self.by_number else None
        if span is None or self.find(part):
            return []
        first, last = int(span[1]), int(span[2])
        if not first < last < first + _LONGEST_RANGE:
            return []
        found = [self._resolve_one(str(number), before) for number in range(first, last + 1)]
        matches = [match for match in found if match and match.data_point is not None]
        return matches if len(matches) == len(found) else []

    def _longest(
        self, text: str, spans: Sequence[tuple[int, int]], position: int, before: str
    ) -> tuple[Match | None, int]:
        """The match of the name at `position`, which may have separators in it, and the index of the next one."""
        start, end = spans[position]
        for last in range(min(len(spans) - 1, position + _LONGEST_NAME), position, -1):
            name = bare_name(text[start : spans[last][1]])
            if not NUMBER.fullmatch(name) and (found := self.find(name)):
                return self._match(name, found), last + 1
        return self._resolve_decorated(text[start:end], before), position + 1

    def _resolve_decorated(self, name: str, before: str) -> Match | None:
        """The match of a name, perhaps in quotes or after a word; a number needs a word such as `Source`."""
        match = self._resolve_one(name, before)
        bare = bare_name(name)
        if bare == name or (match and match.data_point is not None):
            return match
        lead = LEAD.match(name)
        if NUMBER.fullmatch(bare):
            return self._resolve_led(lead, bare, before) or match
        within = self._resolve_one(bare, before)
        if not within and lead and lead["source"] and _UUID.fullmatch(bare):
            return Match(clean_label(bare), None, RULE_MISSING)
        if within and within.data_point is None and not lead and is_subscripted(before):
            return None
        return within or match

    def _resolve_led(self, lead: re.Match[str] | None, number: str, before: str) -> Match | None:
        """The match of a number after a word for sources, which is not an index, or after a sign, which may be one."""
        if lead is None or not (lead["source"] or (lead["sign"] and self.by_number)):
            return None
        is_no_index = lead["source"] or (lead["sign"] == "^" and ends_in_word(before))
        match = self._resolve_one(number, "" if is_no_index else before)
        may_be_missing = lead["source"] and self.by_number
        return match if may_be_missing or (match and match.data_point is not None) else None

    def _resolve_one(self, name: str, before: str) -> Match | None:
        if not name:
            return None
        number = NUMBER.fullmatch(name)
        doc_number = _DOC_NUMBER.fullmatch(name)
        found = self.find(name) or (self.find(str(int(name))) if number else None)
        if number and is_subscripted(before) and not (found and ends_in_prose(before)):
            return None
        if found is not None:
            return self._match(name, (found[0], RULE_NUMBER) if number or doc_number else found)
        if _DAGGER in name:
            return self._resolve_search_result(name)
        if doc_number:
            return self._numbered(int(doc_number.group(1)), name)
        if (number and self.by_number and int(name)) or self.can_only_be_a_source(name):
            return Match(clean_label(name), None, RULE_MISSING)
        return None

    def _match(self, name: str, found: tuple[int, str]) -> Match:
        place = source_name(name).place if found[1] in (RULE_PAGE, RULE_FIGURE) else NOWHERE
        return Match(self.label(found[0]), *found, place)

    def _resolve_search_result(self, name: str) -> Match | None:
        """The match of `turn:place†name`, or of `place†name`; an id may follow another dagger."""
        place, *names = (part.strip() for part in name.split(_DAGGER))
        for each in names:
            if each and (found := self.find(each)):
                return self._match(each, found)
        number = place.rpartition(":")[2]
        found = self.find(place) or (self.find(number) if NUMBER.fullmatch(number) else None)
        return Match(self.label(found[0]), found[0], RULE_NUMBER) if found else None

    def _numbered(self, number: int, name: str) -> Match:
        if not self._by_doc_number and 1 <= number <= len(self.points):
            return Match(self.label(number - 1), number - 1, RULE_NUMBER)
        return Match(clean_label(name), None, RULE_MISSING)


def _kind(fragment: str) -> str:
    """The kind of place that a number after one of these is."""
    return "slide" if "slide=" in fragment else "page" if fragment else ""


def _distinct(matches: Iterable[Match]) -> tuple[Match, ...]:
    by_key: dict[tuple[tuple[str, int | str], Place], Match] = {}
    for match in matches:
        by_key.setdefault((match.key, match.place), match)
    return tuple(by_key.values())
