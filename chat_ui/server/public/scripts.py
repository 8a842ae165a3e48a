"""Scripts that are the same for everybody.

A document in another language than English first runs the messages of the page's scripts in that language.
`service-worker.js` removes the worker of an earlier version. It is served for good: a browser with the earlier one asks
for it with the next page, however late.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from chat_ui.languages.language import Language
from chat_ui.server.public.precompressed import FOR_GOOD, Precompressed

_ASKED_EACH_TIME: Final = "public, no-cache"
_WORKER: Final = Path(__file__).with_name("service_worker.js").read_text("utf-8")


class PageWords:
    """Serves `TAG.js?VERSION` of each language in the folder of addresses `address`, the same to everybody.

    A document names the version of its own server. A server of another version answers with its own words, which a
    browser does not cache. `listed` gives the messages in English, from the build.
    """

    def __init__(self, languages: Mapping[str, Language], address: str, listed: Callable[[], Sequence[str]]) -> None:
        self._languages = languages
        self._address = address
        self._listed = listed
        self._scripts: dict[Language, Precompressed] = {}

    def routes(self) -> list[Route]:
        return [Route("/{tag}.js", self._words)]

    def element(self, language: Language) -> str:
        """HTML that has a document run the words of this language; empty for English."""
        if not language.translations.messages:
            return ""
        return f'<script src="{self._address}/{language.tag}.js?{_version(self._script(language))}"></script>'

    async def _words(self, request: Request) -> Response:
        language = self._languages.get(request.path_params["tag"])
        if language is None:
            raise HTTPException(404)
        await language.get_ready()
        script = self._script(language)
        is_current = request.url.query == _version(script)
        headers = {"Cache-Control": FOR_GOOD if is_current else _ASKED_EACH_TIME, "Vary": "Accept-Encoding"}
        return script.response(request, "text/javascript", headers)

    @cached_property
    def _messages(self) -> Sequence[str]:
        return self._listed()

    def _script(self, language: Language) -> Precompressed:
        if language not in self._scripts:
            said = language.translations
            forms_of = {message: said.messages[message] for message in self._messages if message in said.messages}
            messages = {message: forms[0] if len(forms) == 1 else forms for message, forms in forms_of.items()}
            words = json.dumps({"messages": messages, "forms": said.forms}, ensure_ascii=False, separators=(",", ":"))
            self._scripts[language] = Precompressed.of(f"globalThis.chatUiWords={words}")
        return self._scripts[language]


def _version(script: Precompressed) -> str:
    return script.etag[1:9]


async def _worker(_request: Request) -> Response:
    return Response(_WORKER, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


SERVICE_WORKER: Final = Route("/service-worker.js", _worker)
