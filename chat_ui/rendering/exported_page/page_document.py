"""The document: questions, answers, and for each answer its sources, with a passage for each citation.

It looks like the product because it has the product's own sheets. Its policy allows only this style and one script.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Final

from chat_ui.languages.foreign_text import attributes_of, lang_attribute
from chat_ui.languages.translation import current_language, gettext, gettext_html, ngettext, recorded_on
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.ai_notice import DEFAULT, HTML_MARK, notice_paragraph
from chat_ui.rendering.answer import RenderedAnswer, ending_html, render_answer
from chat_ui.rendering.citations.citations import Citation
from chat_ui.rendering.claim_check import checked
from chat_ui.rendering.exported_page import CONTROLS, source_of, style_of
from chat_ui.rendering.grounding import grounds
from chat_ui.rendering.html.image_html import icon_html, pictures_html
from chat_ui.rendering.html.parts import NumberedPart, citation_class, citation_label, html_without_buttons
from chat_ui.rendering.panels.sources import source_id, sources_html, use_id
from chat_ui.rendering.panels.thoughts import thoughts_html

_HERE: Final = Path(__file__).parent
_PAGE: Final = _HERE.parents[1] / "page"
_SHEETS: Final = (
    *("markup/" + name for name in ("citation", "code_block", "icon", "list", "table", "text", "words")),
    "sources/claims",
    "sources/sources",
    "sources/thoughts",
    "thread/grounding",
    "thread/question_text",
)
_MODULE_WORDS: Final = re.compile(r"^import .*\n|^export (?=const|function)", re.MULTILINE)
_SCRIPT_COMMENT: Final = re.compile(r"^ *(?://|/\*\*| \*).*\n", re.MULTILINE)
_FACE: Final = (
    '@font-face{{font-family:"Geist Variable";font-weight:100 900;font-display:block;'
    'src:url("data:font/woff2;base64,{data}") format("woff2")}}'
)


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    """A question with its answer.

    `backend` is the name of the answering backend, or empty to leave it out. `pages` are the cited documents, as safe
    HTML, by the index of a data point, and `pictures` are data URIs by the `key` of a picture.
    """

    question: str
    answer: Answer
    backend: str = ""
    pages: Mapping[int, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """The look of the file: a WOFF2 file of Geist, and rules for an accent's variables; by default the product's.

    `notice` is a sentence about AI in its head.
    """

    typeface: bytes = b""
    accent: str = ""
    notice: str = DEFAULT


AS_BUILT: Final = Look()


def exported_page(
    title: str, turns: Sequence[ExportedTurn], *, note: str = "", with_thoughts: bool = False, look: Look = AS_BUILT
) -> str:
    """A whole HTML document that runs without a network, from a disk or from any address.

    Each citation is a link to its source in the list under the answer. The one script in the document opens that source
    beside the answer, with the claim's sentences marked. `note` is a line under the title.
    """
    beginning = page_beginning(title, style(look.typeface, look.accent), script())
    body = "".join(_turn(number, turn, with_thoughts=with_thoughts) for number, turn in enumerate(turns, 1))
    return f"{beginning}<main>{_head(title, note, len(turns), look.notice)}{body}</main>{page_end()}"


def page_beginning(title: str, sheet: str, code: str) -> str:
    """The document up to its content, with only this style and script, and the mark of content made by AI."""
    language = current_language()
    return (
        f'<!doctype html><html lang="{language.tag}" dir="{language.direction}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy(sheet, code))}">'
        '<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{HTML_MARK}<title>{escape(title)}</title><style>{sheet}</style><script>{code}</script></head><body>"
    )


def page_end() -> str:
    """The document after its content: the panel in which sources open."""
    name, words = escape(gettext("Sources")), escape(gettext("Close"))
    return (
        f'<aside class="side-panel" id="panel" aria-label="{name}" tabindex="-1" hidden><div class="panel-head">'
        f'<h2>{name}</h2><button type="button" class="panel-close" aria-label="{words}" title="{words}">'
        '<span aria-hidden="true">×</span></button></div><div class="panel-content"></div></aside></body></html>\n'
    )


def _head(title: str, note: str, questions: int, notice: str) -> str:
    counted = ngettext("{count} question", "{count} questions", questions)
    line = " · ".join(filter(None, (note, counted)))
    return (
        f'<header class="page-head"><h1 dir="auto">{escape(title)}</h1><p>{escape(line)}</p>'
        f"{notice_paragraph(notice)}</header>"
    )


def _turn(number: int, turn: ExportedTurn, *, with_thoughts: bool) -> str:
    return (
        f'<article class="question"><div class="question-text"{attributes_of(turn.question)}>'
        f"<h2>{escape(turn.question)}</h2></div></article>"
        f"{answer_html(turn, f'answer-{number}')}{_thoughts(turn.answer) if with_thoughts else ''}"
    )


def answer_html(turn: ExportedTurn, within: str) -> str:
    """Safe HTML of an answer with its sources; `within` is its id, and the prefix of its parts' ids."""
    answer = turn.answer
    rendered = checked(answer, render_answer(answer.text, answer.data_points, answer.citations))
    lang = lang_attribute(answer.text)
    linked = (_linked(rendered, block.parts, within, is_foreign=bool(lang)) for block in rendered.blocks)
    blocks = "".join(f'<div dir="auto">{block}</div>' for block in linked)
    error = ending_html(answer)
    pictures = pictures_html(answer.pictures, turn.pictures)
    look = "answer answer-unfinished" if error else "answer"
    rests_on = f'<div class="grounding-place">{html}</div>' if (html := grounds(answer, rendered)) else ""
    return (
        f'<article class="{look}" id="{within}" aria-label="{escape(gettext("Answer"))}">'
        f'{_recorded(answer)}<div class="answer-text"{lang}>{blocks}</div>{pictures}{error}{_backend(turn)}'
        f"{rests_on}{_sources(turn, rendered, within)}</article>"
    )


def _linked(rendered: RenderedAnswer, parts: Iterable[NumberedPart], within: str, *, is_foreign: bool) -> str:
    """Safe HTML with a link for each citation, with its use and its claim, and without buttons.

    The label of a link is in the page's language, and marked as such if the answer `is_foreign`, in another language.
    """
    lang = f' lang="{current_language().tag}"' if is_foreign else ""

    def link(citation: Citation, use: int) -> str:
        places = f'id="{use_id(within, use)}" href="#{source_id(within, citation.number)}"'
        claim = escape(rendered.uses[use].claim)
        return (
            f'<a class="{citation_class(citation)}" {places} data-use="{use}" data-claim="{claim}"{lang} '
            f'aria-label="{escape(citation_label(citation))}">{citation.number}</a>'
        )

    return html_without_buttons(parts, link, with_marks=True)


def _recorded(answer: Answer) -> str:
    words = recorded_on(answer.recorded_at, with_year=True)
    return f'<p class="recorded-on">{icon_html("film")}<span>{escape(words)}</span></p>' if words else ""


def _backend(turn: ExportedTurn) -> str:
    if not turn.backend:
        return ""
    line = gettext_html("Answered by {backend}", backend=f"<bdi>{escape(turn.backend)}</bdi>")
    return f'<p class="answer-note">{line}</p>'


def _sources(turn: ExportedTurn, rendered: RenderedAnswer, within: str) -> str:
    answer = turn.answer
    if not answer.data_points and not rendered.citations:
        return ""
    summary = f"<summary>{escape(gettext('The cited document'))}</summary>"
    beneath = {
        position: f'<details class="cited-page">{summary}<div class="document-text">{html}</div></details>'
        for position, html in turn.pages.items()
    }
    listed = sources_html(answer, rendered, within=within, beneath=beneath)
    return f'<details class="answer-sources" open><summary>{escape(gettext("Sources"))}</summary>{listed}</details>'


def _thoughts(answer: Answer) -> str:
    if not answer.all_thoughts:
        return ""
    html = thoughts_html(answer)
    summary = escape(gettext("Thoughts"))
    return (
        f'<details class="answer-thoughts thoughts-content"><summary>{summary}</summary>'
        f'<div class="fragment">{html}</div></details>'
    )


@lru_cache(maxsize=4)
def style(typeface: bytes = b"", accent: str = "", more: tuple[Path, ...] = ()) -> str:
    """The stylesheet, with a WOFF2 file of Geist, rules for an accent's variables, and further sheets (`more`)."""
    face = _FACE.format(data=base64.b64encode(typeface).decode()) if typeface else ""
    return face + style_of(
        *CONTROLS, *(_PAGE / f"{name}.css" for name in _SHEETS), _HERE / "page.css", *more, rules=accent
    )


@lru_cache(maxsize=2)
def script(more: Path | None = None) -> str:
    """The page's scripts for marks and the panel, then that of the file `more`, if any."""
    shared = (_PAGE / "sources" / name for name in ("passage_marks.js", "claims.js"))
    sources = filter(None, (*shared, _HERE / "page.js", more))
    body = "".join(_MODULE_WORDS.sub("", source.read_text("utf-8")) for source in sources)
    return _SCRIPT_COMMENT.sub("", f'(() => {{\n"use strict";\n{body}}})();\n')


def policy(style: str, script: str) -> str:
    """The Content Security Policy of the file: it allows only this style and script, and no requests."""
    return (
        f"default-src 'none'; script-src {source_of(script)}; style-src {source_of(style)}; img-src data:; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
