"""A copy of an answer or a conversation, as Markdown or as rich text, with numbered references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from operator import itemgetter

from chat_ui.languages.translation import gettext, recorded_on
from chat_ui.protocol.answers.answer import REASONING, Answer, DataPoint
from chat_ui.protocol.answers.pictures import with_pictures
from chat_ui.protocol.answers.place import Place
from chat_ui.protocol.answers.placed_citation import space_after
from chat_ui.rendering.ai_notice import DEFAULT, MARKDOWN_MARK, notice_markdown
from chat_ui.rendering.answer import RenderedAnswer, ending_words, render_answer
from chat_ui.rendering.citations.citations import Citation, cited_places
from chat_ui.rendering.html.links import link_href
from chat_ui.rendering.html.parts import CitationGroup, Span, html_without_buttons
from chat_ui.rendering.panels.passages import title_of_source
from chat_ui.rendering.streaming.block import source_of

_IN_BRACKETS = str.maketrans({"<": "%3C", ">": "%3E"})


def copy_markdown(
    text: str, rendered: RenderedAnswer, data_points: Sequence[DataPoint], *, with_citations: bool = True
) -> str:
    """The answer's Markdown with its citations as `[1]`, and a list of references at its end.

    `rendered` is the rendering of the `text`, or of its beginning, over the same `data_points`. Without citations it is
    only the text. U+FFFD replaces characters that pages cannot show.
    """
    text = source_of(text)
    pieces: list[str] = []
    position = 0
    for (start, end), space, citations in _cited_places(rendered):
        before = text[position:start]
        if with_citations and citations:
            pieces += [before, space and space_after(before), "".join(f"[{citation.number}]" for citation in citations)]
        else:
            is_at_its_end = before.strip() and not text[end : end + 1].isalnum()
            pieces.append(before.rstrip(" ") if is_at_its_end else before)
        position = end
    body = "".join(pieces) + text[position:]
    if not rendered.citations or not with_citations:
        return body
    heading = gettext("References:")
    references = "\n".join(f"{number}. {words}" for number, words in _references(rendered, data_points))
    return f"{body.rstrip()}\n\n{heading}\n\n{references}\n"


def transcript_markdown(
    title: str, turns: Sequence[tuple[str, Answer]], *, with_thoughts: bool = False, notice: str = DEFAULT
) -> str:
    """The notice, and the questions and answers in order, each with its references, then its reasoning if
    `with_thoughts`.
    """
    parts = [f"# {_one_line(title)}", notice_markdown(notice)]
    for question, answer in turns:
        rendered = render_answer(answer.text, answer.data_points, answer.citations)
        recorded = recorded_on(answer.recorded_at)
        parts += [_quoted(question), f"*{recorded}*" if recorded else ""]
        parts.append(copy_markdown(with_pictures(answer.text, answer.pictures), rendered, answer.data_points).strip())
        if ending := ending_words(answer):
            parts.append(f"*{_one_line(ending)}*")
        if with_thoughts and answer.reasoning.strip():
            parts += [f"**{gettext(REASONING)}**", _quoted(answer.reasoning.strip())]
    return "\n\n".join(part for part in (*parts, MARKDOWN_MARK) if part)


def copy_html(rendered: RenderedAnswer, data_points: Sequence[DataPoint]) -> str:
    """The answer as rich text: its citations as `[1]`, a list of references at its end, and without controls."""
    body = html_without_buttons(
        rendered.parts, lambda citation, _: f"<sup>[{citation.number}]</sup>", with_languages=False
    )
    return f"{body}{references_html(rendered, data_points)}"


def references_html(rendered: RenderedAnswer, data_points: Sequence[DataPoint], *, on_paper: bool = False) -> str:
    """The numbered references of the citations, as a list; may be empty.

    A copy names a source by its id, and paper by its title, page and address.
    """
    items = "".join(f"<li>{escape(words)}</li>" for _, words in _references(rendered, data_points, on_paper=on_paper))
    return f"<p><strong>{escape(gettext('References'))}</strong></p><ol>{items}</ol>" if items else ""


def _references(
    rendered: RenderedAnswer, data_points: Sequence[DataPoint], *, on_paper: bool = False
) -> Iterator[tuple[int, str]]:
    places = cited_places(rendered.uses)
    for citation in rendered.citations:
        yield citation.number, _referred(citation, places.get(citation.number, ()), data_points, on_paper=on_paper)


def _referred(citation: Citation, places: Iterable[Place], data_points: Sequence[DataPoint], *, on_paper: bool) -> str:
    """The source, with further cited places."""
    if citation.data_point is None:
        return gettext("{source} (not found among the sources)", source=citation.label)
    point = data_points[citation.data_point]
    url = (link_href(point.url or "") or "").translate(_IN_BRACKETS)
    if on_paper:
        return _titled(point, citation.label, places, url)
    named = "#" not in citation.label and ", ".join(f"{citation.label}#{place.fragment}" for place in places)
    return (named or citation.label) + (f" <{url}>" if url and url != citation.label else "")


def _titled(point: DataPoint, label: str, places: Iterable[Place], url: str) -> str:
    """The source's title, its places, and its address on the web instead of the site."""
    titles = [title_of_source(point, label, place) for place in places] or [title_of_source(point, label)]
    named = dict.fromkeys(one.short_place.removesuffix(one.site).removesuffix(", ") for one in titles)
    address = url or (titles[0].site and label)
    return ", ".join(filter(None, (titles[0].title, *named))) + (f" <{address}>" if address else "")


def _cited_places(rendered: RenderedAnswer) -> list[tuple[Span, str, tuple[Citation, ...]]]:
    """The shown citations in their order: the place, the space before, and the citations of each bracket."""
    groups = (part for part in rendered.parts if isinstance(part, CitationGroup))
    brackets = ((group.space, bracket) for group in groups for bracket in group.brackets)
    found = [(bracket.place, space, bracket.citations) for space, bracket in brackets if bracket.place]
    return sorted(found, key=itemgetter(0))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _one_line(text: str) -> str:
    return " ".join(text.split())
