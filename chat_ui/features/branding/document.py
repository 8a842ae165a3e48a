"""A built page with the branding in it: what the first paint needs is in the document that the server sends.

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

from chat_ui.features.branding.branding import GROUNDS, LOGOS, Branding
from chat_ui.features.branding.logos import SIZES
from chat_ui.languages.language import Language
from chat_ui.languages.translation import gettext
from chat_ui.protocol.events import JsonObject

DATA: Final = "branding"
"""The id of the element that holds, as JSON, what the page's scripts need of the branding."""
_PLACES: Final = re.compile('\ue000(?P<mark>.*?)\ue001|<html(?P<attributes>[^>]*?) lang="en"|</head>')


@dataclass(frozen=True, slots=True)
class FirstPaint:
    """What of this server's settings a page shows before it has spoken with it.

    `is_recorded` says that what is asked is recorded. `own` is what the backend that answers at first has of its own:
    parts of the page, and a `style`. `options` are what the page's scripts go by, `attributes` those of the document's
    element, and `state` is what the page's state begins with.
    """

    branding: Branding
    is_recorded: bool
    own: Mapping[str, str]
    label: str
    starters: Sequence[str]
    attributes: Mapping[str, str]
    options: JsonObject
    state: JsonObject


def painted(document: str, first: FirstPaint, language: Language, words: str) -> str:
    """The document of a built page as it is sent, in the current `language`; `words` is HTML that brings its words."""
    parts = {**first.branding.parts(), "recorded": _recorded() if first.is_recorded else ""}
    values = {
        **parts,
        **{name: html for name, html in first.own.items() if html},
        "style": first.own.get("style", ""),
        "title": escape(first.branding.title),
        "label": escape(first.label),
        "starters": _starters(first.starters),
    }
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in first.attributes.items())

    def filled(place: re.Match[str]) -> str:
        if place[0] == "</head>":
            return f"{_head(first, parts)}{words}{place[0]}"
        if place["mark"] is None:
            return f'<html{place["attributes"]}{attributes} lang="{language.tag}" dir="{language.direction}"'
        mark = json.loads(unescape(place["mark"]))
        if isinstance(mark, str):
            return values[mark]
        message, named, *plural = mark
        return escape(language.said(message, named, *plural))

    return _PLACES.sub(filled, document)


def _head(first: FirstPaint, parts: Mapping[str, str]) -> str:
    data = {"parts": parts, "options": first.options, "state": first.state}
    icon = f"{LOGOS}/{first.branding.icon.name}"
    return (
        f'<style id="branding-style">{first.branding.style}</style>'
        f'<link rel="icon" href="{icon}" type="{first.branding.icon.media_type}"/>'
        f"{_touch_icon(first.branding)}{_theme_colours()}"
        # Where a proxy has people sign in, it lets no request through that has no cookie.
        f'<link rel="manifest" href="{LOGOS}/manifest.webmanifest" crossorigin="use-credentials"/>'
        f'<script id="{DATA}" type="application/json">{_json(data)}</script>'
    )


def _touch_icon(branding: Branding) -> str:
    """The icon on the home screen of an iPhone, which draws no SVG."""
    icons = branding.app_icons()
    icon = icons["maskable", max(SIZES)] if icons else branding.icon
    return f'<link rel="apple-touch-icon" href="{LOGOS}/{icon.name}"/>' if icon.media_type == "image/png" else ""


def _theme_colours() -> str:
    return "".join(
        f'<meta name="theme-color" content="{ground}" media="(prefers-color-scheme: {scheme})"/>'
        for scheme, ground in GROUNDS.items()
    )


def _starters(questions: Sequence[str]) -> str:
    if not questions:
        return ""
    words = (escape(question, quote=False) for question in questions)
    buttons = "".join(f'<button type="button" class="chip" dir="auto">{one}</button>' for one in words)
    label = escape(gettext("Starter questions"))
    return f'<div aria-label="{label}" class="starters" data-branding="starters" role="group">{buttons}</div>'


def _recorded() -> str:
    return f'<p class="notice page-recorded">{escape(gettext("What is asked on this page is recorded"))}</p>'


def _json(value: JsonObject) -> str:
    """JSON that ends no element it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
