"""Names of sources: how one is compared with another, and what its parts are.

A name is a document, a place in it after `#`, and a figure in brackets at its end: `plan.pdf#page=8(figure8_1.png)`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, unquote_plus

DOCUMENT_EXTENSIONS: Final = frozenset(
    str.split(
        "pdf txt md rst doc docx docm xls xlsx xlsm ppt pptx csv tsv json jsonl xml html htm xhtml "
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
"""Hyphens and dashes, as they stand in a class of a regular expression."""
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
_SPOKEN_LENGTH = 60
"""Characters at the end of a name that are read for a page in words."""
_NARROW = {wide: wide - 0xFEE0 for wide in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B), 0xFF0E, 0xFF1D)}
"""Full-width letters, full stop and equals sign, and the usual ones."""
_NUMBER = re.compile(r"\d{1,6}")
_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad]")
_ALIKE = {
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys(map(ord, "‘’‚‛′ʼ`´"), "'"),
    **dict.fromkeys(map(ord, "“”„‟″«»"), '"'),
    **dict.fromkeys((0x200C, 0x200D, *range(0xFE00, 0xFE10))),
}
"""Characters that are written for one another or not at all, beside those that are one in NFKC."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class SourceName:
    """A source's name in its parts; those that it does not have are empty. `pages` are its first and its last page."""

    document: str
    fragment: str = ""
    figure: str = ""
    pages: tuple[int, int] | None = None

    def agrees_with(self, source: SourceName) -> bool:
        """Whether a citation of this name can mean `source`: a part that either leaves out says nothing."""
        fragment = self.same_fragment(source) or not self.fragment or not source.fragment
        if not fragment and self.pages and source.pages:
            fragment = _within(source.pages, self.pages) or _within(self.pages, source.pages)
        return fragment and (self.same_figure(source) or not self.figure or not source.figure)

    def same_fragment(self, other: SourceName) -> bool:
        """Whether both name the same place, or none."""
        if self.pages and other.pages:
            return self.pages == other.pages
        return normalized(self.fragment) == normalized(other.fragment)

    def same_figure(self, other: SourceName) -> bool:
        """Whether both name the same figure, or none."""
        return normalized(self.figure) == normalized(other.figure)


def source_name(name: str) -> SourceName:
    """The parts of a name. A page in the words of a language of the page (`plan.pdf, page 8`, `plan.pdf 第8页`) is the
    same as `#page=8`.
    """
    figure = ""
    spoken = _SPOKEN_PAGE.search(name.translate(_NARROW), max(0, len(name) - _SPOKEN_LENGTH))
    if spoken and (not spoken["bare"] or extension_of(name[: spoken.start()])):
        name = f"{name[: spoken.start()].rstrip()}{page_fragment(spoken.group())}"
    bracket = _FIGURE.search(name)
    if bracket and bracket.start() > 0 and ("#" in name or extension_of(bracket.group(1))):
        figure, name = bracket.group(1), name[: bracket.start()]
    document, fragment = _parted(name)
    pages = _NUMBER.findall(fragment) if PAGE.fullmatch(fragment.strip()) else []
    span = (int(pages[0]), int(pages[-1])) if pages else None
    return SourceName(document.strip(), fragment.strip(), figure.strip(), span)


def page_fragment(pages: str) -> str:
    """The fragment of a name for a page, or for the first and the last of several, however they are written."""
    return f"#page={'-'.join(_NUMBER.findall(pages))}"


def _parted(name: str) -> tuple[str, str]:
    """The document and the place in it. A `#` that no page follows is part of a name such as `C# guide`, unless it
    comes after an address or a file's extension.
    """
    if "#" not in name:
        name = unquote(name) if "%23" in name else name.replace("＃", "#")
    document, mark, fragment = name.rpartition("#")
    if mark and (PAGE.fullmatch(fragment.strip()) or URL.match(document) or extension_of(document)):
        return document, fragment
    return name, ""


def _within(pages: tuple[int, int], others: tuple[int, int]) -> bool:
    return others[0] <= pages[0] and pages[1] <= others[1]


def extension_of(name: str) -> str:
    """The extension of a file's name, in lower case; empty where it has none."""
    match = _EXTENSION.fullmatch(name.strip())
    return match.group(1).casefold() if match else ""


def last_part(document: str) -> str:
    """The file's own name at the end of a path or a URL; empty where the name is no path of a file."""
    path, slash, last = document.replace("\\", "/").rpartition("/")
    return last if slash and path and extension_of(last) in DOCUMENT_EXTENSIONS else ""


def normalized(name: str) -> str:
    """The name as names are compared: without percent-encoding, Unicode's other forms, case and spaces, with one kind
    of hyphens and of quotes.
    """
    return _compared(unquote(name))


def normalized_form_value(name: str) -> str:
    """The same of a name in which `+` is a space, as in the values of forms."""
    return _compared(unquote_plus(name))


def clean_label(label: str) -> str:
    """The label on one line, without control characters and direction marks."""
    return _INVISIBLE.sub("", _SPACE.sub(" ", _CONTROL.sub(" ", label))).strip()


def _compared(name: str) -> str:
    # NFKC makes a space and an accent of one that stands alone, and a hyphen of another one.
    text = unicodedata.normalize("NFKC", name.translate(_ALIKE)).translate(_ALIKE)
    text = _INVISIBLE.sub("", text)
    return _PLAIN_HTTP.sub("https:", _SPACE.sub("", text).casefold().rstrip("/"))
