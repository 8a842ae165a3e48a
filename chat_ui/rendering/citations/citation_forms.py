"""The forms of citations besides names between square brackets.

Their content is read like that of square brackets, and all named sources must exist. The forms are `【4:0†source】` and
`【1】` (OpenAI's models, and texts in Chinese or Japanese), `［1］`, `^[1]^` (raised, as in Pandoc's Markdown),
`(Source: plan.pdf)`, `<cite>1</cite>`, `<cite id="1"/>` and `<cite id="1">words</cite>`. Claude's models write `(cite
index="0-2">`, with the place of a document and of a sentence, which is dropped. RAGFlow writes `##0$$` or
`{{source:0}}`: only its own sources have these names.

ChatGPT's marks are never text: U+E200, a kind, and parts after U+E202 each up to U+E201. They cite the parts that are
sources (`turn0search1`, the name of a file), and show the parts that are words. Marks that are cut off are dropped too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from chat_ui.rendering.citations.brackets import SOURCE_WORDS
from chat_ui.rendering.citations.citations import MAX_LABEL, Match, SourceIndex

AROUND_CITED: Final = frozenset({"cite_start", "cite_end"})
"""Labels between square brackets around the text of Gemini's next citation; dropped."""


class FoundForm(NamedTuple):
    """The label between the ends of a form, and the end of the form; of a mark also the place of its words."""

    label: str
    end: int
    is_mark: bool = False
    words: tuple[int, int] | None = None

    def matches(self, sources: SourceIndex) -> tuple[Match, ...] | None:
        """The citations of the form; None for text."""
        if self.is_mark:
            return sources.resolve_each(self.label.split(_PART))
        return sources.resolve_known(self.label) or None


@dataclass(frozen=True, slots=True)
class _Form:
    """A form, `complete` or `half` at the end of a text that may go on."""

    complete: re.Pattern[str]
    half: re.Pattern[str]


def _between(opening: str, closing: str) -> _Form:
    label = rf"[^{opening}{closing}\[\]]"
    return _Form(re.compile(f"{opening}({label}{{1,{MAX_LABEL}}}){closing}"), re.compile(f"{opening}{label}*"))


def _after_a_word(opening: str, closing: str) -> _Form:
    beginnings = {word[:length] for word in SOURCE_WORDS for length in range(len(word) + 1)}
    word = rf"\*{{0,3}}(?:{'|'.join(SOURCE_WORDS)})\s*[:：]"
    label = rf"(?:[^()（）\[\]]|(?>\([^()（）\[\]]{{0,{MAX_LABEL}}}\)))"
    half = rf"{opening}\*{{0,3}}(?:(?:{'|'.join(beginnings)})\s*|{word}{label}*+(?:\([^()（）\[\]]*)?)"
    complete = rf"{opening}((?i:{word}){label}{{1,{MAX_LABEL}}}+){closing}"
    return _Form(re.compile(complete), re.compile(half, re.IGNORECASE))


_PART: Final = "\ue202"
_KIND: Final = re.compile(r"[a-z_]{2,30}")
_REFERENCES: Final = re.compile(r"\s*(?:turn\d+[a-z_]+\d+[\s,]*)+|L\d+(?:-L?\d+)?|https?://\S+|\s*")
_ENTITY: Final = re.compile(r'\["[^"]*",\s*"([^"]+)"')
"""A kind of thing and its name."""


def _mark_of(found: re.Match[str]) -> FoundForm:
    names: list[str] = []
    words = None
    kind, *parts = found[found.lastindex or 1].split(_PART)
    start = found.start(found.lastindex or 1)
    if _KIND.fullmatch(kind):
        start += len(kind) + 1
    else:
        kind, parts = "", [kind, *parts]
    for part in parts:
        entity = _ENTITY.match(part)
        if kind.endswith("cite") or _REFERENCES.fullmatch(part):
            names += part.split(",")
        elif entity:
            words = words or (start + entity.start(1), start + entity.end(1))
        elif not part.startswith("{"):
            words = words or (start, start + len(part))
        start += len(part) + 1
    return FoundForm(_PART.join(names), found.end(), True, words)


_MAX_WORDS: Final = 500
"""Characters in a cite element whose attribute names the source."""
_HALF_CITE_END: Final = r"<(?:/(?:c(?:i(?:te?)?)?)?)?"

FORMS: Final[Mapping[str, _Form]] = {
    "【": _between("【", "】"),
    "［": _between("［", "］"),
    "^": _Form(re.compile(rf"\^\[([^\[\]]{{1,{MAX_LABEL}}})\]\^"), re.compile(r"\^(?:\[[^\[\]]*\]?)?")),
    "(": _after_a_word(r"\(", r"\)"),
    "（": _after_a_word("（", "）"),
    "<": _Form(
        re.compile(
            r"<cite>([^<>\[\]]{1,200})</cite>"
            r"|<cite\s{1,9}(?!index=)[a-z-]{1,40}=[\"']?([^\"'<>\[\]]{1,200}?)[\"']?\s{0,9}"
            rf"(?:/>|>(?P<words>[^<>\[\]]{{0,{_MAX_WORDS}}})</cite>)",
            re.IGNORECASE,
        ),
        re.compile(
            rf"<(?:c(?:i(?:te?)?)?)?|<cite>[^<>\[\]]{{0,200}}(?:{_HALF_CITE_END})?"
            rf"|<cite\s[^<>]{{0,250}}(?:>[^<>\[\]]{{0,{_MAX_WORDS}}}(?:{_HALF_CITE_END})?)?",
            re.IGNORECASE,
        ),
    ),
    "#": _Form(re.compile(r"(?<!#)(##\d{1,4}\$\$)"), re.compile(r"(?<!#)#(?:#(?:\d{1,4}\$?)?)?")),
    "{": _Form(re.compile(r"(\{\{source:\d{1,4}\}\})"), re.compile(r"\{(?:\{(?:[a-z]{0,5}|source(?::\d{0,4}\}?)?))?")),
    "\ue200": _Form(
        re.compile(
            rf"\ue200(?:([^\ue200\ue201]{{1,{MAX_LABEL}}})\ue201|([a-z_]{{2,30}}(?:\ue202[^\ue200\ue201\s<]{{0,200}})?)\Z)"
        ),
        re.compile("\ue200[^\ue200\ue201]*"),
    ),
}
"""The forms by the character that they begin with."""

FORM_START: Final = re.compile(f"[{re.escape(''.join(FORMS))}]")
RAW_BRACKET: Final = re.compile(
    "|".join((r"\[[^\[\]]*\]?", *(form.complete.pattern for start, form in FORMS.items() if start != "<")))
)
"""A possible citation in text other than Markdown: a square bracket, perhaps unclosed, or a form."""


def form_at(text: str, start: int, end: int) -> FoundForm | None:
    """The form that begins at `start` and ends before `end`, else None."""
    form = FORMS.get(text[start])
    found = form.complete.match(text, start, end) if form else None
    if found and text[start] == "\ue200":
        return _mark_of(found)
    if found is None:
        return None
    words = found.span("words") if text[start] == "<" and (found["words"] or "").strip() else None
    return FoundForm(next(filter(None, found.groups())), found.end(), words=words)


def may_become_form(text: str, start: int) -> bool:
    """Whether half a form begins at `start`, which may be whole with more text."""
    form = FORMS.get(text[start])
    return form is not None and form.half.fullmatch(text, start) is not None
