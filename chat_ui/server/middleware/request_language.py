"""The language of the answer to each request."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.languages.catalogues import chosen, preferred
from chat_ui.languages.language import ENGLISH, Language
from chat_ui.languages.translation import speaking
from chat_ui.server.middleware.identity import cookie_values

COOKIE: Final = "chat_ui_language"
"""The cookie with the tag of a chosen language; the page sets it."""
LANGUAGE: Final = "chat_ui.language"
"""The key of the language's tag in the scope of a request."""


class Languages:
    """ASGI middleware: answers in the language of the person's choice, operator (`usual`) or browser, else English."""

    def __init__(self, app: ASGIApp, languages: Mapping[str, Language], usual: str | None = None) -> None:
        self._app = app
        self._languages = languages
        self._usual = usual

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        def varied(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_same = message["status"] == HTTPStatus.NOT_MODIFIED
                if is_same or headers.get("content-type", "").startswith("text/html"):
                    headers.add_vary_header("Accept-Language, Cookie")
            return send(message)

        language = self._language(Headers(scope=scope))
        await language.get_ready()
        with speaking(language):
            await self._app({**scope, LANGUAGE: language.tag}, receive, varied)

    def _language(self, headers: Headers) -> Language:
        of_person = [value for value in cookie_values(headers, COOKIE) if value in self._languages]
        of_browser = preferred(",".join(headers.getlist("accept-language")))
        wanted = of_person or ([self._usual] if self._usual else of_browser)
        return chosen(wanted, self._languages) or self._languages[ENGLISH.tag]
