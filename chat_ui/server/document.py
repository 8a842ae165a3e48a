"""A built page as it is sent: what the first paint needs is in the document.

The build leaves marks: JSON between two characters of private use. A string names a value of the first paint. A list
is something that the page says: a message, its values and, for a message about a count, its plural and the count.
The values and the words are written as React would write them, so that the page takes the document over as it is.
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
"""The id of the element that holds, as JSON, what the page's scripts need of the first paint."""
_PARTS: Final = ("brand", "notice", "recorded", "greeting", "footer")
"""The parts of the page that features give; one that none gives is empty."""
_PLACES: Final = re.compile('\ue000(?P<mark>.*?)\ue001|<html(?P<attributes>[^>]*?) lang="en"|</head>')


@dataclass(frozen=True, slots=True)
class FirstPaint:
    """What of this server's settings a page shows before it has spoken with it.

    `parts` has HTML of parts of the page by their names, and `own` what the backend that answers at first has instead,
    and its `style`. `head` is HTML of the document's head. `options` are what the page's scripts go by, `attributes`
    those of the document's element, and `state` is what the page's state begins with.
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
    """The document of a built page as it is sent, in the current `language`; `words` is HTML that brings its words."""
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
    buttons = "".join(f'<button type="button" class="chip" dir="auto">{one}</button>' for one in words)
    label = escape(gettext("Starter questions"))
    return f'<div aria-label="{label}" class="starters" data-of-backend="starters" role="group">{buttons}</div>'


def _json(value: JsonObject) -> str:
    """JSON that ends no element it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
