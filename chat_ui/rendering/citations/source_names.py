"""Names of sources: their comparison, their parts, and the search for a source by name.

A name is a document, a place in it after `#`, and a figure in brackets at its end: `plan.pdf#page=8(figure8_1.png)`. A
name matches exactly; by decoded name, case or spaces; by its figure, which is of the named document; or without the
place or figure of either side.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, unquote_plus

from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.protocol.answers.place import CELLS, Place, place_of
from chat_ui.rendering.citations.brackets import SEPARATOR

DOCUMENT_EXTENSIONS: Final = frozenset(
    str.split(
        "pdf txt md rst doc docx docm xls xlsx xlsm xlsb ppt pptx pptm csv tsv json jsonl xml html htm xhtml "
        "rtf odt ods odp "
        "png jpg jpeg gif webp bmp tif tiff svg heic avif epub eml msg log yaml yml vtt srt tex "
        "mdx ipynb py sql parquet vsd vsdx zip mp3 m4a wav mp4 mov webm"
    )
)
URL: Final = re.compile(r"(?:https?|ftp)://[^\s\[\]<>\"]+", re.IGNORECASE)

_PLAIN_HTTP = re.compile(r"http:(?=//)", re.IGNORECASE)
_EXTENSION = re.compile(r".*[^\s./\\]\.([A-Za-z][A-Za-z0-9]{0,7})", re.DOTALL)
_FIGURE = re.compile(r"[(（]([^()（）]*)[)）]$")
DASHES: Final = "\\-\u2010-\u2015\u2212"
"""Hyphens and dashes, for a class of a regular expression."""
PAGES: Final = rf"\d{{1,6}}(?:\s*[{DASHES}~〜～]\s*\d{{1,6}})?"
"""A page, or the first and the last of several."""
_PAGE_WORD = (
    r"(?:pages?|pgs?\.?|pp?\.|seiten?|s\.|p[aá]g(?:s|g|ina|inas|ine)?\.?|stron[aey]?|stronie|str\.|"
    r"ページ|[页頁][码碼]?|페이지|(?:ال)?صفح(?:ة|ات)|ص\s?\.)"
)
_BARE_PAGE_WORD = r"(?:pp?|s|str|ص)"
"""A word for a page without its full stop: a name may end with it, so that only the name of a file goes before it."""
_COUNTED_PAGE = rf"第?\s*{PAGES}\s*(?:ページ|[页頁]|쪽|페이지)目?"
_EQUALS = r"\s*(?:[=:：#]|n[or°º]\.?\s)?\s*"
PAGE: Final = re.compile(rf"#?\s*(?:(?:{_PAGE_WORD}|pp?){_EQUALS}{PAGES}|{_COUNTED_PAGE})", re.IGNORECASE)
"""A page by itself: `page=8`, `S. 8`, `第8页`."""
_SPOKEN_PAGE = re.compile(
    rf"(?:(?<!\s)\s*[,،、，;؛；:：|{DASHES}]\s*|(?<!\s)(?:\s+|\s*[(（]\s*)|(?=第))"
    rf"(?:{_PAGE_WORD}{_EQUALS}{PAGES}|{_COUNTED_PAGE}|(?P<bare>{_BARE_PAGE_WORD}){_EQUALS}{PAGES})"
    r"(?:\s?ff?\.?)?\s*[)）]?$",
    re.IGNORECASE,
)
_SLIDE_WORD = r"(?:slides?|foli[ea]n?|diapositiv[aeo]s?|slajd\w{0,3}|スライド|幻灯片|شريحة|الشريحة)"
_ROW_WORD = r"(?:rows?|zeilen?|lignes?|filas?|rig[ah]e?|wiersz\w?|linhas?|行|صف|الصف)"
_SHEET_WORD = r"(?:work)?sheet|(?:tabellen)?blatt|feuille|hoja|foglio|arkusz|planilha|シート|工作表|ورقة"
_PLACE = rf"""(?:
    {_SLIDE_WORD}{_EQUALS}(?P<slide>{PAGES})
    |(?:{_ROW_WORD}{_EQUALS}|第\s*(?=\d+\s*行))(?P<row>{PAGES})(?:\s*行)?
    |(?P<cells>(?:'(?:[^']|'')+'|[^'!,;.()]+)!{CELLS})
    |(?:{_SHEET_WORD})(?:\s*[:：]\s*|\s+)['"]?(?P<sheet>[^'"!,;.()]+)['"]?
)"""
PLACE: Final = re.compile(_PLACE, re.IGNORECASE | re.VERBOSE)
"""A slide, a row, a sheet or cells by themselves: `slide 4`, `Zeile 4`, `sheet Costs`, `Costs!B2:C9`."""
_SPOKEN_PLACE = re.compile(
    rf"(?:\s*[,،、;؛；:：|{DASHES}]\s*|\s+|\s*[(（]\s*){_PLACE}\s*[)）]?$", re.IGNORECASE | re.VERBOSE
)
_SPOKEN_LENGTH = 60
"""Characters at the end of a name that are searched for a place in words."""
_NARROW = {wide: wide - 0xFEE0 for wide in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B), 0xFF0E, 0xFF1D)}
_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad]")
_ALIKE = {
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys(map(ord, "‘’‚‛′ʼ`´"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»"), '"'),
    **dict.fromkeys((0x200C, 0x200D, *range(0xFE00, 0xFE10))),
}
"""Characters that are written for one another or left out, beside those that NFKC unites."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

RULE_EXACT = "exact"
RULE_NAME = "name"
RULE_PAGE = "page"
RULE_FIGURE = "figure"
NUMBER: Final = re.compile(r"\d{1,6}")


@dataclass(frozen=True, slots=True)
class SourceName:
    """A source's name in its parts, each possibly empty. `pages` are its first and its last page."""

    document: str
    fragment: str = ""
    figure: str = ""
    pages: tuple[int, int] | None = None

    @property
    def place(self) -> Place:
        """The place that the fragment names, a page in any spelling; may be empty."""
        return Place(page=self.pages[0]) if self.pages else place_of(self.fragment)

    def agrees_with(self, source: SourceName) -> bool:
        """Whether a citation of this name can mean `source`: missing parts do not contradict."""
        fragment = self.same_fragment(source) or not self.fragment or not source.fragment
        if not fragment and self.pages and source.pages:
            fragment = _within(source.pages, self.pages) or _within(self.pages, source.pages)
        elif not fragment and self.place and source.place:
            fragment = self.place.agrees_with(source.place)
        return fragment and (self.same_figure(source) or not self.figure or not source.figure)

    def same_fragment(self, other: SourceName) -> bool:
        """Whether both name the same place, or neither names one."""
        if self.pages and other.pages:
            return self.pages == other.pages
        if self.place and other.place:
            return self.place == other.place
        return normalized(self.fragment) == normalized(other.fragment)

    def same_figure(self, other: SourceName) -> bool:
        """Whether both name the same figure, or neither names one."""
        return normalized(self.figure) == normalized(other.figure)


def source_name(name: str) -> SourceName:
    """The parts of a name. A place in words (`plan.pdf, page 8`, `plan.pdf 第8页`, `plan.pptx, slide 8`) is as after
    `#`.
    """
    figure = ""
    spoken = _SPOKEN_PAGE.search(name.translate(_NARROW), max(0, len(name) - _SPOKEN_LENGTH))
    if spoken and (not spoken["bare"] or extension_of(name[: spoken.start()])):
        name = f"{name[: spoken.start()].rstrip()}{page_fragment(spoken.group())}"
    elif (placed := _SPOKEN_PLACE.search(name, max(0, len(name) - _SPOKEN_LENGTH))) and extension_of(
        name[: placed.start()]
    ):
        name = f"{name[: placed.start()].rstrip()}{_fragment_of(placed)}"
    bracket = _FIGURE.search(name)
    if bracket and bracket.start() > 0 and ("#" in name or extension_of(bracket.group(1))):
        figure, name = bracket.group(1), name[: bracket.start()]
    document, fragment = _parted(name)
    pages = NUMBER.findall(fragment) if PAGE.fullmatch(fragment.strip()) else []
    span = (int(pages[0]), int(pages[-1])) if pages else None
    return SourceName(document.strip(), fragment.strip(), figure.strip(), span)


def page_fragment(pages: str) -> str:
    """The fragment of a name for a page, or for the first and the last of several, in any spelling."""
    return f"#page={'-'.join(NUMBER.findall(pages))}"


def place_fragment(text: str) -> str:
    """The fragment of a name for a page or another place by itself; empty for others."""
    if PAGE.fullmatch(text):
        return page_fragment(text)
    place = PLACE.fullmatch(text)
    return _fragment_of(place) if place else ""


def _fragment_of(place: re.Match[str]) -> str:
    if place["cells"]:
        return f"#{place['cells'].strip()}"
    if place["sheet"]:
        return f"#{Place(sheet=place['sheet'].strip()).fragment}"
    name = "slide" if place["slide"] else "row"
    return f"#{name}={NUMBER.findall(place[name])[0]}"


def _parted(name: str) -> tuple[str, str]:
    """The document and the place in it. Without a page, `#` needs an address or a file's extension before it."""
    if "#" not in name:
        name = unquote(name) if "%23" in name else name.replace("＃", "#")
    document, mark, fragment = name.rpartition("#")
    if mark and (PAGE.fullmatch(fragment.strip()) or URL.match(document) or extension_of(document)):
        return document, fragment
    return name, ""


def _within(pages: tuple[int, int], others: tuple[int, int]) -> bool:
    return others[0] <= pages[0] and pages[1] <= others[1]


def extension_of(name: str) -> str:
    """The extension of a file's name, in lower case; may be empty."""
    match = _EXTENSION.fullmatch(name.strip())
    return match.group(1).casefold() if match else ""


def last_part(document: str) -> str:
    """The file's own name at the end of a path or a URL; empty unless it is the path of a file."""
    path, slash, last = document.replace("\\", "/").rpartition("/")
    return last if slash and path and extension_of(last) in DOCUMENT_EXTENSIONS else ""


def normalized(name: str) -> str:
    """The name for comparison: without percent-encoding, case, spaces and kinds of hyphens and quotes."""
    return _compared(unquote(name))


def normalized_form_value(name: str) -> str:
    """The same for a name in which `+` is a space, as in the values of forms."""
    return _compared(unquote_plus(name))


def clean_label(label: str) -> str:
    """The label on one line, without control characters and direction marks."""
    return _INVISIBLE.sub("", _SPACE.sub(" ", _CONTROL.sub(" ", label))).strip()


def _compared(name: str) -> str:
    # NFKC makes a space and an accent of a lone accent, and another hyphen of some hyphens.
    text = unicodedata.normalize("NFKC", name.translate(_ALIKE)).translate(_ALIKE)
    text = _INVISIBLE.sub("", text)
    return _PLAIN_HTTP.sub("https:", _SPACE.sub("", text).casefold().rstrip("/"))


class NamedSources:
    """The data points of one answer, by name; `by_number` if most have a number."""

    def __init__(self, points: Sequence[DataPoint]) -> None:
        """Index `points` by id, name, document and number; earlier ones win where two have the same name."""
        self.points = tuple(points)
        self._exact: dict[str, int] = {}
        self._normalized: dict[str, int] = {}
        self._documents: dict[str, list[tuple[int, SourceName]]] = {}
        self._paths: dict[str, set[str]] = {}
        self._figures: dict[str, list[tuple[int, SourceName]]] = {}
        self._extensions = set(DOCUMENT_EXTENSIONS)
        numbered = sum(
            any(NUMBER.fullmatch(name.strip()) for name in (point.id, *point.names)) for point in self.points
        )
        self.by_number = 2 * numbered > len(self.points)
        for name_of in NAMES:
            for index, point in enumerate(self.points):
                self._add(name_of(point), index)
        for index, point in enumerate(self.points):
            for name in point.names:
                self._add(name.strip(), index)

    def _add(self, name: str, index: int) -> None:
        if not name:
            return
        self._exact.setdefault(name, index)
        self._normalized.setdefault(normalized(name), index)
        parts = source_name(self.points[index].with_place(name))
        if self.points[index].image or parts.figure:
            self._figures.setdefault(normalized(parts.figure or name), []).append((index, parts))
        own = _id_of(self.points[index])
        is_place = bool(parts.place) and name in self.points[index].names
        if name != own and not is_place and normalized(source_name(own).document) == normalized(parts.document):
            return
        if parts.document and not NUMBER.fullmatch(parts.document):
            document = normalized(parts.document)
            self._documents.setdefault(document, []).append((index, parts))
            last = normalized(last_part(parts.document))
            if last and name != _url_of(self.points[index]):
                self._paths.setdefault(last, set()).add(document)
        extension = extension_of(parts.document)
        if extension and not URL.match(name):
            self._extensions.add(extension)

    def label(self, index: int) -> str:
        """The name of data point `index` for a person: an id that is a document's name, else its source's."""
        point = self.points[index]
        is_named = extension_of(source_name(point.id).document) or not point.source
        name = point.id if is_named else translated(point.source)
        return clean_label(name) or gettext("Source {number}", number=str(index + 1))

    def find(self, name: str) -> tuple[int, str] | None:
        """The index of the data point of that name, and the rule of the match; else None."""
        exact = self._exact.get(name)
        if exact is not None:
            return exact, RULE_EXACT
        written = self._normalized.get(normalized(name), self._normalized.get(normalized_form_value(name)))
        if written is not None:
            return written, RULE_NAME
        parts = source_name(name)
        if SEPARATOR.search(parts.fragment):
            return None
        figure = self._find_figure(name, parts)
        return (figure, RULE_FIGURE) if figure is not None else self._find_in_document(parts)

    def _find_figure(self, name: str, cited: SourceName) -> int | None:
        """The image of the cited figure: of the cited document and page, or one named only by its figure."""
        for index, source in self._figures.get(normalized(cited.figure or name), ()):
            is_its_own = not cited.figure or (not source.figure and not SEPARATOR.search(cited.document))
            of_document = source.figure and normalized(cited.document) in {
                normalized(source.document), normalized(last_part(source.document)),
            }  # fmt: skip
            if is_its_own or (of_document and cited.agrees_with(source)):
                return index
        return None

    def _find_in_document(self, cited: SourceName) -> tuple[int, str] | None:
        """The best data point of the cited document whose page and figure do not contradict the cited ones.

        A file's bare name matches its path if only one document has it.
        """
        key = normalized(cited.document)
        if key not in self._documents:
            paths = self._paths.get(key, set())
            key = next(iter(paths)) if len(paths) == 1 else normalized_form_value(cited.document)
        candidates = [(index, name) for index, name in self._documents.get(key, []) if cited.agrees_with(name)]
        if not candidates:
            return None

        def distance(candidate: tuple[int, SourceName]) -> tuple[bool, bool, bool]:
            _, name = candidate
            return not cited.same_fragment(name), not cited.same_figure(name), name.document != cited.document

        index, name = min(candidates, key=distance)
        is_same = cited.same_fragment(name) and cited.same_figure(name)
        return index, RULE_NAME if is_same else RULE_PAGE

    def can_only_be_a_source(self, name: str) -> bool:
        """Whether even an unknown name must be a source's: a URL, or the name of a file of a document."""
        if URL.fullmatch(name):
            return True
        if any(character in name for character in '<>|"`=*') and "#" not in name:
            return False
        return extension_of(source_name(name).document) in self._extensions

    def is_name_of(self, name: str, index: int) -> bool:
        """Whether a data point has that name."""
        return normalized(name) in {normalized(name_of(self.points[index])) for name_of in NAMES}


def _id_of(point: DataPoint) -> str:
    return point.id.strip()


def _url_of(point: DataPoint) -> str:
    return (point.url or "").strip()


def _source_of(point: DataPoint) -> str:
    return point.source.strip()


def _image_url_of(point: DataPoint) -> str:
    image = (point.image or "").strip()
    return image if URL.fullmatch(image) else ""


NAMES = (_id_of, _url_of, _source_of, _image_url_of)
"""The names of a source in citations; earlier ones win."""
