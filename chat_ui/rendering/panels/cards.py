"""What a citation shows when it is pointed at: the source's title, kind and page, and the passage in a few words."""

from __future__ import annotations

from html import escape
from typing import Final

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import Citation, SourceIndex
from chat_ui.rendering.html.image_html import image_html
from chat_ui.rendering.panels.passages import folded_passage, title_of_source

_LENGTH: Final = 260
_MOST_CARDS: Final = 500
_LARGEST_IMAGE: Final = 300_000


def cards(answer: Answer, rendered: RenderedAnswer) -> dict[str, list[str] | list[int]]:
    """`cards`, safe HTML of each, and `uses`: for each citation in document order the number of its card.

    Two citations of one source and page for the same sentence share a card. Of an answer with very many, later ones
    show the source without what carries their claim.
    """
    index = SourceIndex(answer.data_points)
    citations = {citation.number: citation for citation in rendered.citations}
    numbers: dict[tuple[int, str, int | None], int] = {}
    shown: list[str] = []
    uses: list[int] = []
    for use in rendered.uses:
        claim = use.claim if len(shown) < _MOST_CARDS else ""
        key = (use.number, claim, use.page)
        if key not in numbers:
            numbers[key] = len(shown)
            shown.append(_card(answer, index, citations[use.number], claim, use.page))
        uses.append(numbers[key])
    return {"cards": shown, "uses": uses}


def _card(answer: Answer, index: SourceIndex, citation: Citation, claim: str, page: int | None) -> str:
    if citation.data_point is None:
        return (
            f'<p class="card-title" dir="auto">{escape(citation.label)}</p>'
            f"<p>{escape(gettext('Not found among the sources that were retrieved.'))}</p>"
        )
    point = answer.data_points[citation.data_point]
    title = title_of_source(point, index.label(citation.data_point), page)
    line = f' <span class="card-page">{escape(title.line)}</span>' if title.line else ""
    image = ""
    if point.image and len(point.image) <= _LARGEST_IMAGE:
        image = f'<div class="card-image">{image_html(point.image, "", linked=True)}</div>'
    passage = folded_passage(point.text, claim, _LENGTH, with_buttons=False).html if point.text.strip() else ""
    return f'<p class="card-title" dir="auto">{escape(title.title)}{line}</p>{image}{passage}'
