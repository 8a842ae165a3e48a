"""Running calls of an app at the end of its server."""

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router, WebSocketRoute
from starlette.types import Message, Scope
from starlette.websockets import WebSocket

from chat_ui.server.middleware.in_flight import InFlight

HTTP: Scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
SOCKET: Scope = {"type": "websocket", "path": "/socket", "query_string": b"", "headers": [], "subprotocols": []}


class Waiting:
    """An app whose calls wait for `go`, with their outcomes."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.ended: list[str] = []
        self.sent: list[Message] = []
        self.in_flight = InFlight()
        self._called = self.in_flight.around(
            Router([Route("/", self._request), WebSocketRoute("/socket", self._socket)])
        )

    async def call(self, scope: Scope) -> asyncio.Task[None]:
        """A running call of the app."""
        call = asyncio.create_task(self._call(scope))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return call

    async def _call(self, scope: Scope) -> None:
        connect = iter([{"type": "websocket.connect"}])

        async def receive() -> Message:
            for message in connect:
                return message
            return await asyncio.Future()

        async def send(message: Message) -> None:
            self.sent.append(message)

        await self._called(dict(scope), receive, send)

    async def _request(self, _request: Request) -> Response:
        try:
            await self.go.wait()
        finally:
            self.ended.append("request")
        return PlainTextResponse("done")

    async def _socket(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            await socket.receive_text()
        finally:
            self.ended.append("socket")


async def test_a_websocket_ends_at_once_and_a_request_by_itself():
    waiting = Waiting()
    request, socket = await waiting.call(HTTP), await waiting.call(SOCKET)
    waiting.in_flight.refuse()
    await socket
    assert waiting.ended == ["socket"]
    ending = asyncio.create_task(waiting.in_flight.end(60))
    waiting.go.set()
    await ending
    await request
    assert waiting.ended == ["socket", "request"]
    assert waiting.sent[-1] == {"type": "http.response.body", "body": b"done"}


async def test_an_endless_request_is_cut_off():
    waiting = Waiting()
    request = await waiting.call(HTTP)
    waiting.in_flight.refuse()
    await waiting.in_flight.end(0)
    await request
    assert (waiting.ended, waiting.sent) == (["request"], [])


async def test_a_call_cancelled_by_its_server_is_cancelled():
    waiting = Waiting()
    request = await waiting.call(HTTP)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert waiting.ended == ["request"]


async def test_new_calls_are_refused_in_words():
    waiting = Waiting()
    waiting.in_flight.refuse()
    await (await waiting.call(HTTP))
    await (await waiting.call(SOCKET))
    head, body, socket = waiting.sent
    assert (head["status"], body["body"]) == (503, b"This server is stopping. Try again in a moment.")
    assert socket == {"type": "websocket.close", "code": 1012}
