"""`record` and `replay`: loopback servers in front of an httpx2 transport, until Ctrl+C or SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

import httpx2
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from chat_ui.command_line.arguments import pinning
from chat_ui.command_line.ports import expect_free
from chat_ui.command_line.terminal import note, shown
from chat_ui.errors import PortNotFreeError
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.dialects.registry import described
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import header_for, path_of
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN, ReplayTransport
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import connection_error
from chat_ui.protocol.transport.guard import Guard, origin_of

STOPPED: Final = 0
UNUSABLE: Final = 2
HOST: Final = "127.0.0.1"
_OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OF_THE_CONNECTION: Final = frozenset(
    {b"connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
    | {b"proxy-connection", b"proxy-authenticate", b"proxy-authorization"}
)
"""Hop-by-hop headers (RFC 9110, 7.6.1)."""


def record(options: argparse.Namespace) -> int:
    """Serve until stopped, and return the exit status: 2 if serving or recording is impossible."""
    try:
        with Recorder(options.to, header_for(described(options.url)), on_failure=note) as recorder:
            asyncio.run(_pass_on(options, recorder))
        count = len(Recording.open(options.to).exchanges)
    except (RecordingError, PortNotFreeError) as problem:
        note(str(problem))
        return UNUSABLE
    print(shown(f"{'1 exchange is' if count == 1 else f'{count} exchanges are'} in {options.to}.", sys.stdout))
    return STOPPED


async def _pass_on(options: argparse.Namespace, recorder: Recorder) -> None:
    place = without_query(options.url)

    def welcome(origin: str) -> str:
        return f"Use {origin}{without_query(path_of(options.url))} in place of {place}. Recording to {options.to}."

    async with AsyncClient(guard=Guard(options.policy)) as client:
        http = pinning(client, options).with_transport(lambda inner: RecordingTransport(inner, recorder)).http
        app = PassingOn(origin_of(options.url), lambda request: http.send(request, stream=True))
        await serve_until_stopped(app, options.port, welcome)


def replay(options: argparse.Namespace) -> int:
    """Serve until stopped, and return the exit status: 2 if serving is impossible."""
    try:
        recording = Recording.open(options.file)
        transport = ReplayTransport(
            recording, speed=options.speed, longest_pause=options.longest_pause, strict=options.strict
        )
        app = PassingOn(RECORDED_ORIGIN, transport.handle_async_request)
        asyncio.run(serve_until_stopped(app, options.port, lambda origin: _of_recording(recording, origin)))
    except (RecordingError, PortNotFreeError) as problem:
        note(str(problem))
        return UNUSABLE
    return STOPPED


def _of_recording(recording: Recording, origin: str) -> str:
    backend, count = recording.header.backend, len(recording.exchanges)
    path = backend.path.partition("?")[0]
    named = f" of {backend.name or backend.address}" if backend.name or backend.address else ""
    exchanges = "1 exchange" if count == 1 else f"{count} exchanges"
    return f"Replaying {exchanges}{named}, recorded at {recording.header.created_at}, at {origin}{path}"


class PassingOn:
    """An ASGI app that forwards each request to `origin` through `answer`, and streams the response.

    A client's disconnect ends its request. A recorded response that never ended does not end either; a broken one is
    left unfinished, which servers turn into a broken connection. Requests must name this machine as the host, and come
    from programs and pages on it, against DNS rebinding.
    """

    def __init__(self, origin: str, answer: Callable[[httpx2.Request], Awaitable[httpx2.Response]]) -> None:
        self._origin = httpx2.URL(origin)
        self._send_on = answer
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        request = Request(scope, receive)
        if (refusal := _refusal(request)) is not None:
            await refusal(scope, receive, send)
            return
        passed = self._passed_on(request, await request.body())
        tasks = asyncio.create_task(self._answer(request, passed, send)), asyncio.create_task(_client_left(receive))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in tasks:
                one.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _passed_on(self, request: Request, body: bytes) -> httpx2.Request:
        """The forwarded request, with the backend's address instead of this server's."""
        query = request.scope["query_string"]
        return httpx2.Request(
            request.method,
            self._origin.copy_with(raw_path=request.scope["raw_path"] + (b"?" + query if query else b"")),
            headers=_between_ends(request.headers.raw, b"host", b"content-length", b"expect"),
            content=body,
            extensions={"timeout": {"connect": Bounds().connect_timeout}},
        )

    async def _answer(self, request: Request, passed: httpx2.Request, send: Send) -> None:
        try:
            response = await self._send_on(passed)
        except httpx2.ReadTimeout:
            await asyncio.Event().wait()
            return
        except RecordingError as error:
            await _error(500, str(error), "recording")(request.scope, request.receive, send)
            return
        except (httpx2.TransportError, OSError) as error:
            await _error(502, *_why(error, str(passed.url)))(request.scope, request.receive, send)
            return
        headers = [(name.lower(), self._led_here(name, value, request)) for name, value in response.headers.raw]
        start = {"status": response.status_code, "headers": _between_ends(headers)}
        try:
            await send({"type": "http.response.start", **start})
            async for data in response.aiter_raw():
                await send({"type": "http.response.body", "body": data, "more_body": True})
        except httpx2.ReadTimeout:
            await asyncio.Event().wait()
        except (httpx2.TransportError, RecordingError):
            return
        finally:
            await response.aclose()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _led_here(self, name: bytes, value: bytes, request: Request) -> bytes:
        """The value of a response header, with this server's address instead of the backend's."""
        address = value.decode("latin-1")
        is_address = name.lower() in {b"location", b"content-location"}
        if not is_address or origin_of(address) != origin_of(str(self._origin)):
            return value
        return urlsplit(address)._replace(scheme="http", netloc=request.url.netloc).geturl().encode("latin-1")


@asynccontextmanager
async def running(app: PassingOn, port: int) -> AsyncIterator[str]:
    """Serve `app` on `port`, and yield its origin; all connections are closed at the end."""
    config = uvicorn.Config(app, lifespan="off", ws="none", log_level="critical", timeout_graceful_shutdown=0)
    config.server_header = config.date_header = False
    server = _Server(config)
    with socket.create_server((HOST, port)) as listener:
        serving = asyncio.create_task(server.serve([listener]))
        try:
            yield f"http://{HOST}:{port}"
        finally:
            server.should_exit = True
            await serving
            await app.end()


class _Server(uvicorn.Server):
    """Leaves signals to its caller, so that the process ends with the status of the command. Granian is unsuitable:
    embedded, its thread may need Python's lock while the process ends, which aborts.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_until_stopped(app: PassingOn, port: int, welcome: Callable[[str], str]) -> None:
    """Serve on `port`, print `welcome` of the origin, and return once the process is told to stop.

    Raises:
        PortNotFreeError: the port is in use or forbidden.
    """
    expect_free(HOST, port)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with running(app, port) as origin:
        # The reader, such as a service manager, may have closed its pipe.
        with suppress(OSError):
            print(shown(f"{welcome(origin)}\nPress Ctrl+C to stop.", sys.stdout), flush=True)
        await stopped.wait()


async def _client_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _refusal(request: Request) -> Response | None:
    """The response to a request that is not forwarded, or None."""
    page = request.headers.get("origin")
    if page is not None and not _is_own(page.partition("://")[2]):
        return _error(403, "Pages of other machines cannot use this server.", "not_here")
    if not _is_own(request.headers.get("host", "localhost")):
        return _error(421, "This server only answers to localhost and 127.0.0.1.", "not_here")
    return None


def _why(error: Exception, url: str) -> tuple[str, str]:
    """The reason for a missing response, in words, and its code."""
    if url.startswith(f"{RECORDED_ORIGIN}/"):
        is_reached = not isinstance(error, httpx2.ConnectError)
        ended = "the connection ended before an answer came" if is_reached else "the backend could not be reached"
        return f"In the recording, {ended}.", "unreachable"
    found = connection_error(error, url, Bounds())
    return found.message, found.code or "unreachable"


def _error(status: int, words: str, code: str) -> Response:
    return JSONResponse({"error": {"message": words, "code": code}}, status)


def _is_own(host: str) -> bool:
    """Whether a host, with an optional port, is a name of this machine."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name in _OWN_NAMES or name.endswith(".localhost")


def _between_ends(headers: list[tuple[bytes, bytes]], *left_out: bytes) -> list[tuple[bytes, bytes]]:
    """The end-to-end headers in lower case, without `left_out`."""
    named = {word.strip().lower() for name, value in headers if name == b"connection" for word in value.split(b",")}
    hidden = _OF_THE_CONNECTION.union(named, left_out)
    return [(name, value) for name, value in headers if name not in hidden]
