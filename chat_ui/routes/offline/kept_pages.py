"""The pages that a browser shows without a network: one for each conversation that it has kept, and the list of them.

Each needs nothing beside itself. A copy is made in a process of its own, and so needs nothing of the server.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from chat_ui.branding.branding import GROUNDS, Branding
from chat_ui.languages.translation import current_language, gettext, gettext_html
from chat_ui.rendering.transcript import STYLE, transcript_body
from chat_ui.routes.exported import answered

_HERE: Final = Path(__file__).parent
_STYLE: Final = STYLE + (_HERE / "kept_pages.css").read_text("utf-8")
_COMMENT: Final = re.compile(r"^ *(?://|/\*\*).*\n", re.MULTILINE)
_SCRIPT: Final = _COMMENT.sub("", (_HERE / "kept_pages.js").read_text("utf-8"))
_SCRIPT_HASH: Final = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
POLICY: Final = (
    f"default-src 'none'; script-src 'sha256-{_SCRIPT_HASH}'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of both pages: they run the one script that is in them, and reach nothing but this server."""


def copy_page(title: str, turns: Sequence[tuple[str, str | None, str]]) -> bytes:
    """The page of a conversation: each turn is a question, and its answer as it is kept, its text apart."""
    when = gettext_html("This browser saw it last on {time}.", time="<time></time>")
    words = escape(gettext("You are offline. This is the conversation as this browser saw it last."))
    notice = f'{words} <span class="when" hidden>{when}</span>'
    ways = f'<nav><a href="/">{escape(gettext("All conversations that this browser has kept"))}</a></nav>'
    body = f"{_notice(notice, ways)}<main>{transcript_body(title, answered(turns))}</main>"
    return _page(title, body).encode("utf-8", "replace")


def list_page(branding: Branding) -> bytes:
    """The page with the list of all conversations that the browser has kept, which its script reads there."""
    icon = branding.icon
    logo = f"data:{icon.media_type};base64,{base64.b64encode(icon.content).decode()}"
    notice = escape(gettext("You are offline. These are the conversations this browser has seen last."))
    missing = escape(gettext("The conversation at this address is not kept in this browser."))
    nothing = escape(gettext("No conversation is kept in this browser."))
    body = (
        f'{_notice(notice)}<main><h1><img class="logo" alt="" src="{logo}">'
        f"{escape(branding.title)}</h1>"
        f'<p class="missing" hidden>{missing}</p><p class="nothing" hidden>{nothing}</p>'
        f'<ul class="kept" aria-label="{escape(gettext("Conversations"))}"></ul></main>'
    )
    return _page(gettext("Offline – {title}", title=branding.title), body).encode()


def _notice(words: str, ways: str = "") -> str:
    goes_on = escape(gettext("The page goes on by itself once there is a network."))
    return f'<header class="offline"><div role="status"><p>{words}</p><p>{goes_on}</p></div>{ways}</header>'


def _page(title: str, body: str) -> str:
    colours = "".join(
        f'<meta name="theme-color" content="{ground}" media="(prefers-color-scheme: {scheme})">'
        for scheme, ground in GROUNDS.items()
    )
    language = current_language()
    return (
        f'<!doctype html><html lang="{language.tag}" dir="{language.direction}"><head><meta charset="utf-8">'
        '<meta http-equiv="x-dns-prefetch-control" content="off">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">{colours}'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body>{body}<script>{_SCRIPT}</script></body></html>\n"
    )
