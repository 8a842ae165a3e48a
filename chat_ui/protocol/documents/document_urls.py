"""The names and addresses of the documents behind an answer's sources.

Microsoft's samples serve cited documents at `/content/<name>` beside `/chat`, outside any specification. Agents that
serve a page's documents may do so beside `/ag-ui`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from chat_ui.protocol.answers.data_points import DataPoint
from chat_ui.protocol.answers.place import NOWHERE, Place, place_of
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.urls import parse_backend_url, with_scheme
from chat_ui.protocol.errors import InvalidBackendError
from chat_ui.protocol.translatable import msg

Kind: TypeAlias = Literal["pdf", "image", "markdown", "text", "html", "word", "slides", "sheet", "mail", "file"]

READ: Final = frozenset[Kind]({"word", "slides", "sheet", "mail"})
"""Kinds that only readers of features show."""
SOURCE: Final = "{source}"
ORIGIN: Final = "{origin}"
"""Placeholders of a template: for a document's name, and for the scheme, host and port of the backend."""

_KINDS: Final[Mapping[str, Kind]] = {
    "pdf": "pdf",
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "bmp", "svg"), "image"),
    **dict.fromkeys(("md", "markdown"), "markdown"),
    **dict.fromkeys(("txt", "log", "rst", "tex", "json", "jsonl", "xml", "yaml", "yml", "srt", "vtt"), "text"),
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    **dict.fromkeys(("docx", "docm", "odt", "rtf", "epub"), "word"),
    **dict.fromkeys(("pptx", "pptm", "odp"), "slides"),
    **dict.fromkeys(("xlsx", "xlsm", "xlsb", "xls", "ods", "csv", "tsv"), "sheet"),
    **dict.fromkeys(("eml", "msg"), "mail"),
    **dict.fromkeys(("doc", "ppt"), "file"),
}
_NAME: Final = re.compile(
    rf"(?P<name>.+?\.(?P<extension>{'|'.join(_KINDS)}))\s*(?:\#(?P<fragment>.*)|\(.*\))?", re.DOTALL | re.IGNORECASE
)
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f\\]|://")
_CHAT_PATH: Final = re.compile(r"/(?:(?:chat|ask)(?:/stream)?|ag-?ui)/?\Z")


@dataclass(frozen=True, slots=True)
class Document:
    """The document of a source.

    `name` is its name with the backend, `place` the source's place in it, `kind` its use, by its extension.
    """

    name: str
    kind: Kind
    place: Place = NOWHERE

    def at(self, place: Place) -> Document:
        """The document at its place and the one that a citation names."""
        return replace(self, place=self.place.at(place))


def document_of(point: DataPoint) -> Document | None:
    """The document of a data point; None without a document to fetch.

    A source with a web address is not a document of the backend, and an image in the answer is not fetched.
    """
    if urlsplit(point.url or "").scheme in {"http", "https"}:
        return None
    own = (point.id, point.source)
    placed = (name for name in map(point.with_place, own) if name not in own)
    document = next(filter(None, map(named_document, (*placed, *own))), None)
    return None if document is not None and document.kind == "image" and point.image else document


def named_document(name: str) -> Document | None:
    """The document of a name such as `Costs.xlsx#Sheet1!B2` or `plan.pdf#page=8(figure8_1.png)`.

    None for other extensions, and for names that may not lead to a document (`..` in the path in any spelling, control
    characters, a scheme): documents may have written the citations.
    """
    match = _NAME.fullmatch(name.strip())
    if match is None or not _is_safe(match["name"]):
        return None
    return Document(match["name"], _KINDS[match["extension"].casefold()], place_of(match["fragment"] or ""))


def _is_safe(name: str) -> bool:
    unquoted = name
    for _ in range(3):
        if _UNSAFE.search(unquoted) or any(part in {".", "..", ""} for part in unquoted.split("/")):
            return False
        unquoted = unquote(unquoted)
    return True


def parse_document_template(text: str) -> str:
    """A typed template, checked: a URL with `{source}`, which may begin with `{origin}`; or empty.

    Raises:
        InvalidBackendError: it is not such a URL; the words are for the person.
    """
    text = text.strip()
    if not text:
        return ""
    text = with_scheme(text)
    url = parse_backend_url(text.replace(ORIGIN, "http://origin.invalid"))
    parts = urlsplit(url)
    if SOURCE not in f"{parts.path}?{parts.query}" or SOURCE in parts.netloc:
        raise InvalidBackendError(
            msg(
                "The address needs {place} for the name of the document, as in {example}.",
                place=SOURCE,
                example=f"{ORIGIN}/content/{SOURCE}",
            )
        )
    return text


def document_template(backend: Backend) -> str | None:
    """The template of the backend's documents, a URL with `{source}` for the name; None without one."""
    parts = urlsplit(backend.url)
    origin = f"{parts.scheme}://{parts.netloc}"
    if backend.documents is not None:
        return backend.documents.replace(ORIGIN, origin) or None
    if not _CHAT_PATH.search(parts.path):
        return None
    return f"{origin}{_CHAT_PATH.sub('', parts.path)}/content/{SOURCE}"


def document_url(template: str, document: Document) -> str:
    """The address of one document; characters of its name with a meaning in URLs are escaped."""
    return template.replace(SOURCE, quote(document.name, safe="/"))
