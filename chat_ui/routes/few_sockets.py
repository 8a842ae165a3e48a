"""How many WebSockets a person may have open."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from chat_ui.conversations.people import person_of
from chat_ui.routes.identity import refuse_socket

logger = logging.getLogger(__name__)

OPEN_AT_ONCE: Final = 100
"""WebSockets of one person in this process."""


class FewSockets:
    """ASGI middleware: refuses a WebSocket of a person who has `at_once` of them open."""

    def __init__(self, app: ASGIApp, at_once: int = OPEN_AT_ONCE) -> None:
        self._app = app
        self._at_once = at_once
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        person = person_of(scope)
        if self._open[person] >= self._at_once:
            logger.warning("a socket was refused: its person has %d open", self._at_once)
            await refuse_socket(receive, send)
            return
        self._open[person] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[person] -= 1
            if not self._open[person]:
                del self._open[person]
