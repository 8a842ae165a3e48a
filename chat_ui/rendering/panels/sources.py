"""The sources of an answer: cited ones, those only retrieved, and missing ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum, auto
from html import escape
from typing import Final

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.data_points import urlsplit_path
from chat_ui.protocol.answers.place import NOWHERE, Place
from chat_ui.protocol.documents.document_urls import READ, Document, Kind, document_of
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import Citation, CitationUse, SourceIndex, cited_places
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.html.image_html import icon_html, image_html, image_part, image_src
from chat_ui.rendering.html.links import host_of, link_href, with_text_fragment
from chat_ui.rendering.html.parts import Span, html_without_buttons
from chat_ui.rendering.html.source_titles import SourceTitle
from chat_ui.rendering.panels.document_text import SHOWN_AS_TEXT
from chat_ui.rendering.panels.passages import (
    BEGINNING,
    FOLDED,
    cited_units,
    folded_passage,
    passage_with_uses,
    title_of_source,
)
from chat_ui.rendering.panels.steps import Searches

_NOTHING_BENEATH: Final[Mapping[int, str]] = {}
_MOST_WAYS_BACK: Final = 30
SHOWN: Final = frozenset[Kind]({*SHOWN_AS_TEXT, "pdf", "image"})
"""Kinds of documents that are shown without a reader of a feature."""


class DocumentAccess(Enum):
    """The reader's access to the documents of sources: open, without documents, or at a backend not on offer."""

    OPEN = auto()
    NONE = auto()
    NOT_ON_OFFER = auto()


def sources_html(
    answer: Answer,
    rendered: RenderedAnswer,
    use: int | None = None,
    *,
    point: int | None = None,
    access: DocumentAccess = DocumentAccess.NONE,
    within: str = "",
    beneath: Mapping[int, str] = _NOTHING_BENEATH,
    searches: Searches | None = None,
    kinds: Set[Kind] = SHOWN,
) -> str:
    """Safe HTML: every data point of `answer` in a list, in up to three groups.

    `use` is the index of the activated citation among `rendered.uses`. Its item has `data-active`, `aria-current` and
    the claim as `data-claim`, and a `mark` for the sentences of the claim in its passage. Without a use, `point` is the
    index of the active data point. An item is `<li data-source="INDEX">`, with the data point's index, which missing
    ones lack.

    With open `access`, an item of a document has a button. Its `data-document` is the index of the first data point of
    that document, `data-kind` the kind of `Document`. `data-place` is the place of the activated citation or else the
    first one, unless the source has one, and `data-page` its page. Documents that are not of these `kinds` are
    downloaded. Words explain a backend that is not on offer. An item names the step that found it; `searches` are those
    of `answer` unless it lacks its thoughts.

    `within` names the answer in a file of several, without controls. Passages are whole, with a `mark` for the claims
    of all uses. A place is shown if all citations name the same. The item of source N has the id `source_id`, and links
    to its uses, with the ids `use_id`. `beneath` is safe HTML under a passage, by the index of its data point.
    """
    active = rendered.uses[use] if use is not None and 0 <= use < len(rendered.uses) else None
    items = _Items(
        answer, rendered, use, active, point, access, within, beneath, searches or Searches.of(answer), kinds
    )
    numbers = items.numbers
    groups = [
        _group(gettext("Cited"), map(items.source, numbers), "sources-cited"),
        _group(
            gettext("Also retrieved"),
            (items.source(position) for position in range(len(answer.data_points)) if position not in numbers),
            "sources-retrieved",
        ),
        _group(
            gettext("Cited, but not found"),
            (items.missing(one) for one in rendered.citations if one.data_point is None),
            "sources-missing",
        ),
    ]
    html = "".join(groups)
    return html or f'<p class="sources-empty">{escape(gettext("This answer came without sources."))}</p>'


def source_id(within: str, number: int) -> str:
    """The id of source `number` in the list of an answer."""
    return f"{within}-source-{number}"


def use_id(within: str, use: int) -> str:
    """The id of a citation's place in an answer, by its index among the uses."""
    return f"{within}-use-{use}"


@dataclass
class _Items:
    """The items of the lists, for an activated use and data point, in a panel or `within` a file."""

    answer: Answer
    rendered: RenderedAnswer
    use: int | None
    active: CitationUse | None
    point: int | None
    access: DocumentAccess
    within: str
    beneath: Mapping[int, str]
    searches: Searches
    kinds: Set[Kind]

    def __post_init__(self) -> None:
        points, uses = self.answer.data_points, self.rendered.uses
        self.numbers = {one.data_point: one for one in self.rendered.citations if one.data_point is not None}
        self._index = SourceIndex(points)
        self._cited = cited_places(uses)
        self._documents = _documents(points) if self.access is not DocumentAccess.NONE else {}
        self._places: dict[int, list[int]] = {}
        """The indices of each source's uses, by its number."""
        for position, use in enumerate(uses if self.within else ()):
            self._places.setdefault(use.number, []).append(position)

    def source(self, position: int) -> str:
        """A data point, cited or not."""
        point, citation = self.answer.data_points[position], self.numbers.get(position)
        claim = self._claim(citation)
        cited = self._cited_place(citation)
        if claim is None and position == self.point:
            claim = ""
        label = self._index.label(position)
        title = title_of_source(point, label, cited)
        place = f' data-source="{position}"' + (f'{self._id(citation)} tabindex="-1"' if self.within else "")
        sign = (
            f'<span class="source-number">{citation.number}</span> '
            if citation
            else f'<span class="source-kind">{icon_html(title.icon)}</span> '
        )
        checks = self.rendered.checks
        places = self._places.get(citation.number, ()) if citation and self.within else ()
        note = checks.note(self.use) if claim else "".join(dict.fromkeys(map(checks.note, places)))
        if not point.text.strip():
            passage = ""
        elif self.within:
            passage = passage_with_uses(point.text, {place: self.rendered.uses[place].claim for place in places})
        else:
            passage = _passage(point, position, claim, checks.counterparts(self.use, position))
        return (
            f'<li{place}{_active(claim)}><div class="source-head">{sign}{_names(point, title, cited.page, claim)}'
            f"{self._opener(position, cited, title)}{self._ways_back(citation)}</div>"
            f"{self.searches.badge_html(point.step)}{_image(point, label, complete=bool(self.within))}"
            f"{note}{passage}{self.beneath.get(position, '')}</li>"
        )

    def missing(self, citation: Citation) -> str:
        """A missing citation."""
        place = f'{self._id(citation)} tabindex="-1"' if self.within else ""
        sign = citation.number if self.within else "?"
        why = gettext("Cited in the answer, but not among the retrieved sources.")
        return (
            f'<li class="source-missing"{place}{_active(self._claim(citation))}><div class="source-head">'
            f'<span class="source-number">{sign}</span> '
            f'<span class="source-title" dir="auto">{escape(citation.label)}</span>{self._ways_back(citation)}</div>'
            f"<p>{escape(why)}</p></li>"
        )

    def _claim(self, citation: Citation | None) -> str | None:
        """The claim of the activated use, if it is of this citation."""
        return self.active.claim if citation and self.active and self.active.number == citation.number else None

    def _cited_place(self, citation: Citation | None) -> Place:
        """The place of a citation's activated use, else its first; in a file the only one."""
        named = self._cited.get(citation.number, []) if citation else []
        if self.within and len(named) > 1:
            return NOWHERE
        is_active = self._claim(citation) is not None
        return self.active.place if self.active and is_active else next(iter(named), NOWHERE)

    def _id(self, citation: Citation | None) -> str:
        return f' id="{source_id(self.within, citation.number)}"' if citation else ""

    def _opener(self, position: int, place: Place, title: SourceTitle) -> str:
        if position not in self._documents:
            return ""
        if self.access is DocumentAccess.OPEN:
            first, document = self._documents[position]
            document = document.at(place)
            return _opener(first, document if document.kind in self.kinds else replace(document, kind="file"), title)
        return f'<span class="source-note">{escape(gettext("from a backend that is not on offer here"))}</span>'

    def _ways_back(self, citation: Citation | None) -> str:
        if citation is None or not self.within:
            return ""
        places = self._places[citation.number]
        links = " ".join(
            f'<a href="#{use_id(self.within, place)}" aria-label="{escape(_way_back(citation, number, len(places)))}">'
            f"↩{number if len(places) > 1 else ''}</a>"
            for number, place in enumerate(places[:_MOST_WAYS_BACK], 1)
        )
        return f' <span class="back-links">{links}</span>'


def _way_back(citation: Citation, place: int, places: int) -> str:
    if places == 1:
        return gettext("Back to citation {citation} in the text", citation=citation.number)
    return gettext(
        "Back to citation {citation} in the text, place {place} of {places}",
        citation=citation.number,
        place=place,
        places=places,
    )


def _group(title: str, listed: Iterable[str], kind: str) -> str:
    items = list(listed)
    if not items:
        return ""
    return (
        f'<section class="sources-group {kind}">'
        f'<h3>{escape(title)} <span class="sources-count">{len(items)}</span></h3>'
        f'<ul class="sources">{"".join(items)}</ul></section>'
    )


def _documents(points: Sequence[DataPoint]) -> dict[int, tuple[int, Document]]:
    """The documents by data point: the index of the first data point of the same document, and the opened one."""
    first: dict[str, int] = {}
    found: dict[int, tuple[int, Document]] = {}
    for position, point in enumerate(points):
        if document := document_of(point):
            found[position] = first.setdefault(document.name, position), document
    return found


def _opener(first: int, document: Document, title: SourceTitle) -> str:
    name = clean_label(document.name)
    named, page = name[:200], str(document.place.page)
    if document.kind == "file":
        said, words = gettext("Download {document}", document=named), gettext("Download")
    elif document.place.page and document.kind not in READ:
        said = gettext("Open {document} at page {page}", document=named, page=page)
        words = gettext("Open page {page}", page=page)
    else:
        said, words = gettext("Open {document}", document=named), gettext("Open document")
    return (
        f'<button type="button" class="open-document tool" data-document="{first}" data-kind="{document.kind}" '
        f'data-page="{document.place.page or ""}" data-name="{escape(name)}" data-title="{escape(title.title)}" '
        f'data-line="{escape(title.line)}" data-place="{escape(document.place.fragment)}" aria-label="{escape(said)}" '
        f'title="{escape(words)}">{icon_html("arrow-up-right")}</button>'
    )


def _names(point: DataPoint, title: SourceTitle, page: int | None, claim: str | None) -> str:
    """The title, and below it kind and place; the id is the tooltip."""
    link = _web_link(point, page, claim)
    line = " · ".join(filter(None, (escape(title.line_before_site), link))) if link else escape(title.line)
    below = f'<span class="source-line" dir="auto">{line}</span>' if line else ""
    return (
        f'<div class="source-names"><span class="source-title" dir="auto" title="{escape(title.id)}">'
        f"{escape(title.title)}</span>{below}</div>"
    )


def _web_link(point: DataPoint, page: int | None, claim: str | None) -> str:
    """A link to the page of a PDF, or to the words of a web page that carry the claim."""
    href = link_href(point.url or "")
    if href is None or not href.lower().startswith("http"):
        return ""
    if page and "#" not in href and urlsplit_path(href).lower().endswith(".pdf"):
        href = f"{href}#page={page}"
    cited = next(iter(cited_units(point.text, claim)[1]), "") if claim else point.text
    return (
        f'<a class="source-link" href="{escape(with_text_fragment(href, cited))}" target="_blank" '
        f'rel="noopener noreferrer">{escape(host_of(href))}</a>'
    )


def _image(point: DataPoint, label: str, *, complete: bool) -> str:
    if not point.image:
        return ""
    if complete:
        return f'<div class="source-image">{html_without_buttons([image_part(point.image, label)])}</div>'
    shown = image_html(point.image, label)
    if image_src(point.image):
        words = escape(gettext("View {image} full size", image=label[:200]))
        shown = f'<button type="button" class="view-image" data-view aria-label="{words}">{shown}</button>'
    return f'<div class="source-image">{shown}</div>'


def _passage(point: DataPoint, position: int, claim: str | None, parts: Sequence[Span]) -> str:
    length = BEGINNING if claim is None else FOLDED
    folded = folded_passage(point.text, claim or "", length, parts=parts if claim else ())
    if not folded.hidden:
        return folded.html
    all_of_it = escape(gettext("All {length} characters", length=len(point.text)))
    return (
        f'<div class="folded">{folded.html}<button type="button" class="unfold" data-unfold="{position}" '
        f'title="{all_of_it}">{escape(gettext("Show more"))}</button></div>'
    )


def _active(claim: str | None) -> str:
    return "" if claim is None else f' data-active aria-current="true" data-claim="{escape(claim)}" tabindex="-1"'
