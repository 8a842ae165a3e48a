"""A conversation as an exported file, or as the document of a snapshot.

It runs in a separate process, and so does not use the server's objects.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from html import escape
from io import BytesIO
from typing import Any, Final, TypeAlias

from chat_ui.conversations.records.answer_json import answer_from_json, answer_to_json
from chat_ui.languages.foreign_text import attributes_of
from chat_ui.languages.translation import current_language, gettext
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.redaction import with_each_string
from chat_ui.protocol.documents.document_urls import Document, document_of
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.text_places import Places
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.ai_notice import DEFAULT
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.citations.citations import CitationUse
from chat_ui.rendering.copies import transcript_markdown
from chat_ui.rendering.exported_page.going_out import contents_of
from chat_ui.rendering.exported_page.hidden_addresses import HiddenAddresses
from chat_ui.rendering.exported_page.page_document import ExportedTurn, Look, exported_page, policy, script, style
from chat_ui.rendering.panels.document_text import SHOWN_AS_TEXT, shown_document
from chat_ui.rendering.panels.read_document import Reader, Wanted

StoredTurn: TypeAlias = tuple[str, str | None, str]
"""A question, its stored answer, and the answer's text."""
Cited: TypeAlias = Mapping[int, str]
"""The cited documents of an answer as safe HTML, by the index of a data point."""

MOST_SNAPSHOT_BYTES: Final = 32 * 1024 * 1024
"""Bytes of a snapshot's document, which is read into memory for each reader."""
_IMAGES: Final = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The optional contents of an export: thoughts, `backends` and cited `documents`, of which some are `missing`.
    `backends` has a name for each turn, or an empty one if excluded; the `origins` are then hidden everywhere.
    """

    backends: Sequence[str]
    documents: Sequence[Cited]
    missing: int = 0
    thoughts: bool = False
    origins: Set[str] = frozenset()
    pictures: Mapping[str, str] = field(default_factory=dict)
    """Data URIs by the `key` of a picture."""


def exported_html(title: str, turns: Sequence[StoredTurn], chosen: Chosen, note: str, look: Look) -> bytes:
    """The file for these turns, with `note` under its title."""
    page = exported_page(title, _exported(turns, chosen), note=note, with_thoughts=chosen.thoughts, look=look)
    return page.encode("utf-8", "replace")


def snapshot_document(
    title: str, turns: Sequence[StoredTurn], chosen: Chosen, look: Look, made_at: float
) -> tuple[bytes, str] | None:
    """The gzipped document of a snapshot of these turns, and its policy; None if it is too long."""
    day = datetime.fromtimestamp(made_at).astimezone().date()
    note = gettext("Snapshot of {day}", day=current_language().day(day, with_year=True))
    html = exported_html(title, turns, chosen, note, look)
    if len(html) > MOST_SNAPSHOT_BYTES:
        return None
    return gzip.compress(html, mtime=0), policy(style(look.typeface, look.accent), script())


def exported_contents(title: str, turns: Sequence[StoredTurn], chosen: Chosen) -> dict[str, Any]:
    """The contents of the file as JSON, with the number of `cited` documents, and of `missing` ones."""
    contents = contents_of(title, _exported(turns, chosen), with_thoughts=chosen.thoughts)
    return {**asdict(contents), "cited": sum(map(len, cited_documents(turns))), "missing": chosen.missing}


def exported_markdown(title: str, turns: Sequence[StoredTurn], with_thoughts: bool, notice: str = DEFAULT) -> bytes:
    text = transcript_markdown(title, _answered(turns), with_thoughts=with_thoughts, notice=notice)
    return text.encode("utf-8", "replace")


def cited_documents(turns: Sequence[StoredTurn]) -> list[dict[int, tuple[Document, Wanted]]]:
    """The documents that the answer of each turn cites, and their cited parts, by the index of the data point."""
    return [_cited(answer) for _, answer in _answered(turns)]


def picture_keys(turns: Sequence[StoredTurn]) -> list[str]:
    """The keys of the pictures of all answers."""
    return [picture.key for _, answer in _answered(turns) for picture in answer.pictures]


def _answered(turns: Sequence[StoredTurn]) -> list[tuple[str, Answer]]:
    return [
        (question, answer_from_json(json.loads(answer), text) if answer is not None else Answer())
        for question, answer, text in turns
    ]


def _exported(turns: Sequence[StoredTurn], chosen: Chosen) -> list[ExportedTurn]:
    addresses = HiddenAddresses(chosen.origins)
    return [
        ExportedTurn(
            question,
            answer if backend else _without_address(answer, addresses),
            backend,
            pages=documents if backend else {point: addresses.out_of(html) for point, html in documents.items()},
            pictures=chosen.pictures,
        )
        for (question, answer), backend, documents in zip(
            _answered(turns), chosen.backends, chosen.documents, strict=True
        )
    ]


def _without_address(answer: Answer, addresses: HiddenAddresses) -> Answer:
    """The answer without a backend's addresses: each becomes an ellipsis; links and error texts are removed."""
    here = [addresses.stand_in(point.url or "") for point in answer.data_points]
    places = Places()
    addresses.note(answer.text, places)
    cited = tuple(one._replace(start=places.of(one.start), end=places.of(one.end)) for one in answer.citations)
    shown = replace(answer, error=None, citations=cited)
    kept = answer_from_json(with_each_string(answer_to_json(shown), addresses.out_of))
    points = tuple(
        replace(point, url=None) if leads_there else point
        for point, leads_there in zip(kept.data_points, here, strict=True)
    )
    if answer.error is None:
        return replace(kept, data_points=points)
    told = msg("This answer is incomplete.") if answer.text or answer.pictures else msg("This question has no answer.")
    return replace(kept, data_points=points, error=ErrorInfo(told))


def _cited(answer: Answer) -> dict[int, tuple[Document, Wanted]]:
    rendered = render_answer(answer.text, answer.data_points, answer.citations)
    uses: dict[int, CitationUse] = {}
    for use in sorted(rendered.uses, key=lambda use: not use.place):
        uses.setdefault(use.number, use)
    found = ((uses[one.number], one.data_point) for one in rendered.citations if one.data_point is not None)
    return {
        point: (cited := document.at(use.place), Wanted(source.text, use.claim, cited.place, is_excerpt=True))
        for use, point in found
        if (document := document_of(source := answer.data_points[point]))
    }


def cited_html(document: Document, data: bytes, charset: str = "", known: str = "") -> str | None:
    """Safe HTML of a document: its text (see `shown_document`), image, or cited PDF page; None for other types."""
    extension = document.name.rpartition(".")[2].casefold()
    if document.kind in SHOWN_AS_TEXT:
        return shown_document(data, document.kind, charset, known)
    if extension in _IMAGES:
        content = base64.b64encode(data).decode()
        return f'<img alt="{escape(document.name)}" src="data:image/{_IMAGES[extension]};base64,{content}">'
    return _pdf_html(data, document.place.page or 1) if document.kind == "pdf" else None


def cited_part(reader: Reader, data: bytes, wanted: Wanted) -> str | None:
    """Safe HTML of the wanted part of a document that a feature reads; None for an unreadable one."""
    read = reader(data, False, wanted)
    if read.problem or '<mark class="passage-part">' in read.html:
        return read.html or None
    words = gettext("The passage was not found for certain, so nothing is marked.")
    return f'<p class="cut">{escape(words)}</p>{read.html}'


def _pdf_html(data: bytes, number: int) -> str | None:
    # Importing it takes a tenth of a second.
    from pypdf import PdfReader  # noqa: PLC0415

    try:
        text = PdfReader(BytesIO(data)).pages[number - 1].extract_text().strip()
    except Exception:  # noqa: BLE001 - a damaged file fails in whatever its parts are read with
        return None
    if not text:
        return None
    page = escape(gettext("Page {page}", page=str(number)))
    return f'<p class="cut">{page}</p><div class="document-plain"{attributes_of(text)}>{escape(text)}</div>'
