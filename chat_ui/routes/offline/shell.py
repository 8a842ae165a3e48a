"""The service worker, and the page that it shows where there is no network.

Both have their language in their addresses, `?language=TAG`: a browser may ask for a worker's script with another
`Accept-Language` than the page and the worker ask with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from chat_ui.branding.branding import Branding
from chat_ui.languages.language import Language
from chat_ui.languages.translation import current_language, speaking
from chat_ui.routes.offline.kept_pages import POLICY, list_page

WORKER: Final = "/service-worker.js"
VIEW: Final = "/offline"
_LANGUAGE: Final = "language"
_HERE: Final = Path(__file__).parent
_ASKED_EACH_TIME: Final = {"Cache-Control": "no-cache"}


class ShellRoutes:
    """Serves the service worker for conversations at `pages`/ID.

    An address without a language, or with none of `languages`, is answered in that of the request. Where nothing is to
    be kept in browsers (`keeps`), it serves one that takes back a former one.
    """

    def __init__(self, branding: Branding, languages: Mapping[str, Language], pages: str, *, keeps: bool) -> None:
        self._branding = branding
        self._languages = languages
        self._pages = pages
        self._source = (_HERE / ("service_worker.js" if keeps else "service_worker_off.js")).read_text("utf-8")
        self._keeps = keeps
        self._lists: dict[str, bytes] = {}
        """By their languages."""

    def routes(self) -> list[Route]:
        """The routes, at the root: a service worker answers for what lies below its own address."""
        return [Route(WORKER, self._worker), *([Route(VIEW, self._view)] if self._keeps else [])]

    async def _worker(self, request: Request) -> Response:
        async with self._asked_for(request):
            view = f"{VIEW}?{_LANGUAGE}={current_language().tag}"
            given = {"VERSION": self._version(), "VIEW": view, "PAGES": self._pages}
        script = _with(given, self._source) if self._keeps else self._source
        headers = {**_ASKED_EACH_TIME, "Vary": "Accept-Language, Cookie"}
        return Response(script, media_type="text/javascript", headers=headers)

    async def _view(self, request: Request) -> Response:
        async with self._asked_for(request):
            headers = {**_ASKED_EACH_TIME, "Content-Security-Policy": POLICY, "X-Version": self._version()}
            return HTMLResponse(self._list(), headers=headers)

    @asynccontextmanager
    async def _asked_for(self, request: Request) -> AsyncIterator[None]:
        language = self._languages.get(request.query_params.get(_LANGUAGE, ""), current_language())
        await language.get_ready()
        with speaking(language):
            yield

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
