"""How much of an answer rests on its sources: which sentences carry a citation, and which citations rest on nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Final

from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import Citation
from chat_ui.rendering.citations.sentences import sentences
from chat_ui.rendering.html.parts import html_without_buttons

_FOUND: Final = "\ufdd0"
"""Stands for a citation that was found; safe HTML never holds this character."""

_LINE_END = re.compile(r"</(?:p|h[1-6]|li|tr|blockquote|pre|dd|dt|summary|caption|figcaption|div)>|<(?:br|hr)\b[^>]*>")
_CELL_END = re.compile(r"</t[dh]>\s*(?=<t[dh])")
_TAG = re.compile(r"<(?:\"[^\"]*\"|[^\"<>])*>")
_SPACE = re.compile(r"\s+")
_SPACE_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$))")
_NO_CLAIMS = re.compile(r"<(h[3-6]|pre|thead|math)\b.*?</\1>", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")
_MIN_WORDS: Final = 3
_SHOWN_LABELS: Final = 3


@dataclass(frozen=True, slots=True)
class Grounding:
    """`sentences` of an answer, how many of them are `cited`, the number of `sources` that are cited and there, and the
    labels of those that are `missing`.
    """

    sentences: int
    cited: int
    sources: int
    missing: tuple[str, ...]


def grounding(rendered: RenderedAnswer) -> Grounding:
    """Count. Headings, code and formulas make no claims, and neither does a sentence of fewer than three words.

    A citation at the start of a line belongs to the sentence that it begins; one that is alone there, or that stands
    after a full stop, to the sentence before.
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
    missing = tuple(citation.label for citation in rendered.citations if citation.data_point is None)
    return Grounding(len(cited), sum(cited), len(rendered.citations) - len(missing), missing)


def plain_text(html: str) -> str:
    """The words of a rendered block without its buttons, a line for each paragraph, item or row."""
    text = unescape(_TAG.sub("", _LINE_END.sub("\n", _CELL_END.sub(", ", html))))
    lines = (_SPACE_BEFORE_STOP.sub("", _SPACE.sub(" ", line)).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _found_mark(citation: Citation, _use: int) -> str:
    return "" if citation.data_point is None else _FOUND


def grounding_html(found: Grounding, references: str = "") -> str:
    """A line for under the answer, and a warning where a citation was not found; empty where nothing is cited.

    `references` is safe HTML for the paper on which the answer is printed; a screen does not show it.
    """
    if not found.sources and not found.missing:
        return ""
    parts = [
        f"{found.cited} of {_count(found.sentences, 'sentence')} with a citation",
        _count(found.sources, "source"),
    ]
    if found.missing:
        parts.append(f"{len(found.missing)} not found")
    line = f'<p class="grounding">{" · ".join(parts)}</p>'
    return f'{line}{_warning(found.missing)}<div class="references">{references}</div>'


def _warning(missing: Sequence[str]) -> str:
    if not missing:
        return ""
    names = ", ".join(f"“{escape(label[:120])}”" for label in missing[:_SHOWN_LABELS])
    more = f" and {len(missing) - _SHOWN_LABELS} more" if len(missing) > _SHOWN_LABELS else ""
    verb = "is" if len(missing) == 1 else "are"
    return (
        '<p class="grounding-warning" role="note">This answer cites '
        f'<span dir="auto">{names}</span>{more}, which {verb} not among the sources that were retrieved. '
        "Treat what rests on it with care.</p>"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
