"""What is said, in each language, by scripts of the page that load when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chat_ui.languages import page_words
from chat_ui.languages.language import Language
from chat_ui.routes.public.precompressed import Precompressed

_FOR_GOOD: Final = "public, max-age=31536000, immutable"
_ASKED_EACH_TIME: Final = "public, no-cache"


class LaterWordsRoutes:
    """Serves `TAG.json?VERSION` of each language, the same to everybody.

    The page names the version of its own document. A server of another version answers with what it has, for now.
    """

    def __init__(self, languages: Mapping[str, Language]) -> None:
        self._languages = languages

    def routes(self) -> list[Route]:
        """The one route."""
        return [Route("/{tag}.json", self._words)]

    async def _words(self, request: Request) -> Response:
        language = self._languages.get(request.path_params["tag"])
        if language is None:
            raise HTTPException(404)
        await language.get_ready()
        is_current = request.url.query == page_words.version(language)
        headers = {"Cache-Control": _FOR_GOOD if is_current else _ASKED_EACH_TIME, "Vary": "Accept-Encoding"}
        return _packed(language).response(request, "application/json", headers)


@cache
def _packed(language: Language) -> Precompressed:
    return Precompressed.of(page_words.later(language))
