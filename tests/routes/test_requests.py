"""Requests whose bodies do not come."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route

from chat_ui.server.middleware.request_log import RequestLog

PIECE = {"type": "http.request", "body": b"a", "more_body": True}
LAST = {"type": "http.request", "body": b"b", "more_body": False}


async def length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def slowly(_request: Request) -> StreamingResponse:
    async def pieces() -> Any:
        yield "one"
        await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.2)
        yield "two"

    return StreamingResponse(pieces())


async def answered(path: str, *messages: dict[str, Any]) -> list[Any]:
    app = RequestLog(
        Starlette(routes=[Route("/", length, methods=["POST"]), Route("/slowly", slowly)]), body_seconds=0.05
    )
    sent: list[Any] = []
    to_come = list(messages)

    async def receive() -> Any:
        return to_come.pop(0) if to_come else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    method = "GET" if path == "/slowly" else "POST"
    await app({"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}, receive, send)
    return sent


@pytest.mark.parametrize("messages", [[], [PIECE]])
async def test_a_body_that_does_not_come_is_not_waited_for(messages: list[dict[str, Any]]):
    async with asyncio.timeout(10):
        sent = await answered("/", *messages)
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]
    assert b"Send it again" in sent[1]["body"]


async def test_a_client_that_leaves_while_it_sends_is_no_error(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.WARNING)
    await answered("/", PIECE, {"type": "http.disconnect"})
    assert not caplog.records


async def test_a_body_that_comes_is_answered():
    sent = await answered("/", PIECE, LAST)
    assert sent[1]["body"] == b"2"


async def test_an_answer_may_take_longer_than_a_body():
    sent = await answered("/slowly", LAST)
    assert b"".join(message.get("body", b"") for message in sent) == b"onetwo"
