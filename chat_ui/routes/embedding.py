"""The script by which a page of another site has the chat in it."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chat_ui.branding.accents import on_icon
from chat_ui.branding.branding import Branding

_SOURCE: Final = Path(__file__).with_name("embed.js")
_COMMENT: Final = re.compile("^ *//.*\n", re.MULTILINE)
_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=300",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Vary": "Accept-Encoding",
}


class EmbeddingRoutes:
    """Serves `embed.js` with the title and the accent of a branding, the same to everybody."""

    def __init__(self, branding: Branding) -> None:
        ground, drawn = on_icon(branding.accent)
        chat = json.dumps({"title": branding.title, "ground": ground, "drawn": drawn}, ensure_ascii=False)
        script = _COMMENT.sub("", _SOURCE.read_text("utf-8"))
        self._plain = f"(() => {{\nconst CHAT = {chat};\n{script}}})();\n".encode()
        self._packed = gzip.compress(self._plain, mtime=0)
        self._etag = f'"{hashlib.sha256(self._plain).hexdigest()[:32]}"'

    def routes(self) -> list[Route]:
        """The one route."""
        return [Route("/embed.js", self._script)]

    async def _script(self, request: Request) -> Response:
        headers = {**_HEADERS, "ETag": self._etag}
        if self._etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self._plain, media_type="text/javascript", headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(self._packed, media_type="text/javascript", headers=headers)
