"""The most cited documents of an answer, under its text: a card for each, then a button for the other sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.place import NOWHERE
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import SourceIndex, cited_places
from chat_ui.rendering.html.image_html import icon_html, image_html, image_src
from chat_ui.rendering.html.source_titles import SourceTitle
from chat_ui.rendering.panels.passages import title_of_source

MOST_CARDS: Final = 3
"""Documents in a strip; a further button counts the sources beside their cards."""

_MOST_NUMBERS: Final = 4
_LARGEST_IMAGE: Final = 300_000


@dataclass(slots=True, eq=False)
class _Document:
    """The data points of one document, only cited ones if any: the first one's index, titles, numbers and uses."""

    position: int
    titles: list[SourceTitle] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    uses: int = 0

    @property
    def place(self) -> str:
        """The places in the document, in little room."""
        first = self.titles[0]
        pages = sorted({title.pages for title in self.titles if title.pages})
        slides = sorted({title.slide for title in self.titles if title.slide})
        if len(slides) > 1 and first.slide:
            return gettext("slide {number}", number=", ".join(map(str, slides)))
        if len(pages) < 2 or first.pages is None:
            return first.short_place
        listed = ", ".join(str(start) if start == end else f"{start}–{end}" for start, end in pages)
        return ", ".join(filter(None, (gettext("p. {page}", page=listed), first.site)))

    @property
    def name(self) -> str:
        """The words of the card for a screen reader."""
        first = self.titles[0]
        if self.numbers:
            numbers = ", ".join(map(str, self.numbers))
            named = gettext("Source {number}: {title}", number=numbers, title=first.title)
        else:
            named = gettext("Source not cited: {title}", title=first.title)
        return ", ".join(filter(None, (named, self.place if len(self.titles) > 1 else first.place)))


def strip_html(answer: Answer, rendered: RenderedAnswer) -> str:
    """Safe HTML: a list of buttons with data points' indices as `data-point`, -1 for further ones; may be empty."""
    documents = _documents(answer, rendered)
    most_cited = sorted(documents, key=lambda one: -one.uses)[:MOST_CARDS]
    cards = [_card(answer.data_points[one.position], one) for one in documents if one in most_cited]
    if more := len(answer.data_points) - sum(len(one.numbers or one.titles) for one in most_cited):
        words = escape(gettext("+{count} more", count=more))
        cards.append(f'<li class="strip-more"><button type="button" data-point="-1"><bdi>{words}</bdi></button></li>')
    return f'<ul class="strip">{"".join(cards)}</ul>' if cards else ""


def _documents(answer: Answer, rendered: RenderedAnswer) -> Sequence[_Document]:
    """The documents of the data points: the cited ones by number, then the others."""
    points = answer.data_points
    numbers = {one.data_point: one.number for one in rendered.citations if one.data_point is not None}
    uses = Counter(use.number for use in rendered.uses)
    places = cited_places(rendered.uses)
    index = SourceIndex(points)
    found: dict[object, _Document] = {}
    for position in (*numbers, *(position for position in range(len(points)) if position not in numbers)):
        number = numbers.get(position, 0)
        named = places.get(number, [NOWHERE])
        titles = [title_of_source(points[position], index.label(position), place) for place in named]
        title = titles[0]
        key = (title.document, title.title, title.kind) if title.document else position
        document = found.setdefault(key, _Document(position))
        if document.numbers and not number:
            continue
        document.titles += titles
        if number:
            document.numbers.append(number)
            document.uses += uses[number]
    return tuple(found.values())


def _card(point: DataPoint, document: _Document) -> str:
    title, numbers = document.titles[0], document.numbers
    look = "strip-card" if numbers else "strip-card strip-uncited"
    more = "…" if len(numbers) > _MOST_NUMBERS else ""
    listed = ", ".join(map(str, numbers[:_MOST_NUMBERS])) + more
    sign = f'<span class="source-number">{listed}</span> ' if numbers else ""
    line = " · ".join(filter(None, (title.kind, document.place)))
    # The whole card has the direction of its title: browsers show no ellipsis in text against its alignment.
    return (
        f'<li><button type="button" class="{look}" dir="auto" data-point="{document.position}" '
        f'title="{escape(title.id)}" aria-label="{escape(document.name)}">{_picture(point)}<span class="strip-text">'
        f'<span class="strip-title">{sign}{escape(title.title)}</span>'
        f'<span class="strip-place">{icon_html(title.icon)}<bdi>{escape(line)}</bdi></span></span></button></li>'
    )


def _picture(point: DataPoint) -> str:
    """The image of a source, if the page has it already and it is not too large."""
    if not point.image or len(point.image) > _LARGEST_IMAGE or image_src(point.image) is None:
        return ""
    return f'<span class="strip-picture">{image_html(point.image, "")}</span>'
