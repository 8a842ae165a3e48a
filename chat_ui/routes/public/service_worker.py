"""The service worker that takes back the one of an earlier version.

It is served for good: a browser that has the earlier one asks for it with the next page, however late that is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_SCRIPT: Final = Path(__file__).with_suffix(".js").read_text("utf-8")


async def _worker(_request: Request) -> Response:
    return Response(_SCRIPT, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


SERVICE_WORKER: Final = Route("/service-worker.js", _worker)
