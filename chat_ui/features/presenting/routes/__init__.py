"""A presentation: its script, and the presenter's window beside the presenting page.

`GET /` returns the operator's script, `POST /` parses a file and returns its steps without storing them. The window has
notes, the next step, a clock and the backend's activity. It makes no requests: the page sends all data over a channel
of the browser.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.errors import TooCostlyError
from chat_ui.features.presenting.errors import ScriptError
from chat_ui.features.presenting.script import MOST_BYTES, Script, parse_script
from chat_ui.languages.translation import current_language, gettext
from chat_ui.page.routes.bodies import bytes_of
from chat_ui.page.routes.owned import NO_STORE, for_person, text_response
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.exported_page import CONTROLS, source_of, style_of
from chat_ui.server.processes.pool import Uploads

_HERE: Final = Path(__file__).parent
_COMMENT: Final = re.compile(r"^ *(?://|/\*\*).*\n", re.MULTILINE)
_STYLE: Final = style_of(*CONTROLS, _HERE / "notes_window.css")
_SCRIPT: Final = _COMMENT.sub("", (_HERE / "notes_window.js").read_text("utf-8"))
POLICY: Final = (
    f"default-src 'none'; script-src {source_of(_SCRIPT)}; style-src {source_of(_STYLE)}; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
"""Allows only its inline script, and no requests."""
_HEADERS: Final = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie"}


class ScriptRoutes:
    """The HTTP resources of scripts; `given` is the operator's, if any."""

    def __init__(self, given: Script | None, uploads: Uploads) -> None:
        self._given = given
        self._uploads = uploads

    def routes(self) -> list[Route]:
        return [
            Route("/", for_person(self._give), methods=["GET"]),
            Route("/", for_person(self._read), methods=["POST"]),
        ]

    async def _give(self, _request: Request, _person: str) -> Response:
        if self._given is None:
            return Response(status_code=204, headers=NO_STORE)
        return JSONResponse(self._given.as_json(), headers=NO_STORE)

    async def _read(self, request: Request, person: str) -> Response:
        try:
            async with self._uploads.place():
                data = await bytes_of(request, MOST_BYTES)
                # Reading malicious TOML can take long.
                script = await self._uploads.run(person, parse_script, data, weight=len(data))
        except ScriptError as problem:
            return text_response(problem.args[0], 422)
        except TooCostlyError:
            return text_response(msg("This file takes too long to read. Choose a shorter script."), 422)
        return JSONResponse(script.as_json(), headers=NO_STORE)


class NotesRoutes:
    """Serves the presenter's window at `path`; the fragment after `#` names the presentation."""

    def __init__(self, title: str, path: str) -> None:
        self._title = title
        self._path = path

    def routes(self) -> list[Route]:
        return [Route(self._path, self._window, methods=["GET"])]

    async def _window(self, _request: Request) -> Response:
        return HTMLResponse(_page(self._title), headers=_HEADERS)


def _page(app: str) -> str:
    language = current_language()
    text_response = {name: gettext(message) for name, message in _SAID.items()}
    words = {name: escape(text) for name, text in text_response.items()}
    buttons = "".join(
        f'<button type="button" data-act="{act}" disabled>{words[act]}{f"<kbd>{key}</kbd>" if key else ""}</button>'
        for act, key in _BUTTONS.items()
    )
    title = escape(gettext("Presenter's window – {title}", title=app))
    # An HTML parser ends a script at the first `</`, also in a string.
    later = json.dumps({name: text_response[name] for name in _LATER}, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<!doctype html><html lang="{language.tag}" dir="{language.direction}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="dark">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        f'<header><p class="clock"><span class="label">{words["clock"]}</span><time id="clock"></time></p>'
        f'<p class="clock"><span class="label">{words["elapsed"]}</span><time id="elapsed">0:00</time></p>'
        f'<div class="status" role="status"><span class="label">{words["backend"]}</span>'
        '<p><span id="status" dir="auto"></span> <span id="awaited" aria-live="off"></span></p></div></header>'
        '<p id="remark" role="alert" dir="auto"></p>'
        '<main tabindex="0"><section aria-labelledby="now">'
        f'<h1 class="label" id="now">{words["now"]} <span id="place"></span></h1>'
        '<p class="question" id="question" dir="auto"></p><p class="opens" id="opens"></p>'
        '<p class="notes" id="notes" dir="auto"></p></section>'
        f'<section class="next" aria-labelledby="then"><h2 class="label" id="then">{words["then"]}</h2>'
        '<p class="question" id="next-question" dir="auto"></p><p class="opens" id="next-opens"></p>'
        '<p class="notes" id="next-notes" dir="auto"></p></section></main>'
        f'<footer><div role="group" aria-label="{words["steps"]}">{buttons}</div></footer>'
        f'<script type="application/json" id="words">{later}</script><script>{_SCRIPT}</script></body></html>\n'
    )


_BUTTONS: Final = {"back": "Page Up", "next": "Page Down", "blank": "B", "again": "", "end": "Esc"}
_SAID: Final = {
    "clock": msg("Time"),
    "elapsed": msg("Elapsed"),
    "backend": msg("Backend"),
    "now": msg("Now"),
    "then": msg("Next"),
    "steps": msg("Steps"),
    "back": msg("Back"),
    "next": msg("Next step"),
    "blank": msg("Blank"),
    "again": msg("Ask again"),
    "end": msg("End presentation"),
    "apart": msg("Not presenting. Start it from the chat tab."),
    "gone": msg("The chat tab does not respond. Check that it is still open."),
    "start": msg("Press Page Down for the first question."),
    "last": msg("End of the script"),
    "no notes": msg("No notes."),
    "place": msg("{number} of {total}"),
    "seconds": msg("{seconds} s"),
}
_LATER: Final = ("apart", "gone", "start", "last", "no notes", "place", "seconds")
