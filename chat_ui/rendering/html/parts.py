"""The parts of a rendered block: safe HTML, citations, and widgets of a page that copies and files lack."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from itertools import accumulate
from typing import Final

from chat_ui.languages.translation import current_language, gettext, ngettext
from chat_ui.protocol.answers.data_points import DataPoint
from chat_ui.rendering.citations.citations import RULE_MISSING, Citation, Match
from chat_ui.rendering.html.image_html import RemoteImage
from chat_ui.rendering.html.source_titles import cut_in_the_middle, source_title


@dataclass(frozen=True, slots=True)
class CopyTable:
    """The button that copies the table after it."""

    @property
    def html(self) -> str:
        """Safe HTML of the button. Its words do not count for the table's direction."""
        direction, words = current_language().direction, escape(gettext("Copy table"))
        return f'<button type="button" class="copy-table" data-copy="table" dir="{direction}">{words}</button>'


@dataclass(frozen=True, slots=True)
class CodeHeader:
    """The head of a block of code: the name of its language, and buttons that break its lines and copy it."""

    language: str

    @property
    def html(self) -> str:
        """Safe HTML with the buttons."""
        wrap, lines = escape(gettext("Wrap")), escape(gettext("Wrap lines"))
        copy, code = escape(gettext("Copy")), escape(gettext("Copy code"))
        return (
            f'{self.html_without_button}<button type="button" class="wrap-code" aria-label="{lines}" '
            f'aria-pressed="false">{wrap}</button>'
            f'<button type="button" class="copy-code" data-copy aria-label="{code}">{copy}</button>'
        )

    @property
    def html_without_button(self) -> str:
        """Safe HTML of the language's name."""
        return f'<span class="code-language">{escape(self.language)}</span>'


@dataclass(frozen=True, slots=True)
class ClaimMark:
    """A part of a claim that differs from its passage: safe HTML of its `words`, without tags."""

    words: str

    @property
    def html(self) -> str:
        """Safe HTML of the marked words. A stylesheet gives the reason to screen readers, so that copies lack it."""
        said = escape(gettext("differs from the passage"))
        return f'<span class="claim-differs" role="mark" data-said="{said}">{self.words}</span>'


_NO_BREAK_SPACE: Final = "\u00a0"
_SHORT_NAME: Final = 24
_FEW: Final = 3
"""Citations that stay together on a line."""

Span = tuple[int, int]
"""The beginning and the end of a part in an answer's text."""


@dataclass(frozen=True, slots=True)
class CitationSpot:
    """A citing bracket without numbers: its matches, its claim, and its place in the answer's text, if known. The claim
    `leads_in` a list or table that the next block may begin with.
    """

    matches: tuple[Match, ...]
    claim: str
    place: Span | None = field(default=None, compare=False)
    leads_in: bool = False


@dataclass(frozen=True, slots=True)
class CitedBracket:
    """The citations of one bracket, and its place in the answer's text, if known."""

    citations: tuple[Citation, ...]
    place: Span | None = None


@dataclass(frozen=True, slots=True)
class CitationGroup:
    """Adjacent brackets, with the white space before them and the punctuation after them.

    `first_use` is the index of the first citation among the answer's uses; the others follow it.
    """

    brackets: tuple[CitedBracket, ...]
    first_use: int
    stop: str = ""
    space: str = ""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of all brackets."""
        return tuple(citation for bracket in self.brackets for citation in bracket.citations)

    @property
    def uses(self) -> range:
        """The indices of its citations among the answer's uses."""
        return range(self.first_use, self.first_use + len(self.citations))

    @property
    def html(self) -> str:
        """Safe HTML with a button for each citation, on one line with the word before and the punctuation after."""
        if not self.citations:
            return self._without_citations
        buttons = self._grouped(_button)
        if self.space:
            return f'<span class="cited">{_NO_BREAK_SPACE}{buttons}{self.stop}</span>'
        return f'<span class="cited cited-close">{buttons}{self.stop}</span>'

    @property
    def _without_citations(self) -> str:
        return self.stop or self.space

    def html_of(self, citation_html: CitationHtml) -> str:
        """Safe HTML with each citation as `citation_html` writes it."""
        if not self.citations:
            return self._without_citations
        html = self._grouped(citation_html)
        return self.space + (f'<span class="cited">{html}{self.stop}</span>' if self.stop else html)

    def _grouped(self, citation_html: CitationHtml) -> str:
        citations = self.citations
        html = "".join(citation_html(citation, use) for use, citation in enumerate(citations, self.first_use))
        if len(citations) == 1:
            return html
        name = "citations citations-many" if len(citations) > _FEW else "citations"
        said = escape(ngettext("{count} citation", "{count} citations", len(citations)))
        return f'<span class="{name}" role="group" aria-label="{said}">{html}</span>'


CitationHtml = Callable[[Citation, int], str]
"""Makes safe HTML of a citation and the index of its use."""

Widget = RemoteImage | CodeHeader | CopyTable

Part = str | Widget | CitationSpot
"""A part of a block whose citations still lack numbers."""

NumberedPart = str | Widget | CitationGroup | ClaimMark

PlacedMark = tuple[int, ClaimMark]


@dataclass(frozen=True, slots=True)
class RenderedBlock:
    """A top-level block of a rendered answer."""

    parts: tuple[NumberedPart, ...]

    @property
    def html(self) -> str:
        """Safe HTML for a page."""
        return page_html(self.parts)

    @property
    def has_marks(self) -> bool:
        """Whether parts of claims are marked."""
        return any(isinstance(part, ClaimMark) for part in self.parts)

    @property
    def marks(self) -> tuple[PlacedMark, ...]:
        """The marks, each with its position in the block's HTML without marks."""
        lengths = (len(part.words if isinstance(part, ClaimMark) else page_html((part,))) for part in self.parts)
        placed = zip(accumulate(lengths, initial=0), self.parts, strict=False)
        return tuple((at, part) for at, part in placed if isinstance(part, ClaimMark))

    @property
    def images(self) -> list[str]:
        """The URLs of the remote images that the block offers to show."""
        return image_urls(self.parts)


def page_html(parts: Iterable[Part | NumberedPart]) -> str:
    """Safe HTML for a page, with all buttons; citations without numbers are left out."""
    shown = (part for part in parts if not isinstance(part, CitationSpot))
    return "".join(part if isinstance(part, str) else part.html for part in shown)


def html_without_buttons(
    parts: Iterable[Part | NumberedPart],
    citation_html: CitationHtml = lambda _citation, _use: "",
    *,
    with_languages: bool = True,
    with_marks: bool = False,
) -> str:
    """Safe HTML without buttons, with each citation as `citation_html` writes it."""
    html: list[str] = []
    for part in parts:
        match part:
            case str():
                html.append(part)
            case CitationGroup():
                html.append(part.html_of(citation_html))
            case ClaimMark():
                html.append(part.html if with_marks else part.words)
            case RemoteImage():
                html.append(part.html_without_button)
            case CodeHeader() if with_languages:
                html.append(part.html_without_button)
    return "".join(html)


def image_urls(parts: Iterable[Part | NumberedPart]) -> list[str]:
    """The URLs of the remote images among the parts."""
    return [part.url for part in parts if isinstance(part, RemoteImage)]


def citation_class(citation: Citation) -> str:
    """The CSS class of an element for a citation."""
    return "citation citation-missing" if citation.rule == RULE_MISSING else "citation"


def citation_label(citation: Citation) -> str:
    """The words of a citation for a screen reader."""
    number, source = str(citation.number), citation.label[:200]
    if citation.rule == RULE_MISSING:
        return gettext("Citation {number}: {source}, not found among the sources", number=number, source=source)
    return gettext("Citation {number}: {source}", number=number, source=source)


@lru_cache(maxsize=1024)
def _short_name(label: str) -> str:
    return cut_in_the_middle(source_title(DataPoint(label, label), label).title, _SHORT_NAME)


def _button(citation: Citation, use: int) -> str:
    """A citation as a button with its number, or a question mark for a missing source."""
    return (
        f'<button type="button" class="{citation_class(citation)}" data-citation="{citation.number}" data-use="{use}" '
        f'data-name="{escape(_short_name(citation.label))}" aria-label="{escape(citation_label(citation))}">'
        f"{'?' if citation.rule == RULE_MISSING else citation.number}</button>"
    )
