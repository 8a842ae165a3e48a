"""A built page with the branding in it: what the first paint needs is in the document that the server sends.

Where the branding writes a part of the page, the build left a comment, `<!--branding:NAME-->`. Where it sets words in
an element that the page's state shows as well, that element has the attribute `data-branding`. Its content is replaced
as React would write it, so that the page takes the document over as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from chat_ui.branding.app_icons import SIZES
from chat_ui.branding.branding import GROUNDS, LOGOS, Branding
from chat_ui.languages.translation import gettext
from chat_ui.protocol.events import JsonObject

DATA: Final = "branding"
"""The id of the element that holds, as JSON, what the page's scripts need of the branding."""
TITLE: Final = "chat-ui-title"
"""Stands in a built page for its title."""
_PART: Final = re.compile(r"<!--branding:(\w+)-->")
_LABEL: Final = re.compile(r'(<span[^>]*data-branding="label"[^>]*?title=")[^"]*("[^>]*>)[^<]*(</span>)')
_OWN_STYLE: Final = re.compile(r'(<style data-branding="own">)(</style>)')
_STARTERS: Final = re.compile(r'<div[^>]*data-branding="starters"[^>]*>.*?</div>', re.DOTALL)
_HTML: Final = "<html "
_HEAD_END: Final = "</head>"


@dataclass(frozen=True, slots=True)
class FirstPaint:
    """What of this server's settings a page shows before it has spoken with it.

    `own` is what the backend that answers at first has of its own: parts of the page, and a `style`. `options` are what
    the page's scripts go by, `attributes` those of the document's element, and `state` is what the page's state begins
    with.
    """

    branding: Branding
    own: Mapping[str, str]
    label: str
    starters: Sequence[str]
    attributes: Mapping[str, str]
    options: JsonObject
    state: JsonObject


def painted(document: str, first: FirstPaint) -> str:
    """The document of a built page as it is sent."""
    parts = first.branding.parts()
    body = _PART.sub(lambda found: first.own.get(found[1]) or parts[found[1]], document)
    body = _OWN_STYLE.sub(lambda found: f"{found[1]}{first.own.get('style', '')}{found[2]}", body)
    body = body.replace(TITLE, escape(first.branding.title))
    body = _LABEL.sub(lambda found: f"{found[1]}{escape(first.label)}{found[2]}{escape(first.label)}{found[3]}", body)
    body = _STARTERS.sub(lambda _: _starters(first.starters), body)
    attributes = "".join(f'data-{name}="{escape(value)}" ' for name, value in first.attributes.items())
    return body.replace(_HTML, f"{_HTML}{attributes}", 1).replace(_HEAD_END, f"{_head(first, parts)}{_HEAD_END}", 1)


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


def _json(value: JsonObject) -> str:
    """JSON that ends no element it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
