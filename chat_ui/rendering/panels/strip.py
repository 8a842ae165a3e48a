"""The first sources of an answer, under its text: the cited ones by their numbers, then other retrieved ones."""

from __future__ import annotations

from html import escape
from typing import Final

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.html.image_html import icon_html, image_html, image_src
from chat_ui.rendering.html.source_titles import SourceTitle
from chat_ui.rendering.panels.passages import first_words, title_of_source

MOST_CARDS: Final = 3
"""Sources in a strip; a further button counts the others."""

_WORDS: Final = 140
_LARGEST_IMAGE: Final = 300_000


def strip_html(answer: Answer, rendered: RenderedAnswer) -> str:
    """Safe HTML: a list of buttons with data points' indices as `data-point`, -1 for further ones; may be empty."""
    points = answer.data_points
    numbers = {one.data_point: one.number for one in rendered.citations if one.data_point is not None}
    order = [*numbers, *(position for position in range(len(points)) if position not in numbers)]
    shown = order[:MOST_CARDS]
    index = SourceIndex(points)
    cards = [_card(points[one], one, index.label(one), numbers.get(one)) for one in shown]
    if more := len(order) - len(shown):
        words = escape(gettext("+{count} more", count=more))
        cards.append(f'<li class="strip-more"><button type="button" data-point="-1"><bdi>{words}</bdi></button></li>')
    return f'<ul class="strip">{"".join(cards)}</ul>' if cards else ""


def _card(point: DataPoint, position: int, label: str, number: int | None) -> str:
    title = title_of_source(point, label)
    look = "strip-card" if number else "strip-card strip-uncited"
    sign = f'<span class="source-number">{number}</span>' if number else ""
    place = f"<bdi>{escape(title.short_place or title.kind)}</bdi>"
    return (
        f'<li><button type="button" class="{look}" data-point="{position}" title="{escape(title.id)}" '
        f'aria-label="{escape(_name(title, number))}">{_picture(point)}<span class="strip-text">'
        f'<span class="strip-head">{sign}<span class="strip-title" dir="auto">{escape(title.title)}</span></span>'
        f'<span class="strip-words" dir="auto"><span class="strip-place">{icon_html(title.icon)}{place}</span> '
        f"{escape(first_words(point.text, _WORDS))}</span></span></button></li>"
    )


def _name(title: SourceTitle, number: int | None) -> str:
    cited = gettext("Source {number}: {title}", number=str(number), title=title.title)
    named = cited if number else gettext("Source not cited: {title}", title=title.title)
    return ", ".join(filter(None, (named, title.place)))


def _picture(point: DataPoint) -> str:
    """The image of a source, if the page has it already and it is not too large."""
    if not point.image or len(point.image) > _LARGEST_IMAGE or image_src(point.image) is None:
        return ""
    return f'<span class="strip-picture">{image_html(point.image, "")}</span>'
