"""The forms in which answers cite besides names between square brackets.

What stands between their two ends is read like what stands between square brackets, and all that it names has to be
there: `【4:0†source】` and `【1】` (OpenAI's models, and texts in Chinese or Japanese), `［1］`, `^[1]^` (raised, as in
Pandoc's Markdown), and `(Source: plan.pdf)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from chat_ui.rendering.citations.brackets import SOURCE_WORDS
from chat_ui.rendering.citations.citations import MAX_LABEL


class FoundForm(NamedTuple):
    """What stands between the ends of a form, and where the form ends."""

    label: str
    end: int


@dataclass(frozen=True, slots=True)
class _Form:
    """A form as it is when it is `whole`, and as the end of a text that may go on is when it is `half` there."""

    whole: re.Pattern[str]
    half: re.Pattern[str]


def _between(opening: str, closing: str) -> _Form:
    label = rf"[^{opening}{closing}\[\]]"
    return _Form(re.compile(f"{opening}({label}{{1,{MAX_LABEL}}}){closing}"), re.compile(f"{opening}{label}*"))


def _after_a_word(opening: str, closing: str) -> _Form:
    beginnings = {word[:length] for word in SOURCE_WORDS for length in range(len(word) + 1)}
    word = rf"\*{{0,3}}(?:{'|'.join(SOURCE_WORDS)})\s*[:：]"
    label = rf"(?:[^()（）\[\]]|\([^()（）\[\]]{{0,{MAX_LABEL}}}\))"
    half = rf"{opening}\*{{0,3}}(?:(?:{'|'.join(beginnings)})\s*|{word}{label}*+(?:\([^()（）\[\]]*)?)"
    whole = rf"{opening}((?i:{word}){label}{{1,{MAX_LABEL}}}+){closing}"
    return _Form(re.compile(whole), re.compile(half, re.IGNORECASE))


FORMS: Final[Mapping[str, _Form]] = {
    "【": _between("【", "】"),
    "［": _between("［", "］"),
    "^": _Form(re.compile(rf"\^\[([^\[\]]{{1,{MAX_LABEL}}})\]\^"), re.compile(r"\^(?:\[[^\[\]]*\]?)?")),
    "(": _after_a_word(r"\(", r"\)"),
    "（": _after_a_word("（", "）"),
}
"""The forms by the character that they begin with."""

FORM_START: Final = re.compile(f"[{re.escape(''.join(FORMS))}]")
RAW_BRACKET: Final = re.compile("|".join((r"\[[^\[\]]*\]?", *(form.whole.pattern for form in FORMS.values()))))
"""What may be a citation in text that is no Markdown: a square bracket that has not to be closed, or a form."""


def form_at(text: str, start: int, end: int) -> FoundForm | None:
    """The form that begins at `start` and ends before `end`; None where there is none."""
    form = FORMS.get(text[start])
    found = form.whole.match(text, start, end) if form else None
    return FoundForm(found[1], found.end()) if found else None


def may_become_form(text: str, start: int) -> bool:
    """Whether what begins at `start` is half a form, which may be whole once the text goes on."""
    form = FORMS.get(text[start])
    return form is not None and form.half.fullmatch(text, start) is not None
