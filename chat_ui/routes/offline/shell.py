"""The service worker, and the page that it shows where there is no network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from chat_ui.branding.branding import Branding
from chat_ui.languages.translation import current_language
from chat_ui.routes.offline.kept_pages import POLICY, list_page

WORKER: Final = "/service-worker.js"
VIEW: Final = "/offline"
_HERE: Final = Path(__file__).parent
_ASKED_EACH_TIME: Final = {"Cache-Control": "no-cache"}


class ShellRoutes:
    """Serves the service worker for conversations at `pages`/ID.

    Where nothing is to be kept in browsers (`keeps`), it serves one that takes back a former one.
    """

    def __init__(self, branding: Branding, pages: str, *, keeps: bool) -> None:
        self._branding = branding
        self._pages = pages
        self._source = (_HERE / ("service_worker.js" if keeps else "service_worker_off.js")).read_text("utf-8")
        self._keeps = keeps
        self._lists: dict[str, bytes] = {}
        """By their languages."""

    def routes(self) -> list[Route]:
        """The routes, at the root: a service worker answers for what lies below its own address."""
        return [Route(WORKER, self._worker), *([Route(VIEW, self._view)] if self._keeps else [])]

    async def _worker(self, _request: Request) -> Response:
        given = {"VERSION": self._version(), "VIEW": VIEW, "PAGES": self._pages}
        script = _with(given, self._source) if self._keeps else self._source
        headers = {**_ASKED_EACH_TIME, "Vary": "Accept-Language, Cookie"}
        return Response(script, media_type="text/javascript", headers=headers)

    async def _view(self, _request: Request) -> Response:
        headers = {**_ASKED_EACH_TIME, "Content-Security-Policy": POLICY, "X-Version": self._version()}
        return HTMLResponse(self._list(), headers=headers)

    def _list(self) -> bytes:
        tag = current_language().tag
        if tag not in self._lists:
            self._lists[tag] = list_page(self._branding)
        return self._lists[tag]

    def _version(self) -> str:
        return hashlib.sha256(self._source.encode() + self._list()).hexdigest()[:16]


def _with(given: Mapping[str, str], source: str) -> str:
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in given.items())
    return f"{constants}{source}"
