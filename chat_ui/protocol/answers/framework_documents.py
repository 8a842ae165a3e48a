"""Documents of retrieval frameworks, with their name and page in an object of metadata.

LangChain has `{page_content, metadata: {source, page}}`, in JavaScript `{pageContent, metadata: {source, loc:
{pageNumber}}}`; LlamaIndex has `{node: {text, metadata: {file_name, page_label}}, score}`; Haystack has `{content,
meta: {file_path, page_number}}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from chat_ui.protocol.events import Json, JsonObject

_INNER: Final = ("node", "document", "kwargs")
_METADATA: Final = ("metadata", "meta", "extra_info")
_FILES: Final = ("source", "file_name", "filename", "name", "document_name", "file_path", "filepath", "path")
_URLS: Final = ("url", "URL")
_WEB: Final = re.compile("https?://")
_PAGES: Final = ("page_number", "pageNumber", "page", "page_label")
_PAGE: Final = re.compile(r"[0-9]{1,6}")


class FlatDocument(NamedTuple):
    """A document with its name among its own keys.

    `names` are its other names in citations: its file, without a page and with each possible page. The first page is
    the one in the file, counted from 1.
    """

    item: JsonObject
    names: tuple[str, ...]


def flat_document(item: JsonObject) -> FlatDocument:
    """The document in `item`; `item` itself where no metadata name a file or a page of the web."""
    document = item
    for key in _INNER:
        if isinstance(inner := item.get(key), Mapping):
            document = {**{name: value for name, value in item.items() if name != key}, **inner}
    metadata = next((held for key in _METADATA if isinstance(held := document.get(key), Mapping)), None)
    if metadata is None:
        return FlatDocument(item, ())
    url = next(filter(_WEB.match, (scalar(metadata.get(key)) for key in _URLS)), "")
    file = next(filter(None, (scalar(metadata.get(key)) for key in _FILES)), url)
    if not file:
        return FlatDocument(item, ())
    flat: dict[str, Json] = {
        key: value for key, value in document.items() if key not in _METADATA and value is not None
    }
    if _WEB.match(file):
        flat = {"title": metadata.get("title"), "url": url or file, **flat}
    elif url:
        flat = {"url": url, **flat}
    names = dict.fromkeys((file, *(f"{file}#page={page}" for page in _pages(document, metadata))))
    return FlatDocument({"source": file, **flat}, tuple(names))


def _pages(document: JsonObject, metadata: JsonObject) -> Iterator[str]:
    location = metadata.get("loc")
    told = {**metadata, **location} if isinstance(location, Mapping) else metadata
    first = scalar(told.get("page"))
    # The loaders of LangChain count pages from 0.
    if "page_content" in document and _PAGE.fullmatch(first):
        yield str(int(first) + 1)
    for key in _PAGES:
        page = scalar(told.get(key))
        if _PAGE.fullmatch(page) and int(page):
            yield page


def scalar(value: Json) -> str:
    """A string or a number as text; empty for every other value."""
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
