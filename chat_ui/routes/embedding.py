"""The script by which a page of another site has the chat in it."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chat_ui.branding.accents import on_icon
from chat_ui.branding.branding import Branding
from chat_ui.languages.translation import current_language, gettext

_SOURCE: Final = Path(__file__).with_name("embed.js")
_COMMENT: Final = re.compile("^ *//.*\n", re.MULTILINE)
_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=300",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Vary": "Accept-Encoding, Accept-Language, Cookie",
}


class EmbeddingRoutes:
    """Serves `embed.js` with the title and the accent of a branding, the same to everybody who has one language."""

    def __init__(self, branding: Branding) -> None:
        self._branding = branding
        self._source = _COMMENT.sub("", _SOURCE.read_text("utf-8"))
        self._scripts: dict[str, _Script] = {}
        """By their languages."""

    def routes(self) -> list[Route]:
        """The one route."""
        return [Route("/embed.js", self._script)]

    async def _script(self, request: Request) -> Response:
        script = self._in_language()
        headers = {**_HEADERS, "ETag": script.etag}
        if script.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(script.plain, media_type="text/javascript", headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(script.packed, media_type="text/javascript", headers=headers)

    def _in_language(self) -> _Script:
        tag = current_language().tag
        if tag not in self._scripts:
            self._scripts[tag] = _Script.of(self._branding, self._source)
        return self._scripts[tag]


@dataclass(frozen=True, slots=True)
class _Script:
    plain: bytes
    packed: bytes
    etag: str

    @classmethod
    def of(cls, branding: Branding, source: str) -> _Script:
        """The script in the current language."""
        ground, drawn = on_icon(branding.accent)
        title = branding.title
        chat = {
            "title": title,
            "ground": ground,
            "drawn": drawn,
            "open": gettext("Open {title}", title=title),
            "close": gettext("Close {title}", title=title),
            "refusal": gettext("The chat cannot be shown in this page."),
            "alone": gettext("Open it in a tab of its own."),
        }
        written = json.dumps(chat, ensure_ascii=False)
        plain = f"(() => {{\nconst CHAT = {written};\n{source}}})();\n".encode()
        return cls(plain, gzip.compress(plain, mtime=0), f'"{hashlib.sha256(plain).hexdigest()[:32]}"')
