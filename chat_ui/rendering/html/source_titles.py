"""A source's title, kind and place for a person; its id is made for machines (`Leave_Policy.pdf#page=2`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import unquote, urlsplit

from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.answers.data_points import DataPoint, urlsplit_path
from chat_ui.protocol.answers.place import NOWHERE, Place
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.citations.source_names import (
    DOCUMENT_EXTENSIONS,
    SourceName,
    clean_label,
    extension_of,
    source_name,
)
from chat_ui.rendering.html.image_html import Icon
from chat_ui.rendering.html.links import host_of

LONGEST: Final = 80
"""Characters of a title; the middle of a longer one is left out."""

_KINDS: Final[Mapping[str, tuple[str, Icon]]] = {
    "pdf": ("PDF", "file-text"),
    **dict.fromkeys(("doc", "docx", "docm"), ("Word", "file-text")),
    **dict.fromkeys(("xls", "xlsx", "xlsm", "xlsb"), ("Excel", "table")),
    **dict.fromkeys(("ppt", "pptx", "pptm"), ("PowerPoint", "presentation")),
    **{name: (name.upper(), "file-text") for name in ("odt", "rtf", "epub")},
    "ods": ("ODS", "table"),
    "odp": ("ODP", "presentation"),
    **dict.fromkeys(("eml", "msg"), (msg("E-mail"), "file-text")),
    **dict.fromkeys(("csv", "tsv"), (msg("Table"), "table")),
    **dict.fromkeys(("md", "mdx"), ("Markdown", "file-text")),
    **dict.fromkeys(("txt", "log", "rst"), (msg("Text"), "file-text")),
    **dict.fromkeys(("html", "htm", "xhtml"), (msg("Web page"), "globe")),
    **dict.fromkeys(
        ("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "svg", "heic", "avif"), (msg("Image"), "image")
    ),
}
_WEB_PAGES: Final = frozenset({"html", "htm", "xhtml", "php", "asp", "aspx", "jsp"})
_MAIN_PAGES: Final = frozenset({"index", "default", "home", "main"})
_WORD_ENDS: Final = re.compile(r"(?P<inside>(?<=\d)[_-](?=\d)|(?<==)-)|[_-]+")
_UNDERSCORES: Final = re.compile(r"(?P<inside>(?<=\d)_(?=\d))|_+")
_LETTER: Final = re.compile(r"[^\W_]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_FURTHER: Final = re.compile(r"(?<=\S) \((\d{1,4})\)\Z")


@dataclass(frozen=True, slots=True)
class SourceTitle:
    """A source for a person.

    It has a `title`, a `kind` (`PDF`; may be empty) with an icon, and a `place` in the document or on the web (`page
    2`, `example.org`), in little room `short_place` (`p. 2`). `pages` are the first and the last page, `slide` the
    slide. `site` is the end of a place on the web, and `id` the origin of all. All places of a `document`, if known,
    have its name.
    """

    title: str
    kind: str
    icon: Icon
    place: str
    short_place: str
    pages: tuple[int, int] | None
    slide: int | None
    site: str
    id: str
    document: str

    @property
    def line(self) -> str:
        """Kind and place, for below the title."""
        return " · ".join(filter(None, (self.kind, self.place)))

    @property
    def line_before_site(self) -> str:
        """The line without the site, which a link may replace."""
        return " · ".join(filter(None, (self.kind, self.place.removesuffix(self.site).removesuffix(", "))))


def source_title(point: DataPoint, label: str, place: Place = NOWHERE) -> SourceTitle:
    """The title of a data point: the backend's, else the name of the file or web page, else the cited `label`."""
    url = next((one for one in (point.url, point.id, point.source) if _is_web(one)), None)
    name, further = _file_name(point)
    given = clean_label(point.source)
    is_given = given != "" and given != clean_label(point.id) and not _is_file(given) and not _is_web(given)
    title = given if is_given else _title_of_file(name.document) if name else _title_of_page(url) if url else ""
    kind, icon = _kind(point, name, url)
    site = host_of(url).removeprefix("www.") if url else ""
    named = source_name(point.with_place(url)) if url else name
    if named and place.page and not named.place:
        named = replace(named, pages=(place.page, place.page))
    inside = named.place.at(place) if named else place
    words, short = (
        ", ".join(_places(named, inside, further, site, is_short=is_short)) if named else ""
        for is_short in (False, True)
    )
    return SourceTitle(
        cut_in_the_middle(title or label),
        kind,
        icon,
        words,
        short,
        named.pages if named else None,
        inside.slide,
        site,
        clean_label(point.id) or label,
        name.document if name else (url or "").partition("#")[0],
    )


def cut_in_the_middle(text: str, length: int = LONGEST) -> str:
    """At most `length` characters of a text: its beginning and its end, of several words in whole words."""
    text = clean_label(text)
    if len(text) <= length:
        return text
    last = length // 3
    start, end = text[: length - last - 1], text[-last:]
    return f"{start.rpartition(' ')[0] or start}…{end.partition(' ')[2] or end}"


def _is_web(text: str | None) -> bool:
    try:
        address = urlsplit((text or "").strip())
    except ValueError:
        return False
    return address.scheme in ("http", "https") and bool(address.hostname)


def _is_file(text: str) -> bool:
    return extension_of(source_name(text).document) in DOCUMENT_EXTENSIONS


def _file_name(point: DataPoint) -> tuple[SourceName | None, str]:
    """The parts of the file's name, if the data point has one, and the number of a further passage of that file."""
    for text in (point.id, point.source):
        again = _FURTHER.search(text.strip())
        complete = text.strip()[: again.start()] if again else text
        if _is_file(complete) and not _is_web(complete):
            return source_name(point.with_place(complete)), again[1] if again else ""
    return None, ""


def _kind(point: DataPoint, name: SourceName | None, url: str | None) -> tuple[str, Icon]:
    if (name and name.figure) or (point.image and not name):
        return gettext("Image"), "image"
    extension = extension_of(urlsplit_path(url) if url else name.document if name else "")
    if url and (extension in _WEB_PAGES or extension not in DOCUMENT_EXTENSIONS):
        return gettext("Web"), "globe"
    kind, icon = _KINDS.get(extension, (extension.upper(), "file"))
    return translated(kind), icon


def _pages(first: int, last: int, *, is_short: bool) -> str:
    named = {"first": str(first), "last": str(last)}
    if first != last:
        return gettext("pp. {first}–{last}", **named) if is_short else gettext("pages {first}–{last}", **named)
    return gettext("p. {page}", page=str(first)) if is_short else gettext("page {page}", page=str(first))


def _inside(place: Place) -> Iterator[str]:
    """The slide, or the sheet and its cells or row."""
    if place.slide:
        yield gettext("slide {number}", number=str(place.slide))
    sheet = cut_in_the_middle(place.sheet, LONGEST // 2)
    if place.cells:
        yield f"{sheet}!{place.cells}" if sheet else place.cells
    elif sheet:
        yield gettext("sheet {name}", name=sheet)
    if place.row:
        yield gettext("row {number}", number=str(place.row))


def _places(name: SourceName, place: Place, further: str, site: str, *, is_short: bool) -> Iterator[str]:
    first, last = name.pages or (1, 0)
    if first <= last:
        yield _pages(first, last, is_short=is_short)
    inside = list(_inside(place))
    yield from inside
    if site:
        yield site
        return
    if name.fragment and first > last and not inside:
        yield cut_in_the_middle(_spaced(name.fragment), LONGEST // 2)
    if name.figure:
        yield cut_in_the_middle(_spaced(_without_extension(name.figure)), LONGEST // 2)
    if further:
        yield gettext("passage {number}", number=further)


def _title_of_file(document: str) -> str:
    name = clean_label(_decoded(document.replace("\\", "/").rstrip("/").rpartition("/")[2]))
    return in_words(_without_extension(name)) or name


def _title_of_page(url: str) -> str:
    """The words of the last part of a web address, or else its host."""
    path = urlsplit_path(url.strip())
    last = clean_label(_decoded(path.rstrip("/").rpartition("/")[2]))
    stem = _without_extension(last)
    return host_of(url) if stem.casefold() in _MAIN_PAGES else in_words(stem) or host_of(url)


def in_words(name: str) -> str:
    """A name with spaces for underscores and hyphens, and an initial capital; empty without letters and digits."""
    words = _spaced(name)
    if not _LETTER.search(words):
        return ""
    return words[0].upper() + words[1:] if words.isascii() and words.islower() else words


def _spaced(name: str) -> str:
    """The name with spaces for underscores and hyphens, except in dates, versions and names with spaces."""
    if "_" in name and "-" in name:
        return clean_label(name.replace("_", " "))
    ends = _UNDERSCORES if " " in name.strip() else _WORD_ENDS
    return clean_label(ends.sub(lambda end: end["inside"] or " ", name))


def _without_extension(name: str) -> str:
    return name.rpartition(".")[0] if extension_of(name) in DOCUMENT_EXTENSIONS | _WEB_PAGES else name


def _decoded(name: str) -> str:
    """The name without percent-encoding; unchanged if that is not text."""
    try:
        text = unquote(name, errors="strict")
    except UnicodeDecodeError:
        return name
    return name if _CONTROL.search(text) else text
