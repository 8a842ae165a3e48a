"""Which square brackets in an answer are citations, and of which source.

A bracket that matches a data point of the answer is a citation of it: exactly; by decoded name, case or spaces; by its
figure; with the page or figure left out on either side; or by number. One that matches none but can only be meant as a
citation (a document's file name, a URL, `[doc9]`, a number where sources go by number) is a citation that was not
found. Everything else is text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from chat_ui.protocol.answer import DataPoint

MAX_LABEL = 300
"""Characters between two brackets beyond which they are text, whatever they hold."""

RULE_EXACT = "exact"
RULE_NAME = "name"
RULE_PAGE = "page"
RULE_FIGURE = "figure"
RULE_NUMBER = "number"
RULE_MISSING = "not found"

_DOCUMENT_EXTENSIONS = frozenset(
    str.split(
        "pdf txt md rst doc docx docm xls xlsx xlsm ppt pptx csv tsv json jsonl xml html htm xhtml "
        "rtf odt ods odp "
        "png jpg jpeg gif webp bmp tif tiff svg epub eml msg log yaml yml vtt srt tex"
    )
)
_URL = re.compile(r"(?:https?|ftp)://[^\s\[\]<>\"]+", re.IGNORECASE)
_DOC_NUMBER = re.compile(r"doc ?(\d{1,4})", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}")
_EXTENSION = re.compile(r".*[^\s./\\]\.([A-Za-z][A-Za-z0-9]{0,7})", re.DOTALL)
_FIGURE = re.compile(r"\(([^()]*)\)$")
_SPOKEN_PAGE = re.compile(r"[,\s]\s*(?:page|pages|p\.|pp\.|seite|página)\s*(\d+)$", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_SEPARATORS = (";", ",")
_LOOSE_SEPARATOR = re.compile(r"\s+and\s+|\s*[|&]\s*")
_DECORATION = re.compile(r"""(?:(?:sources?|see|from)\s*:?\s+)?[*"'“”‘’]*(.+?)[*"'“”‘’]*""", re.IGNORECASE | re.DOTALL)
_LAST_WORD = re.compile(r"""[\s"'“‘(](?:([A-Za-z]{4,})|[A-Za-z]+['’][a-z]{1,2}|\d[\d.,]*)\Z""")
_EARLIER_WORD = re.compile(r"[A-Za-z]{2}\S*\s")
_INDEXED = frozenset(
    str.split(
        "args argv array arrays buffer column columns cell cells data index items keys list lists matrix node row "
        "rows string table tuple value values vector"
    )
)
_INVISIBLE = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Citation:
    """One source that an answer cites.

    `number` counts from 1 in order of first use; `label` is the source's name as the answer's sources give
    it, or as the answer wrote it; `data_point` is its index among the data points, None when it was not
    found; `rule` says how the first use was matched: `exact`, `name`, `figure`, `page`, `number` or `not found`.
    """

    number: int
    label: str
    data_point: int | None
    rule: str


@dataclass(frozen=True, slots=True)
class CitationUse:
    """One place in an answer where a source is cited; `claim` is the sentence it closes, as plain text."""

    number: int
    claim: str


@dataclass(frozen=True, slots=True)
class Match:
    """What one name between brackets refers to: a data point by index, or nothing that is there (None)."""

    label: str
    data_point: int | None
    rule: str

    @property
    def key(self) -> tuple[str, int | str]:
        """The same for two matches of one source."""
        if self.data_point is not None:
            return ("source", self.data_point)
        return ("missing", _loose(self.label))


@dataclass(frozen=True, slots=True)
class _Name:
    """A source's name in its parts: document, what follows `#`, and the figure in brackets at the end."""

    document: str
    fragment: str
    figure: str


def clean_label(label: str) -> str:
    """The label on one line, without control characters and direction marks."""
    return _INVISIBLE.sub("", _SPACE.sub(" ", _CONTROL.sub(" ", label))).strip()


def _loose(name: str) -> str:
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", unquote(name)))
    return _SPACE.sub("", text).casefold().rstrip("/")


def _parts(name: str) -> _Name:
    figure = ""
    spoken = _SPOKEN_PAGE.search(name)
    if spoken:
        name = f"{name[: spoken.start()].rstrip()}#page={spoken.group(1)}"
    bracket = _FIGURE.search(name)
    if bracket and bracket.start() > 0 and ("#" in name or _extension_of(bracket.group(1))):
        figure, name = bracket.group(1), name[: bracket.start()]
    document, _, fragment = name.partition("#")
    return _Name(document.strip(), fragment.strip(), figure.strip())


def _extension_of(name: str) -> str:
    match = _EXTENSION.fullmatch(name.strip())
    return match.group(1).casefold() if match else ""


class SourceIndex:
    """The data points of one answer, ready to be matched with what stands between brackets."""

    def __init__(self, points: Sequence[DataPoint]) -> None:
        """Index `points` by id, name, document and number; earlier ones win where two have the same name."""
        self.points = tuple(points)
        self._exact: dict[str, int] = {}
        self._loose: dict[str, list[int]] = {}
        self._documents: dict[str, list[tuple[int, _Name]]] = {}
        self._figures: dict[str, int] = {}
        self._extensions = set(_DOCUMENT_EXTENSIONS)
        self.by_number = any(_NUMBER.fullmatch(point.id.strip()) for point in self.points)
        self._by_doc_number = any(_DOC_NUMBER.fullmatch(point.id.strip()) for point in self.points)
        for name_of in (_id_of, _url_of, _source_of):
            for index, point in enumerate(self.points):
                self._add(name_of(point), index)

    def _add(self, name: str, index: int) -> None:
        if not name:
            return
        self._exact.setdefault(name, index)
        indexes = self._loose.setdefault(_loose(name), [])
        if index not in indexes[-1:]:
            indexes.append(index)
        parts = _parts(name)
        if self.points[index].image:
            self._figures.setdefault(_loose(parts.figure or name), index)
        own = _loose(_parts(self.points[index].id.strip()).document)
        if name != self.points[index].id.strip() and own == _loose(parts.document):
            return
        if parts.document and not _NUMBER.fullmatch(parts.document):
            self._documents.setdefault(_loose(parts.document), []).append((index, parts))
        extension = _extension_of(parts.document)
        if extension and not _URL.match(name):
            self._extensions.add(extension)

    def label(self, index: int) -> str:
        """What a person reads as the name of data point `index`: its id, or its source where the id is a
        number.
        """
        point = self.points[index]
        known_by_number = _NUMBER.fullmatch(point.id) or _DOC_NUMBER.fullmatch(point.id)
        name = (point.source or point.id) if known_by_number else (point.id or point.source)
        return clean_label(name) or f"Source {index + 1}"

    def resolve(self, text: str, before: str = "") -> tuple[Match, ...]:
        """The citations that `[text]` stands for, in their order; empty when it is text.

        `before` is the text that ends where the bracket begins: a number after a name or a bracket is an
        index (`arr[1]`), not a citation.
        """
        if not text or len(text) > MAX_LABEL or "[" in text or "]" in text or text[0] == "^":
            return ()
        whole = self._resolve_one(text.strip(), before)
        if whole is not None and whole.data_point is not None:
            return (whole,)
        if decorated := self._found_all([text.strip()]) or self._found_all(_LOOSE_SEPARATOR.split(text.strip())):
            return decorated
        for separator in _SEPARATORS:
            if separator not in text:
                continue
            parts = [part.strip() for part in text.split(separator)]
            found = [self._resolve_one(part, before) for part in parts if part]
            if len(found) > 1 and len(found) == len(parts) and all(found):
                return _distinct(match for match in found if match is not None)
        return (whole,) if whole is not None else ()

    def _found_all(self, names: Sequence[str]) -> tuple[Match, ...]:
        """The sources of names that may stand in quotes or emphasis or after a word such as `Source:`, if all are
        there; none of them goes by number.
        """
        matches: list[Match] = []
        for name in names:
            bare = _DECORATION.fullmatch(name)
            found = self._find(bare.group(1)) if bare and not _NUMBER.fullmatch(bare.group(1)) else None
            if found is None:
                return ()
            matches.append(Match(self.label(found[0]), *found))
        return _distinct(matches)

    def _resolve_one(self, name: str, before: str) -> Match | None:
        if not name:
            return None
        number = _NUMBER.fullmatch(name)
        doc_number = _DOC_NUMBER.fullmatch(name)
        found = self._find(name)
        if number and _is_subscripted(before) and not (found and _is_prose(before)):
            return None
        if found is not None:
            index, rule = found
            return Match(self.label(index), index, RULE_NUMBER if number or doc_number else rule)
        if doc_number:
            return self._numbered(int(doc_number.group(1)), name)
        if (number and self.by_number) or self._can_only_be_a_source(name):
            return Match(clean_label(name), None, RULE_MISSING)
        return None

    def _numbered(self, number: int, name: str) -> Match:
        if not self._by_doc_number and 1 <= number <= len(self.points):
            return Match(self.label(number - 1), number - 1, RULE_NUMBER)
        return Match(clean_label(name), None, RULE_MISSING)

    def _find(self, name: str) -> tuple[int, str] | None:
        exact = self._exact.get(name)
        if exact is not None:
            return exact, RULE_EXACT
        loose = self._loose.get(_loose(name))
        if loose:
            return loose[0], RULE_NAME
        figure = self._figures.get(_loose(_parts(name).figure or name))
        if figure is not None:
            return figure, RULE_FIGURE
        return self._find_without_suffix(_parts(name))

    def _find_without_suffix(self, cited: _Name) -> tuple[int, str] | None:
        """Data points of the cited document whose page and figure do not contradict the cited ones."""
        candidates = self._documents.get(_loose(cited.document), []) if cited.document else []
        compatible = [
            (index, name)
            for index, name in candidates
            if _compatible(cited.fragment, name.fragment) and _compatible(cited.figure, name.figure)
        ]
        if not compatible:
            return None

        def distance(candidate: tuple[int, _Name]) -> tuple[bool, bool, bool]:
            _, name = candidate
            return (
                _loose(name.fragment) != _loose(cited.fragment),
                _loose(name.figure) != _loose(cited.figure),
                name.document != cited.document,
            )

        best = min(compatible, key=distance)
        same = _loose(best[1].fragment) == _loose(cited.fragment)
        same_figure = _loose(best[1].figure) == _loose(cited.figure)
        return best[0], RULE_NAME if same and same_figure else RULE_PAGE

    def _can_only_be_a_source(self, name: str) -> bool:
        if _URL.fullmatch(name):
            return True
        if any(character in name for character in '<>|"\n`=') and "#" not in name:
            return False
        return _extension_of(_parts(name).document) in self._extensions


def _id_of(point: DataPoint) -> str:
    return point.id.strip()


def _url_of(point: DataPoint) -> str:
    return (point.url or "").strip()


def _source_of(point: DataPoint) -> str:
    return point.source.strip()


def _compatible(left: str, right: str) -> bool:
    return not left or not right or _loose(left) == _loose(right)


def _is_subscripted(before: str) -> bool:
    """Whether a bracket after `before` is an index: after an identifier or another subscript."""
    if before.endswith(")"):
        before = before[: max(before.rfind("("), 0)]
    return bool(before) and (before[-1] in "]_" or (before[-1].isascii() and before[-1].isalnum()))


def _is_prose(before: str) -> bool:
    """Whether `before` ends with a word or number of a sentence, as nobody would call an array."""
    last = _LAST_WORD.search(before)
    return last is not None and (last.group(1) or "").casefold() not in _INDEXED and bool(_EARLIER_WORD.search(before))


def _distinct(matches: Iterable[Match]) -> tuple[Match, ...]:
    by_key: dict[tuple[str, int | str], Match] = {}
    for match in matches:
        by_key.setdefault(match.key, match)
    return tuple(by_key.values())
