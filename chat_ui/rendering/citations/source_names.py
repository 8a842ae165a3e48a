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
_FIGURE = re.compile(r"\(([^()]*)\)$")
_PAGES = r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?"
_PAGE = re.compile(rf"(?:pages?|pp?\.?)\s*=?\s*{_PAGES}", re.IGNORECASE)
_SPOKEN_PAGE = re.compile(
    rf"(?:,\s*|(?<!\s)(?:\s+|\s*\())(?:page|pages|p\.|pp\.|seite|página)\s*{_PAGES}\s*\)?$", re.IGNORECASE
)
_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u00ad]")
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
    """The parts of a name. A page in words (`plan.pdf, page 8`) is the same as `#page=8`."""
    figure = ""
    spoken = _SPOKEN_PAGE.search(name)
    if spoken:
        name = f"{name[: spoken.start()].rstrip()}#page={'-'.join(filter(None, spoken.groups()))}"
    bracket = _FIGURE.search(name)
    if bracket and bracket.start() > 0 and ("#" in name or extension_of(bracket.group(1))):
        figure, name = bracket.group(1), name[: bracket.start()]
    document, fragment = _parted(name)
    page = _PAGE.fullmatch(fragment.strip())
    first = int(page.group(1)) if page else 0
    pages = (first, int(page.group(2) or first)) if page else None
    return SourceName(document.strip(), fragment.strip(), figure.strip(), pages)


def _parted(name: str) -> tuple[str, str]:
    """The document and the place in it. A `#` that no page follows is part of a name such as `C# guide`, unless it
    comes after an address or a file's extension.
    """
    if "#" not in name and "%23" in name:
        name = unquote(name)
    document, mark, fragment = name.rpartition("#")
    if mark and (_PAGE.fullmatch(fragment.strip()) or URL.match(document) or extension_of(document)):
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
    path, slash, last = document.rpartition("/")
    return last if slash and path and extension_of(last) in DOCUMENT_EXTENSIONS else ""


def normalized(name: str) -> str:
    """The name as names are compared: without percent-encoding, Unicode's other forms, case and spaces."""
    return _compared(unquote(name))


def normalized_form_value(name: str) -> str:
    """The same of a name in which `+` is a space, as in the values of forms."""
    return _compared(unquote_plus(name))


def clean_label(label: str) -> str:
    """The label on one line, without control characters and direction marks."""
    return _INVISIBLE.sub("", _SPACE.sub(" ", _CONTROL.sub(" ", label))).strip()


def _compared(name: str) -> str:
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name))
    return _PLAIN_HTTP.sub("https:", _SPACE.sub("", text).casefold().rstrip("/"))
