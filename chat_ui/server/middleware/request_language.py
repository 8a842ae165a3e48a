"""The language that each request is answered in."""

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
"""Holds the tag of the language that a person has chosen; the page sets it."""
LANGUAGE: Final = "chat_ui.language"
"""Where the scope of a request has the tag of its language."""


class Languages:
    """ASGI middleware: answers each request in the language that the person has chosen, or else the operator (`usual`),
    or else the person's browser, or else in English.
    """

    def __init__(self, app: ASGIApp, languages: Mapping[str, Language], usual: str | None = None) -> None:
        self._app = app
        self._languages = languages
        self._usual = usual

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the tag of its language under `LANGUAGE` in its scope."""
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
