"""The documents behind an answer's sources: what they are called, and where a backend keeps them.

Microsoft's samples serve the documents that they cite at `/content/<name>` beside `/chat`; no specification says so.
Agents that serve a page's documents may do so beside `/ag-ui`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, unquote, urlsplit

from chat_ui.protocol.answers.data_points import DataPoint
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.urls import parse_backend_url, with_scheme
from chat_ui.protocol.errors import InvalidBackendError
from chat_ui.protocol.translatable import msg

Kind: TypeAlias = Literal["pdf", "image", "markdown", "text", "html", "csv", "file"]

SOURCE: Final = "{source}"
ORIGIN: Final = "{origin}"
"""Placeholders of a template: for a document's name, and for the scheme, host and port of the backend."""

_KINDS: Final[Mapping[str, Kind]] = {
    "pdf": "pdf",
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "bmp", "svg"), "image"),
    **dict.fromkeys(("md", "markdown"), "markdown"),
    **dict.fromkeys(("txt", "log", "rst", "tex", "json", "jsonl", "xml", "yaml", "yml", "eml", "srt", "vtt"), "text"),
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    **dict.fromkeys(("csv", "tsv"), "csv"),
    **dict.fromkeys(("docx", "doc", "xlsx", "xls", "pptx", "ppt", "odt", "ods", "odp", "rtf", "epub", "msg"), "file"),
}
_NAME: Final = re.compile(
    rf"(?P<name>.+?\.(?P<extension>{'|'.join(_KINDS)}))\s*(?:\#(?P<fragment>.*)|\(.*\))?", re.DOTALL | re.IGNORECASE
)
_PAGE: Final = re.compile(r"page=(\d{1,6})(?!\d)")
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f\\]|://")
_CHAT_PATH: Final = re.compile(r"/(?:(?:chat|ask)(?:/stream)?|ag-?ui)/?\Z")


@dataclass(frozen=True, slots=True)
class Document:
    """The document that a source names.

    `name` is its name with the backend, `page` the page that the source is about (from 1), `kind` what can be done with
    it, by its extension.
    """

    name: str
    kind: Kind
    page: int | None = None

    def at(self, page: int | None) -> Document:
        """The document at the later of its page and the one that a citation names."""
        return replace(self, page=max(self.page or 0, page or 0) or None)


def document_of(point: DataPoint) -> Document | None:
    """The document that a data point names; None where it names none that could be asked for.

    A source with a web address is no document of the backend, and an image that came with the answer needs none.
    """
    if urlsplit(point.url or "").scheme in {"http", "https"}:
        return None
    own = (point.id, point.source)
    paged = (name for name in map(point.with_page, own) if name not in own)
    document = next(filter(None, map(named_document, (*paged, *own))), None)
    return None if document is not None and document.kind == "image" and point.image else document


def named_document(name: str) -> Document | None:
    """The document of a name such as `Benefit_Options.pdf#page=3` or `plan.pdf#page=8(figure8_1.png)`.

    None where the extension is not one of a document, and where the name could lead somewhere else than to a document
    (`..` in its path however it is written, control characters, a scheme): what a backend cites may come out of the
    documents themselves.
    """
    match = _NAME.fullmatch(name.strip())
    if match is None or not _is_safe(match["name"]):
        return None
    page = _PAGE.search(match["fragment"] or "")
    number = int(page.group(1)) if page else 0
    return Document(match["name"], _KINDS[match["extension"].casefold()], number or None)


def _is_safe(name: str) -> bool:
    unquoted = name
    for _ in range(3):
        if _UNSAFE.search(unquoted) or any(part in {".", "..", ""} for part in unquoted.split("/")):
            return False
        unquoted = unquote(unquoted)
    return True


def parse_document_template(text: str) -> str:
    """A template as a person typed it, checked: a URL with `{source}`, which may begin with `{origin}`; or empty.

    Raises:
        InvalidBackendError: it is no such URL; the words are for the person.
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
                "The address needs {place} where a document's name goes, as in {example}.",
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
    """The address of one document; each character of its name that means something in a URL is escaped."""
    return template.replace(SOURCE, quote(document.name, safe="/"))
