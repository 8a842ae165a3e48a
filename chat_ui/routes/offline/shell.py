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
        self._list = list_page(branding)
        source = (_HERE / "service_worker.js").read_text("utf-8")
        self._version = hashlib.sha256(source.encode() + self._list).hexdigest()[:16]
        given = {"VERSION": self._version, "VIEW": VIEW, "PAGES": pages}
        self._script = _with(given, source) if keeps else (_HERE / "service_worker_off.js").read_text("utf-8")
        self._keeps = keeps

    def routes(self) -> list[Route]:
        """The routes, at the root: a service worker answers for what lies below its own address."""
        return [Route(WORKER, self._worker), *([Route(VIEW, self._view)] if self._keeps else [])]

    async def _worker(self, _request: Request) -> Response:
        return Response(self._script, media_type="text/javascript", headers=_ASKED_EACH_TIME)

    async def _view(self, _request: Request) -> Response:
        headers = {**_ASKED_EACH_TIME, "Content-Security-Policy": POLICY, "X-Version": self._version}
        return HTMLResponse(self._list, headers=headers)


def _with(given: Mapping[str, str], source: str) -> str:
    constants = "".join(f"const {name} = {json.dumps(value)};\n" for name, value in given.items())
    return f"{constants}{source}"
