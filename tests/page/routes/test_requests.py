"""Requests with stalled bodies, failing requests, and unread responses."""

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.conversations.people.person import PERSON
from chat_ui.languages.catalogues import offered
from chat_ui.page.routes.bodies import Streamed
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.middleware.request_log import RequestLog, failed
from chat_ui.server.middleware.unread import PIECE, SocketLimit, Unread
from tests.features.demo.serving import serving
from tests.timeouts import TIMEOUT
from tests.turns import counted_turns

FIRST = {"type": "http.request", "body": b"a", "more_body": True}
LAST = {"type": "http.request", "body": b"b", "more_body": False}


async def length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def slowly(_request: Request) -> StreamingResponse:
    async def pieces() -> Any:
        yield "one"
        await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.2)
        yield "two"

    return StreamingResponse(pieces())


async def fails(*_: object) -> PlainTextResponse:
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


async def test_a_missing_body_ends_with_a_timeout():
    for messages in ([], [FIRST]):
        sent = await asyncio.wait_for(answered("/", *messages), TIMEOUT)
        assert sent[0]["status"] == 408
        assert (b"connection", b"close") in sent[0]["headers"]
        assert b"Send it again" in sent[1]["body"]


async def test_a_slow_body_is_answered_and_a_leaving_client_is_no_error(caplog):
    caplog.set_level(logging.WARNING)
    await answered("/", FIRST, {"type": "http.disconnect"})
    assert not caplog.records
    assert (await answered("/", FIRST, LAST))[1]["body"] == b"2"
    sent = await answered("/slowly", LAST)
    assert b"".join(message.get("body", b"") for message in sent) == b"onetwo"


@pytest.fixture(scope="module")
def spoken_url() -> Iterator[str]:
    routes = Starlette(routes=ROUTES, exception_handlers={Exception: failed})
    with serving(Languages(RequestLog(routes, body_seconds=0.05), offered())) as url:
        yield url


FAILED = "Something went wrong on the server. Try again; if that does not help, tell its operator."


def test_a_failed_request_is_answered_in_the_askers_language(spoken_url: str):
    for language, words in {"en": FAILED, "de": "Auf dem Server ist etwas schiefgegangen.", "sv": FAILED}.items():
        answer = httpx2.get(f"{spoken_url}/fails", headers={"Accept-Language": language})
        assert answer.status_code == 500
        assert answer.text.startswith(words)
        assert answer.headers["x-request-id"]


def test_a_failure_outside_of_all_routes_is_answered_in_words(caplog: pytest.LogCaptureFixture):
    with serving(Languages(RequestLog(fails), offered())) as url:
        answer = httpx2.get(url, headers={"Accept-Language": "de"})
    assert (answer.status_code, answer.text[:11]) == (500, "Auf dem Ser")
    assert "a request failed" in caplog.messages


def test_a_missing_body_is_refused_in_the_senders_language(spoken_url: str):
    address = urlsplit(spoken_url)
    head = f"POST / HTTP/1.1\r\nHost: {address.netloc}\r\nAccept-Language: de\r\nContent-Length: 4\r\n\r\n"
    with socket.create_connection((address.hostname, address.port), timeout=TIMEOUT) as connection:
        connection.sendall(head.encode())
        with connection.makefile("rb") as response:
            answer = response.read().decode()
    assert answer.startswith("HTTP/1.1 408")
    assert answer.endswith("Das Senden wurde unterbrochen. Senden Sie erneut.")


BODY = bytes(range(256)) * 8192


class Reader:
    """A client of an ASGI app that takes messages one by one on demand."""

    def __init__(self, app: ASGIApp, path: str = "/whole", person: str = "me", language: str = "en") -> None:
        self.sent: list[int] = []
        self.body = b""
        self.status = 0
        self._reads, self._answered = asyncio.Event(), asyncio.Event()
        self._app = app
        self._scope: Scope = {
            "type": "http", "method": "GET", "path": path, "query_string": b"", PERSON: person,
            "headers": [(b"accept-language", language.encode())],
        }  # fmt: skip
        self.task = asyncio.create_task(self._ask())

    def read(self) -> None:
        """Take all messages from now on."""
        self._reads.set()

    async def until_answered(self) -> int:
        """The status of the response."""
        async with asyncio.timeout(TIMEOUT):
            await self._answered.wait()
        return self.status

    async def _ask(self) -> None:
        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                self.status = int(str(message["status"]))
                self._answered.set()
                return
            await self._reads.wait()
            body = message["body"]
            assert isinstance(body, bytes)
            self.sent.append(len(body))
            self.body += body

        await self._app(self._scope, _never, send)  # type: ignore[arg-type]


async def _never() -> Message:
    await asyncio.Event().wait()
    return {}


async def _silent(_: Message) -> None: ...


@asynccontextmanager
async def reading(**bounds: float) -> AsyncIterator[tuple[ASGIApp, list[Reader]]]:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield BODY

    # Threads would change the order of the answers.
    async def complete(_: Request) -> Response:
        return Response(BODY)

    async def stream(_: Request) -> Response:
        return StreamingResponse(pieces())

    routes = Starlette(routes=[Route("/whole", complete), Route("/stream", stream)])
    readers: list[Reader] = []
    yield Languages(Unread(routes, **bounds), offered()), readers  # type: ignore[arg-type]
    for reader in readers:
        reader.task.cancel()
    await asyncio.gather(*(reader.task for reader in readers), return_exceptions=True)


async def test_a_body_is_sent_whole_in_pieces():
    async with reading() as (app, _):
        for path, times in (("/whole", 1), ("/stream", 3)):
            reader = Reader(app, path)
            reader.read()
            async with counted_turns() as turns:
                await reader.task
            assert turns() >= times * len(BODY) // PIECE - 1
            assert reader.body == BODY * times
            assert max(reader.sent) <= PIECE


async def test_unread_bodies_are_few_and_a_further_one_is_refused_in_words():
    async with reading(of_person=3 * len(BODY)) as (app, readers):
        # Loading a catalogue in a thread would change the order.
        readers += [*(Reader(app) for _ in range(3)), Reader(app, language="de")]
        assert [await reader.until_answered() for reader in readers] == [200, 200, 200, 503]
        other = Reader(app, person="somebody else")
        readers.append(other)
        assert await other.until_answered() == 200
        readers[0].read()
        await readers[0].task
        readers.append(Reader(app))
        assert await readers[-1].until_answered() == 200
        readers[3].read()
        await readers[3].task
        assert "sind noch nicht gelesen" in readers[3].body.decode()
    for bounds, statuses in (({"of_all": 2 * len(BODY)}, [200, 200, 503]), ({"of_person": 1, "of_all": 1}, [200, 503])):
        async with reading(**bounds) as (app, readers):
            readers += [Reader(app, person=f"person {number}") for number in range(len(statuses))]
            assert [await reader.until_answered() for reader in readers] == statuses, "a body alone may be larger"


async def test_an_unread_response_is_cut_off():
    async with reading(seconds=0.05) as (app, readers):
        for path in ("/whole", "/stream"):
            reader = Reader(app, path)
            readers.append(reader)
            await asyncio.wait_for(asyncio.wait([reader.task]), TIMEOUT)
            assert reader.body == b""
        readers.append(Reader(app))
        assert await readers[-1].until_answered() == 200


async def test_a_closed_socket_ends_its_page_though_the_server_is_silent():
    told: list[Message] = []

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        hearing = asyncio.ensure_future(receive())
        with suppress(OSError):
            await send({"type": "websocket.close"})
        told.append(await hearing)

    async def fail(_: Message) -> None:
        raise OSError

    async with asyncio.timeout(TIMEOUT):
        for send in (_silent, fail):
            await SocketLimit(app)({"type": "websocket", PERSON: "me"}, _never, send)
    assert [message["type"] for message in told] == ["websocket.disconnect"] * 2


async def test_a_closed_socket_makes_room_for_another():
    opened = []

    async def app(*_: Any) -> None:
        opened.append("a socket")

    async def connecting() -> Message:
        return {"type": "websocket.connect"}

    limit = SocketLimit(app, at_once=1)
    for _ in range(3):
        await limit({"type": "websocket", PERSON: "me"}, connecting, _silent)
    assert len(opened) == 3


async def test_a_generator_is_closed_when_its_reader_leaves_in_mid_piece():
    closed = []
    on_its_way = asyncio.Event()

    async def pieces() -> AsyncGenerator[bytes, None]:
        try:
            yield b"piece"
        finally:
            closed.append("generator")

    async def close() -> None:
        closed.append("what it reads from")

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            on_its_way.set()
            await asyncio.Event().wait()

    async def receive() -> dict[str, str]:
        await on_its_way.wait()
        return {"type": "http.disconnect"}

    body = pieces()
    await asyncio.wait_for(Streamed(body, close=close)({"type": "http"}, receive, send), TIMEOUT)
    assert closed == ["generator", "what it reads from"]
