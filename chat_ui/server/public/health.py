"""The health and the readiness of the server, for the operator."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations


class HealthRoutes:
    """`GET /health` answers while the process lives; `GET /ready` is 503 while `conversations` cannot be kept or
    shared.
    """

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    def routes(self) -> list[Route]:
        return [Route("/health", self._health), Route("/ready", self._ready)]

    async def _health(self, _request: Request) -> Response:
        return PlainTextResponse("alive\n", headers={"Cache-Control": "no-store"})

    async def _ready(self, _request: Request) -> Response:
        store, workers = await asyncio.gather(self._conversations.can_be_stored(), self._conversations.can_be_shared())
        return JSONResponse(
            {"store": store, "workers": workers},
            status_code=200 if store and workers else 503,
            headers={"Cache-Control": "no-store"},
        )
