"""A built page as it is sent, with the values of its first paint.

The build leaves marks: JSON between two characters of private use. A string names a value of the first paint. A list is
a message, its values and, for a message about a count, its plural and the count. The values and the words are written
as React would write them, so that the page takes over the document unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import Final

from chat_ui.languages.language import Language
from chat_ui.languages.translation import gettext
from chat_ui.protocol.events import JsonObject

DATA: Final = "painted"
"""The id of the element with the JSON of the first paint for the page's scripts."""
_PARTS: Final = ("brand", "notice", "recorded", "greeting", "footer")
"""The parts of the page that features give; a missing one is empty."""
_PLACES: Final = re.compile('\ue000(?P<mark>.*?)\ue001|<html(?P<attributes>[^>]*?) lang="en"|</head>')


@dataclass(frozen=True, slots=True)
class FirstPaint:
    """The server's settings that a page shows before it has connected.

    `parts` has HTML of parts of the page by their names, and `own` the replacements and the `style` of the backend that
    answers at first. `head` is HTML of the document's head. `options` are for the page's scripts, `attributes` those of
    the document's element, and `state` is the initial state of the page.
    """

    title: str
    parts: Mapping[str, str]
    own: Mapping[str, str]
    head: str
    label: str
    starters: Sequence[str]
    attributes: Mapping[str, str]
    options: JsonObject
    state: JsonObject


def painted(document: str, first: FirstPaint, language: Language, words: str) -> str:
    """The document of a built page in the current `language`; `words` is HTML that loads its words."""
    values = {
        **dict.fromkeys(_PARTS, ""),
        **first.parts,
        **{name: html for name, html in first.own.items() if html},
        "style": first.own.get("style", ""),
        "title": escape(first.title),
        "label": escape(first.label),
        "starters": _starters(first.starters),
    }
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in first.attributes.items())

    def filled(place: re.Match[str]) -> str:
        if place[0] == "</head>":
            return f"{first.head}{_data(first)}{words}{place[0]}"
        if place["mark"] is None:
            return f'<html{place["attributes"]}{attributes} lang="{language.tag}" dir="{language.direction}"'
        mark = json.loads(unescape(place["mark"]))
        if isinstance(mark, str):
            return values[mark]
        message, named, *plural = mark
        return escape(language.said(message, named, *plural))

    return _PLACES.sub(filled, document)


def _data(first: FirstPaint) -> str:
    data = {"parts": first.parts, "options": first.options, "state": first.state}
    return f'<script id="{DATA}" type="application/json">{_json(data)}</script>'


def _starters(questions: Sequence[str]) -> str:
    if not questions:
        return ""
    words = (escape(question, quote=False) for question in questions)
    buttons = "".join(f'<button type="button" class="chip" dir="auto"><span>{one}</span></button>' for one in words)
    label = escape(gettext("Starter questions"))
    return f'<div aria-label="{label}" class="starters" data-of-backend="starters" role="group">{buttons}</div>'


def _json(value: JsonObject) -> str:
    """JSON that cannot end its element."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
