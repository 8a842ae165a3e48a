"""The share of an answer that its sources support: sentences with a citation, and citations without a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Final

from chat_ui.languages.translation import current_language, gettext, gettext_html, ngettext, quoted_html
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.translatable import msg, plural_msg
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import Citation
from chat_ui.rendering.citations.sentences import sentences
from chat_ui.rendering.copies import references_html
from chat_ui.rendering.html.image_html import icon_html
from chat_ui.rendering.html.parts import html_without_buttons
from chat_ui.rendering.panels.strip import strip_html

_FOUND: Final = "\ufdd0"
"""A placeholder for a found citation; safe HTML never contains this character."""

_LINE_END = re.compile(r"</(?:p|h[1-6]|li|tr|blockquote|pre|dd|dt|summary|caption|figcaption|div)>|<(?:br|hr)\b[^>]*>")
_CELL_END = re.compile(r"</t[dh]>\s*(?=<t[dh])")
_TAG = re.compile(r"<(?:\"[^\"]*\"|[^\"<>])*>")
_SPACE = re.compile(r"\s+")
_SPACE_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$))")
_NO_CLAIMS = re.compile(r"<(h[3-6]|pre|thead|math)\b.*?</\1>", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")
_MIN_WORDS: Final = 3
_SHOWN_LABELS: Final = 3
_TOLD_LABELS: Final = 20
_SEVERAL: Final = 3
_COMPLETE: Final = 100
_MEANING: Final = msg(
    "Sentences with a citation, and sources that are cited. Headings, code and very short sentences are not counted."
)
_LOW: Final = msg("Few sentences have a citation. Check the others.")
_NOT_THERE: Final = msg("A citation without a retrieved source may be made up. Check its statement.")


@dataclass(frozen=True, slots=True)
class Grounding:
    """`sentences` of an answer, the number of `cited` ones, the number of found and cited `sources`, and the labels of
    `missing` ones. `first_use` is the index among the uses of the first missing one.
    """

    sentences: int
    cited: int
    sources: int
    missing: tuple[str, ...]
    first_use: int = -1


def grounding(rendered: RenderedAnswer) -> Grounding:
    """Count sentences and citations. Headings, code, formulas and sentences of fewer than three words make no claims.

    A citation at the start of a line belongs to the sentence that it begins; a lone one there, or one after a full
    stop, to the sentence before.
    """
    cited: list[bool] = []
    is_counted = False
    for block in rendered.blocks:
        html = html_without_buttons(block.parts, _found_mark, with_languages=False)
        for line in plain_text(_NO_CLAIMS.sub("", html)).split("\n"):
            for position, sentence in enumerate(sentences(line)):
                words = _WORD.findall(sentence)
                leads = sentence.startswith(_FOUND)
                if is_counted and leads and (position or not words):
                    cited[-1] = True
                if not words:
                    continue
                is_counted = len(words) >= _MIN_WORDS
                if is_counted:
                    rest = sentence.lstrip(_FOUND + " ") if position else sentence
                    cited.append(_FOUND in rest)
    missing = {citation.number: citation.label for citation in rendered.citations if citation.data_point is None}
    first_use = next((position for position, use in enumerate(rendered.uses) if use.number in missing), -1)
    sources = len(rendered.citations) - len(missing)
    return Grounding(len(cited), sum(cited), sources, tuple(missing.values()), first_use)


def plain_text(html: str) -> str:
    """The words of a rendered block without its buttons, a line for each paragraph, item or row."""
    text = unescape(_TAG.sub("", _LINE_END.sub("\n", _CELL_END.sub(", ", html))))
    lines = (_SPACE_BEFORE_STOP.sub("", _SPACE.sub(" ", line)).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _found_mark(citation: Citation, _use: int) -> str:
    return "" if citation.data_point is None else _FOUND


def grounds(answer: Answer, rendered: RenderedAnswer) -> str:
    """Safe HTML for the support of an answer: how much of it is cited, a strip of its sources, and the references."""
    references = references_html(rendered, answer.data_points)
    return grounding_html(grounding(rendered), len(answer.data_points), strip_html(answer, rendered), references)


def grounding_html(found: Grounding, points: int, strip: str = "", references: str = "") -> str:
    """The HTML under an answer over so many data `points`: a warning for missing citations, a line with the cited
    share, and the `strip` of its sources. It may be empty.

    `references` is safe HTML for the paper on which the answer is printed; a screen does not show it.
    """
    if not points and not found.missing:
        return ""
    line = _line(found, points)
    return f'<div class="grounding-head">{_warning(found)}{line}</div>{strip}<div class="references">{references}</div>'


def is_low(found: Grounding) -> bool:
    """Whether sources support less than a third of an answer of several sentences."""
    return found.sentences >= _SEVERAL and found.cited * 3 < found.sentences


def _line(found: Grounding, points: int) -> str:
    says_sentences = found.sentences and (found.cited or found.missing or is_low(found))
    words = _counts(found, points) if says_sentences else _sources(found, points)
    look = "grounding grounding-low" if is_low(found) else "grounding"
    meaning = f"{gettext(_LOW)} {gettext(_MEANING)}" if is_low(found) else gettext(_MEANING)
    part, complete = (found.cited, found.sentences) if says_sentences else (found.sources, points)
    if found.missing:
        meaning = f"{words}. {meaning}"
    ring = _ring(100 * part // complete if complete else 0, is_sound=not found.missing)
    direction = current_language().direction
    shown = f'{ring}<span class="grounding-words" dir="{direction}">{escape(words)}</span>'
    return f'<p class="{look}" tabindex="0" title="{escape(meaning)}">{shown}</p>'


def _sources(found: Grounding, points: int) -> str:
    return ngettext("{cited} of {count} source cited", "{cited} of {count} sources cited", points, cited=found.sources)


def _counts(found: Grounding, points: int) -> str:
    return ngettext(
        "{sentences} and {cited} of {count} source cited",
        "{sentences} and {cited} of {count} sources cited",
        points,
        # Translators: stands before “and 2 of 3 sources cited”.
        sentences=plural_msg(
            "{cited} of {count} sentence", "{cited} of {count} sentences", found.sentences, cited=found.cited
        ),
        cited=found.sources,
    )


def _ring(share: int, *, is_sound: bool) -> str:
    """A circle drawn to so many hundredths; a complete one without missing citations has a tick."""
    tick = '<path d="m7.5 12.5 3 3 6-6.5"/>' if share == _COMPLETE and is_sound else ""
    arc = (
        f'<circle cx="12" cy="12" r="10" pathLength="100" stroke-dasharray="{share} 100" '
        'transform="rotate(-90 12 12)"/>'
    )
    return (
        '<svg class="ring" viewBox="0 0 24 24" aria-hidden="true">'
        '<circle class="ring-track" cx="12" cy="12" r="10"/>'
        f"{arc if share else ''}{tick}</svg>"
    )


def _warning(found: Grounding) -> str:
    """A button that names the missing sources, with the index of the first use as `data-first-use`."""
    if not found.missing:
        return ""
    labels = [escape(label) for label in found.missing]
    said = _not_found(labels, _TOLD_LABELS)
    shown = _not_found([f"<bdi>{label}</bdi>" for label in labels], _SHOWN_LABELS)
    return (
        f'<p class="grounding-warning" role="note"><button type="button" data-first-use="{found.first_use}" '
        f'aria-label="{said}" title="{said}. {escape(gettext(_NOT_THERE))}">{icon_html("warning")}'
        f'<span dir="{current_language().direction}">{shown}</span></button></p>'
    )


def _not_found(names: Sequence[str], most: int) -> str:
    """Safe HTML with the names of the missing sources, safe HTML each."""
    listed = quoted_html(names[:most])
    if len(names) > most:
        listed = gettext_html("{sources} and {more} more", sources=listed, more=str(len(names) - most))
    counted = ngettext("{count} cited source not found:", "{count} cited sources not found:", len(names))
    return f"{escape(counted)} {listed}"
