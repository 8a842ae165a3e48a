"""Data points: the retrieved sources of an answer, in every shape that backends send."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final
from urllib.parse import unquote, urlsplit

from chat_ui.protocol.answers.framework_documents import flat_document, scalar
from chat_ui.protocol.answers.place import place_of
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg

MAX_DATA_POINTS: Final = 1000
ANNOTATIONS: Final = "annotations"
"""The key of a context for a list that is added to earlier ones instead of replacing them."""
SUPPORTED: Final = "supported_text"
"""The key of an annotation for the passage of the answer that it is about."""
SOURCES: Final = "sources"
"""The key of a context for sources by id, which are added to earlier ones."""
SOURCE_KEYS: Final = frozenset({"data_points", "citations", ANNOTATIONS, SOURCES})
"""Keys of a context for data points."""
KNOWN_LISTS: Final = frozenset({"text", "images", "citations", "external_results_metadata"})
"""Keys of data points for a list of one kind."""
_FOUND_BY: Final = "citation_activity_details"
_STEP_KEYS: Final = ("id", "number", "type", "source", "query")
_LONGEST_VALUE: Final = 300
_PASSAGE_KEYS = ("content", "text", "passage", "snippet", "chunk", "page_content", "pageContent", "summary")
_NAME_KEYS = ("filepath", "sourcepage", "title", "name", "source", "sourcefile", "filename", "file_name", "url")
_URL_KEYS = ("url", "href", "link", "uri", "document_url", "source_url")
_NOT_PASSAGES = frozenset({*_NAME_KEYS, *_URL_KEYS, *_PASSAGE_KEYS, "type", "names"})
_FILE_NAME = re.compile(r"[^\s/][^\n/]{0,200}\.\w{2,5}(?:#\S.*)?\Z")
_FIGURE = re.compile(
    r"\(([^()]+\.(?:png|jpe?g|gif|webp|svg|bmp|tiff?))\)\Z|\.(?:png|jpe?g|gif|webp|svg|bmp|tiff?)\Z", re.IGNORECASE
)
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_NUMBERED_DOCUMENT = re.compile(r"doc_\d+")
_IMAGE = re.compile(r"data:image/", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DataPoint:
    """A retrieved source of an answer. `id` is the name in a citation (`Benefit_Options.pdf#page=3`, `7`, `doc2`).
    `source` is the document's name for a person. `text` is the passage, perhaps with HTML of the backend. `url` is the
    document's address, if known. `image` is a data URI or URL for a picture. `names` are further names in citations:
    the number in a dialect of ordered sources, the file, the file with a place. `step` is the step that found it (see
    `read_step`).
    """

    id: str
    source: str
    text: str = ""
    url: str | None = None
    image: str | None = None
    names: tuple[str, ...] = ()
    step: JsonObject | None = field(default=None, hash=False)

    def with_place(self, name: str) -> str:
        """The name with the first place that `names` have for it."""
        start = f"{name}#"
        return next((one for one in self.names if one.startswith(start) and place_of(one.removeprefix(start))), name)


def read_data_points(context: JsonObject) -> tuple[DataPoint, ...]:
    """The data points of a merged context, each id once, in the order of the backend: passages, images, web, names.

    At most `MAX_DATA_POINTS` are kept. Data of unknown shape are left out, and nothing raises.
    """
    points: dict[str, DataPoint] = {}
    passages: dict[str, set[str]] = {}
    for point in islice(_points(context), MAX_DATA_POINTS):
        known = points.get(point.id)
        if known is None:
            points[point.id] = point
        elif not point.text or not known.text or point.text == known.text:
            points[point.id] = DataPoint(
                known.id,
                point.source if known.source in (known.id, known.url) else known.source,
                known.text or point.text,
                known.url or point.url,
                known.image or point.image,
                known.names or point.names,
                known.step or point.step,
            )
        elif point.id != "":
            # Two passages of one document: both are sources, and a citation of the name finds the first.
            texts = passages.setdefault(point.id, {known.text})
            if point.text not in texts:
                texts.add(point.text)
                number = len(texts)
                while (taken := points.get(again := f"{point.id} ({number})")) and taken.text != point.text:
                    number += 1
                points.setdefault(again, replace(point, id=again))
    return tuple(points.values())


def read_step(value: Json) -> JsonObject | None:
    """The step in `value`: its `id`, `type` and, if sent, `number`, `source` and `query`; None without `id` or `type`.

    Source: `ActivityDetail` of azure-search-openai-demo.
    """
    sent = value if isinstance(value, Mapping) else {}
    told = ((key, sent.get(key)) for key in _STEP_KEYS)
    step = {
        key: one[:_LONGEST_VALUE] if isinstance(one, str) else one for key, one in told if isinstance(one, str | int)
    }
    return step if scalar(step.get("id")) and scalar(step.get("type")) else None


def _points(context: JsonObject) -> Iterator[DataPoint]:
    data_points = context.get("data_points")
    if isinstance(data_points, Mapping):
        yield from (_with_step(point, data_points.get(_FOUND_BY)) for point in _keyed_points(data_points))
    elif isinstance(data_points, str):
        yield from _text_points([data_points])
    elif isinstance(data_points, Sequence):
        yield from _text_points(data_points)
    by_address: dict[str, str] = {}
    for point in (*_found_points(context.get(SOURCES)), *_own_data_points(_list(context.get("citations")))):
        if point.url:
            by_address.setdefault(point.url, point.id)
        yield point
    for point in _annotation_points(_list(context.get(ANNOTATIONS))):
        # Gateways annotate the numbers of search results.
        yield replace(point, id=by_address.get(point.id, point.id))


def _with_step(point: DataPoint, found_by: Json) -> DataPoint:
    """The point with the step under its name, with or without a page, in `found_by`, unless it has its step already."""
    if point.step or not isinstance(found_by, Mapping):
        return point
    names = (point.id, *point.names, point.url or point.id, point.id.partition("#")[0])
    return replace(point, step=next(filter(None, (read_step(found_by.get(name)) for name in names)), None))


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _keyed_points(data_points: JsonObject) -> Iterator[DataPoint]:
    text, citations = data_points.get("text"), _list(data_points.get("citations"))
    names = [name for name in citations if isinstance(name, str) and name.strip()]
    external = _external_points(_list(data_points.get("external_results_metadata")), set(names))
    of_external = {name: point for point in reversed(external) for name in (point.url, *point.names) if name}

    def known(point: DataPoint) -> DataPoint:
        """The external result that is cited by the id of `point`, with the passage of that; else `point`."""
        result = of_external.get(point.id)
        is_other = result is None or (point.id != result.url and point.text not in ("", result.text))
        return point if result is None or is_other else replace(result, text=point.text or result.text)

    yield from map(known, _text_points([text] if isinstance(text, str) else _list(text)))
    yield from _image_points(_list(data_points.get("images")), [name for name in names if _FIGURE.search(name)])
    yield from external
    for name in names:
        yield known(DataPoint(name, name))
    if len(names) < len(citations):
        yield from _own_data_points(citations)
    for key, value in data_points.items():
        if key in KNOWN_LISTS or key == _FOUND_BY:
            continue
        if isinstance(value, Mapping):
            yield _object_point(value, key)
        elif isinstance(value, str):
            yield DataPoint(key, key, value)
        elif isinstance(value, Sequence):
            yield from _text_points(value)


def _external_points(results: Sequence[Json], cited: Set[str]) -> list[DataPoint]:
    """Results of the web, cited by their address, and of SharePoint, cited by the last part of its path."""
    points: list[DataPoint] = []
    for result in results:
        if isinstance(result, Mapping):
            identity = scalar(result.get("id")) or scalar(result.get("url")) or _name(result) or "web"
            point = _found_point({key: value for key, value in result.items() if key != "activity"}, identity)
            file = (point.url or "").rpartition("/")[2]
            names = (file,) if file in cited else point.names
            points.append(replace(point, names=names, step=read_step(result.get("activity"))))
    return points


def _text_points(items: Sequence[Json]) -> Iterator[DataPoint]:
    for number, found in enumerate(items, 1):
        # A search of LangChain gives pairs of a document and its score.
        item = found[0] if isinstance(found, list) and found and isinstance(found[0], Mapping) else found
        if isinstance(item, Mapping):
            document = flat_document(item).item
            yield _object_point(item, scalar(document.get("id")) or _name(document) or str(number))
        elif isinstance(item, str):
            if _IMAGE.match(item):
                yield DataPoint(f"image{number}", msg("Image {number}", number=number), image=item)
            elif item.strip():
                yield _split_point(item, number)


def _split_point(item: str, number: int) -> DataPoint:
    source, colon, passage = item.partition(": ")
    if colon and source.strip() and "\n" not in source:
        return DataPoint(source.strip(), source.strip(), passage)
    name = item.strip().removesuffix(":")
    if _FILE_NAME.fullmatch(name):
        return DataPoint(name, name)
    return DataPoint(str(number), msg("Source {number}", number=number), item)


def _image_points(images: Sequence[Json], figures: list[str]) -> Iterator[DataPoint]:
    named = len(figures) == len(images)
    for number, item in enumerate(images, 1):
        image = item if isinstance(item, str) else image_url(item)
        if not image:
            continue
        name = figures[number - 1] if named else ""
        if isinstance(item, Mapping):
            name = scalar(item.get("id")) or scalar(item.get("name")) or scalar(item.get("title")) or name
        if not name and not image.startswith("data:"):
            name = unquote(urlsplit_path(image).rsplit("/", 1)[-1])
        label = name or msg("Image {number}", number=number)
        yield DataPoint(name or f"image{number}", label, image=image)


def urlsplit_path(url: str) -> str:
    """The path of `url`; empty for an invalid URL."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def image_url(item: Json) -> str | None:
    """The address of a picture, in the shapes of OpenAI and others; a data URI perhaps."""
    if not isinstance(item, Mapping):
        return None
    for key in ("url", "image_url", "data", "src"):
        value = item.get(key)
        if isinstance(value, Mapping):
            value = value.get("url")
        if isinstance(value, str) and value:
            return value
    return None


def _own_data_points(citations: Sequence[Json]) -> Iterator[DataPoint]:
    """Azure OpenAI On Your Data (`[doc1]`) and Perplexity (`[1]`): citations by number; Perplexity's are addresses."""
    are_addresses = all(isinstance(citation, str) and _ADDRESS.match(citation) for citation in citations)
    for number, citation in enumerate(citations, 1):
        if isinstance(citation, Mapping):
            yield _object_point(citation, f"doc{number}")
        elif are_addresses and isinstance(citation, str):
            yield DataPoint(str(number), citation, url=citation)
        elif isinstance(citation, str) and citation.strip():
            yield DataPoint(citation, citation)


def _annotation_points(annotations: Sequence[Json]) -> Iterator[DataPoint]:
    """OpenAI: pages and files under parts of the text, a page perhaps in a nested object."""
    for annotation in annotations:
        if not isinstance(annotation, Mapping):
            continue
        identity = annotation_id(annotation)
        if identity:
            cited = cited_in(annotation)
            content = cited.get("content")
            url = None if _NUMBERED_DOCUMENT.fullmatch(identity) else _url(cited)
            # Some give the number of a page in place of its title.
            name = "" if (title := _name(cited)).isdigit() else title
            yield DataPoint(identity, name or identity, content if isinstance(content, str) else "", url)


def annotation_id(annotation: JsonObject) -> str:
    """The id of the data point that an annotation of OpenAI makes; empty without a source.

    Foundry cites the documents of a search as `doc_0`, `doc_1` and so on, all with the address of the search service.
    """
    cited = cited_in(annotation)
    title, url = cited.get("title"), _url(cited)
    if isinstance(title, str) and _NUMBERED_DOCUMENT.fullmatch(title) and url and urlsplit_path(url) in {"", "/"}:
        return title
    return _url(cited) or _name(cited) or scalar(cited.get("file_id"))


def cited_in(annotation: JsonObject) -> JsonObject:
    """The page or the file that an annotation names, perhaps in a nested object."""
    for kind in ("url_citation", "file_citation", "file_path"):
        if isinstance(inner := annotation.get(kind), Mapping):
            return {**annotation, **inner}
    return annotation


def _found_points(sources: Json) -> Iterator[DataPoint]:
    for key, source in sources.items() if isinstance(sources, Mapping) else ():
        if isinstance(source, Mapping):
            yield _found_point(source, scalar(source.get("id")) or key)


def _found_point(item: JsonObject, point_id: str) -> DataPoint:
    """A source, perhaps without a passage. Name and address do not count as a passage."""
    names = tuple(name for name in _list(item.get("names")) if isinstance(name, str))
    point = _object_point(item, point_id)
    point = replace(point, names=(*names, *point.names))
    document = flat_document(item).item
    if point.image or any(isinstance(document.get(key), str) and document[key] for key in _PASSAGE_KEYS):
        return point
    rest = {key: value for key, value in document.items() if key not in _NOT_PASSAGES}
    return replace(point, text=_passage(rest))


def _object_point(item: JsonObject, point_id: str) -> DataPoint:
    image = image_url(item) if set(item) <= {"url", "detail", "type", "image_url"} else None
    if image and (_IMAGE.match(image) or "detail" in item or "image_url" in item):
        return DataPoint(point_id, msg("Image {number}", number=point_id.removeprefix("image")), image=image)
    item, names = flat_document(item)
    source = _name(item) or point_id
    others = tuple(name for name in names if name != source)
    return DataPoint(point_id, source, _passage(item), _url(item), names=others)


def _name(item: JsonObject) -> str:
    for key in _NAME_KEYS:
        name = scalar(item.get(key))
        if name and name != "null":
            return name
    return ""


def _url(item: JsonObject) -> str | None:
    for key in _URL_KEYS:
        value = item.get(key)
        if isinstance(value, Mapping):
            value = next((inner for inner in value.values() if isinstance(inner, str) and inner), None)
        if isinstance(value, str) and value.strip() and value != "null":
            return value
    return None


def _passage(item: JsonObject) -> str:
    for key in _PASSAGE_KEYS:
        value = item.get(key)
        if isinstance(value, str) and value.strip():
            return value
    told = ((key, value) for key, value in item.items() if key != "id" and value is not None)
    shown = ((key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) for key, value in told)
    return "\n".join(f"{key}: {value}" for key, value in shown)


_MOST_NESTING: Final = 4
"""Levels at which emptiness is looked for; deeper values count as not empty."""


def is_empty(value: Json, depth: int = 0) -> bool:
    """Whether a value is empty: null, white space, or a list or an object of only such values."""
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, Sequence):
        return depth < _MOST_NESTING and all(is_empty(item, depth + 1) for item in value)
    return value is None


def newest(known: Json, value: Json) -> Json:
    """`value` in place of `known`, unless it is empty; the lists of data points (`text`, `images`, …) one by one."""
    if is_empty(value) and not is_empty(known):
        return known
    if (
        isinstance(known, Mapping)
        and isinstance(value, Mapping)
        and all(KNOWN_LISTS & one.keys() for one in (known, value))
    ):
        return {key: newest(known.get(key), value.get(key)) for key in {**known, **value}}
    return value
