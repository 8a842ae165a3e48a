"""Requests whose bodies do not come, and those that fail."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from chat_ui.languages.catalogues import offered
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.middleware.request_log import RequestLog, failed
from tests.demo.serving import serving
from tests.patience import PATIENCE

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


async def fails(_request: Request) -> PlainTextResponse:
    raise LookupError("there is no such thing")


async def fails_elsewhere(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise LookupError("there is no such thing")


ROUTES = [Route("/", length, methods=["POST"]), Route("/slowly", slowly), Route("/fails", fails)]


async def answered(path: str, *messages: dict[str, Any]) -> list[Any]:
    app = RequestLog(Starlette(routes=ROUTES), body_seconds=0.05)
    sent: list[Any] = []
    to_come = list(messages)

    async def receive() -> Any:
        return to_come.pop(0) if to_come else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    method = "GET" if path == "/slowly" else "POST"
    await app({"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}, receive, send)
    return sent


async def test_a_body_that_does_not_come_is_not_waited_for():
    for messages in ([], [PIECE]):
        async with asyncio.timeout(PATIENCE):
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


@pytest.fixture(scope="module")
def spoken_url() -> Iterator[str]:
    routes = Starlette(routes=ROUTES, exception_handlers={Exception: failed})
    with serving(Languages(RequestLog(routes, body_seconds=0.05), offered())) as url:
        yield url


FAILED = "Something went wrong on the server. Try again; if that does not help, tell its operator."


def test_a_request_that_fails_is_answered_in_the_language_of_whoever_asks(spoken_url: str):
    for language, words in {"en": FAILED, "de": "Auf dem Server ist etwas schiefgegangen.", "nl": FAILED}.items():
        answer = httpx2.get(f"{spoken_url}/fails", headers={"Accept-Language": language})
        assert answer.status_code == 500
        assert answer.text.startswith(words)
        assert answer.headers["x-request-id"]


def test_what_fails_outside_of_all_routes_is_answered_in_words_too(caplog: pytest.LogCaptureFixture):
    with serving(Languages(RequestLog(fails_elsewhere), offered())) as url:
        answer = httpx2.get(url, headers={"Accept-Language": "de"})
    assert (answer.status_code, answer.text[:11]) == (500, "Auf dem Ser")
    assert "a request failed" in caplog.messages


def test_a_body_that_does_not_come_is_refused_in_the_language_of_whoever_sends_it(spoken_url: str):
    address = urlsplit(spoken_url)
    head = f"POST / HTTP/1.1\r\nHost: {address.netloc}\r\nAccept-Language: de\r\nContent-Length: 4\r\n\r\n"
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as connection:
        connection.sendall(head.encode())
        with connection.makefile("rb") as response:
            answer = response.read().decode()
    assert answer.startswith("HTTP/1.1 408")
    assert answer.endswith("Was gesendet wurde, ist nicht angekommen. Senden Sie es erneut.")
