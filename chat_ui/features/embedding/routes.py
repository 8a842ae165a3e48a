"""The script `embed.js`, which embeds the chat in a page of another site."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chat_ui.languages.translation import current_language, gettext
from chat_ui.server.brand import Brand
from chat_ui.server.public.precompressed import Precompressed

_EMBEDDING: Final = Path(__file__).with_name("embed.js")
_COMMENT: Final = re.compile("^ *//.*\n", re.MULTILINE)
_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=300",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Vary": "Accept-Encoding, Accept-Language, Cookie",
}


class EmbeddingRoutes:
    """Serves `embed.js` with a brand's title and accent; the content only depends on the language."""

    def __init__(self, brand: Brand) -> None:
        self._brand = brand
        self._source = _COMMENT.sub("", _EMBEDDING.read_text("utf-8"))
        self._scripts: dict[str, Precompressed] = {}
        """By language."""

    def routes(self) -> list[Route]:
        return [Route("/embed.js", self._script)]

    async def _script(self, request: Request) -> Response:
        tag = current_language().tag
        if tag not in self._scripts:
            self._scripts[tag] = Precompressed.of(_embedding(self._brand, self._source))
        return self._scripts[tag].response(request, "text/javascript", _HEADERS)


def _embedding(brand: Brand, source: str) -> str:
    title = brand.title
    chat = {
        "title": title,
        "ground": brand.ground,
        "drawn": brand.drawn,
        "open": gettext("Open {title}", title=title),
        "close": gettext("Close {title}", title=title),
        "refusal": gettext("The chat cannot be shown in this page."),
        "alone": gettext("Open it in a new tab."),
    }
    written = json.dumps(chat, ensure_ascii=False)
    return f"(() => {{\nconst CHAT = {written};\n{source}}})();\n"
