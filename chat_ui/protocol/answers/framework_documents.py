"""Documents of retrieval frameworks, with their name and place in an object of metadata.

LangChain has `{page_content, metadata: {source, page}}`, in JavaScript `{pageContent, metadata: {source, loc:
{pageNumber}}}`; LlamaIndex has `{node: {text, metadata: {file_name, page_label}}, score}`; Haystack has `{content,
meta: {file_path, page_number}}`. RAGFlow has its chunks in `reference`, which its answers cite by place, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from chat_ui.protocol.answers.place import Place
from chat_ui.protocol.events import Json, JsonObject

_INNER: Final = ("node", "document", "kwargs")
_METADATA: Final = ("metadata", "meta", "extra_info")
_FILES: Final = ("source", "file_name", "filename", "name", "document_name", "file_path", "filepath", "path")
_URLS: Final = ("url", "URL")
_WEB: Final = re.compile("https?://")
_PAGES: Final = ("page_number", "pageNumber", "page", "page_label")
_SHEETS: Final = ("sheet_name", "sheetName", "sheet", "page_name")
_SLIDES: Final = ("slide_number", "slideNumber", "slide")
_ROWS: Final = ("row", "row_number")
_COUNTED: Final = re.compile(r"[0-9]{1,6}")
_RAGFLOW_KEYS: Final = frozenset({"content", "document_name", "dataset_id", "similarity"})


class FlatDocument(NamedTuple):
    """A document with its name among its own keys.

    `names` are its other names in citations: its file, without a place, with its sheet, slide or row, and with each
    possible page. The first page is the one in the file, counted from 1.
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
    place, pages = _place(document, metadata).fragment, _pages(document, metadata)
    names = dict.fromkeys((file, *([f"{file}#{place}"] if place else []), *(f"{file}#page={page}" for page in pages)))
    return FlatDocument({"source": file, **flat}, tuple(names))


def ragflow_sources(reference: Json) -> dict[str, JsonObject]:
    """The sources in RAGFlow's reference, a list of chunks or an object with one, by their ids; else empty.

    Their names are RAGFlow's forms of citations: `[ID:0]` since May 2025, `##0$$` before, `{{source:0}}` in some
    versions. Source: `chunks_format` of RAGFlow.
    """
    listed = reference.get("chunks") if isinstance(reference, Mapping) else reference
    chunks = listed if isinstance(listed, list) else []
    if not all(isinstance(chunk, Mapping) and chunk.keys() >= _RAGFLOW_KEYS for chunk in chunks):
        return {}
    return {
        scalar(chunk.get("id")) or f"chunk {place}": {
            "title": chunk["document_name"],
            "content": chunk["content"],
            "url": chunk.get("url"),
            "names": [f"ID:{place}", f"##{place}$$", f"{{{{source:{place}}}}}"],
        }
        for place, chunk in enumerate(chunks)
        if isinstance(chunk, Mapping)
    }


def _pages(document: JsonObject, metadata: JsonObject) -> Iterator[str]:
    location = metadata.get("loc")
    told = {**metadata, **location} if isinstance(location, Mapping) else metadata
    first = scalar(told.get("page"))
    # The loaders of LangChain count pages from 0.
    if "page_content" in document and _COUNTED.fullmatch(first):
        yield str(int(first) + 1)
    for key in _PAGES:
        page = scalar(told.get(key))
        if _COUNTED.fullmatch(page) and int(page):
            yield page


def _place(document: JsonObject, metadata: JsonObject) -> Place:
    """The sheet, slide or row that metadata name."""
    sheet = next(filter(None, (scalar(metadata.get(key)) for key in _SHEETS)), "")
    slide, row = (
        next((int(one) for key in keys if _COUNTED.fullmatch(one := scalar(metadata.get(key)))), None)
        for keys in (_SLIDES, _ROWS)
    )
    # The CSV loader of LangChain counts the rows below the head of the table from 0.
    if row is not None and "page_content" in document and not sheet:
        row += 2
    return Place(slide=slide or None, row=row or None, sheet=sheet)


def scalar(value: Json) -> str:
    """A string or a number as text; empty for every other value."""
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
