"""The resources of a rendered answer over HTTP: each a pure function of the answer and its rendering."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from typing import Final

from chat_ui.languages.translation import gettext, recorded_on, translated
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.pictures import with_pictures
from chat_ui.protocol.answers.place import Place
from chat_ui.rendering.ai_notice import notice_markdown
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import Citation, CitationUse, SourceIndex
from chat_ui.rendering.copies import copy_html, copy_markdown
from chat_ui.rendering.html.image_html import image_html, image_part
from chat_ui.rendering.html.parts import Span, image_urls
from chat_ui.rendering.panels.json_shapes import MAX_ITEMS
from chat_ui.rendering.panels.passages import MAX_PASSAGE, folded_passage, passage_html, passage_parts, title_of_source
from chat_ui.rendering.panels.steps import Searches

PART: Final = 32_000
"""Characters of HTML that a page asks for together: a few screens."""
_LENGTH: Final = 260
_MOST_CARDS: Final = 500
_LARGEST_IMAGE: Final = 300_000


@dataclass(frozen=True, slots=True)
class FirstCitations:
    """The first sources that an answer cites, and their total number."""

    citations: Sequence[Citation]
    count: int


def document(_answer: Answer, rendered: RenderedAnswer) -> str:
    """The blocks of the answer, each in an element."""
    return _in_elements(rendered.html)


def document_parts(rendered: RenderedAnswer) -> list[str]:
    """The document in parts of whole blocks from its end, where a reader begins, up to `PART` long."""
    parts: list[str] = []
    blocks = rendered.html
    end = len(blocks)
    size = 0
    for index in reversed(range(end)):
        size += len(blocks[index])
        if size > PART and index + 1 < end:
            parts.append(_in_elements(blocks[index + 1 : end]))
            end, size = index + 1, len(blocks[index])
    return [*parts, _in_elements(blocks[:end])]


def _in_elements(blocks: Sequence[str]) -> str:
    return "".join(f'<div class="block" dir="auto">{block}</div>' for block in blocks)


def passage(answer: Answer, rendered: RenderedAnswer, point: int, use: int | None) -> str:
    """The passage of a data point, marked for the claim of a use."""
    claim = rendered.uses[use].claim if use is not None and use < len(rendered.uses) else ""
    return passage_html(answer.data_points[point].text, claim, rendered.checks.counterparts(use, point))


def cards_json(answer: Answer, rendered: RenderedAnswer, searches: Searches | None = None) -> str:
    """The cards of the citations, as JSON; see `cards`."""
    return json.dumps(cards(answer, rendered, searches), ensure_ascii=False)


def first_citations(_answer: Answer, rendered: RenderedAnswer) -> FirstCitations:
    """The first citations, for a list."""
    return FirstCitations(rendered.citations[:MAX_ITEMS], len(rendered.citations))


def markdown_copy(answer: Answer, rendered: RenderedAnswer, *, text: str, with_citations: bool, notice: str) -> str:
    """A copy of the answer of this text as Markdown; a recorded one says so. Citations bring the notice."""
    text = with_pictures(text, answer.pictures)
    copied = copy_markdown(text, rendered, answer.data_points, with_citations=with_citations)
    recorded = recorded_on(answer.recorded_at)
    signs = [recorded and f"*{recorded}*", notice_markdown(notice) if with_citations else ""]
    return "\n\n".join(filter(None, (copied.rstrip(), *signs))) + "\n" if any(signs) else copied


def rich_copy(answer: Answer, rendered: RenderedAnswer, *, notice: str) -> str:
    """A copy of the answer as rich text; a recorded one says so."""
    signs = filter(None, (recorded_on(answer.recorded_at), translated(notice)))
    said = "".join(f"<p><em>{escape(sign)}</em></p>" for sign in signs)
    pictures = f"<p>{escape(marks)}</p>" if (marks := with_pictures("", answer.pictures)) else ""
    return f"{copy_html(rendered, answer.data_points)}{pictures}{said}"


def has_image(answer: Answer, rendered: RenderedAnswer, url: str) -> bool:
    """Whether the text, a source or a picture of the answer offers to show the image at `url`."""
    offered = chain(
        (block.images for block in rendered.blocks),
        (_images_of_point(point) for point in answer.data_points),
        (image_urls([image_part(picture.url, "")]) for picture in answer.pictures),
    )
    return any(url in images for images in offered)


def _images_of_point(point: DataPoint) -> list[str]:
    parts = passage_parts(point.text[:MAX_PASSAGE]) or ()
    return image_urls([image_part(point.image or "", ""), *parts])


def cards(answer: Answer, rendered: RenderedAnswer, searches: Searches | None) -> dict[str, list[str] | list[int]]:
    """`cards`, safe HTML of each, and `uses`: for each citation in document order the number of its card.

    A card names the step that found its source; `searches` are those of `answer` unless it lacks its thoughts.

    Two citations of one source and place for the same sentence share a card. After very many, later ones show the
    source without its marked claim.
    """
    index = SourceIndex(answer.data_points)
    searches = searches or Searches.of(answer)
    citations = {citation.number: citation for citation in rendered.citations}
    numbers: dict[tuple[int, str, Place, str], int] = {}
    shown: list[str] = []
    uses: list[int] = []
    for position, use in enumerate(rendered.uses):
        claim, note = (use.claim, rendered.checks.note(position)) if len(shown) < _MOST_CARDS else ("", "")
        key = (use.number, claim, use.place, note)
        if key not in numbers:
            numbers[key] = len(shown)
            citation = citations[use.number]
            parts = rendered.checks.counterparts(position, citation.data_point) if claim else ()
            shown.append(_card(index, searches, citation, replace(use, claim=claim), (note, parts)))
        uses.append(numbers[key])
    return {"cards": shown, "uses": uses}


def _card(
    index: SourceIndex,
    searches: Searches,
    citation: Citation,
    use: CitationUse,
    checked: tuple[str, Sequence[Span]],
) -> str:
    note, parts = checked
    if citation.data_point is None:
        return (
            f'<p class="card-title" dir="auto">{escape(citation.label)}</p>'
            f"<p>{escape(gettext('Not found among the retrieved sources.'))}</p>"
        )
    point = index.points[citation.data_point]
    title = title_of_source(point, index.label(citation.data_point), use.place)
    line = f' <span class="card-page">{escape(title.line)}</span>' if title.line else ""
    badge = searches.badge_html(point.step)
    image = ""
    if point.image and len(point.image) <= _LARGEST_IMAGE:
        image = f'<div class="card-image">{image_html(point.image, "", linked=True)}</div>'
    passage = ""
    if point.text.strip():
        passage = folded_passage(point.text, use.claim, _LENGTH, parts=parts, with_buttons=False).html
    return f'<p class="card-title" dir="auto">{escape(title.title)}{line}</p>{badge}{note}{image}{passage}'
