"""A small HTTP server on loopback that hands each request to a transport of httpx and its answer back as it comes.

Common servers gather what an answer is written in, and end it in one way. Here each reading of the answer becomes one
chunk of HTTP at once, and a connection that was cut or reset is cut or reset for the client too. h11 reads and writes
HTTP/1.1; this module has the sockets and the bounds.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, Literal, NoReturn, TypeAlias
from urllib.parse import urlsplit

import h11
import httpx

from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.connection_errors import connection_error
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.recordings.player import NotReachedError
from chat_ui.recordings.recording_format import RecordingError

HOST: Final = "127.0.0.1"
Send: TypeAlias = Callable[[httpx.Request], Awaitable[httpx.Response]]
"""Answers a request with a response that is not read yet; raises httpx's errors."""

_OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_OF_THE_CONNECTION: Final = frozenset(
    {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
    | {"proxy-connection", "proxy-authenticate", "proxy-authorization"}
)
"""Headers that are meant for the next machine alone (RFC 9110, 7.6.1)."""
_NOT_SENT_ON: Final = frozenset({"host", "content-length", "expect"})
_READ: Final = 64 * 1024
_TURNED_AWAY_WITHIN: Final = 5.0
_LINGER_NONE: Final = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class ServerBounds:
    """Bytes of the head and the body of a request, seconds in which a request, or the next piece of its body, has to
    come, and connections at once.
    """

    head: int = 64 * 1024
    body: int = 64 * 1024 * 1024
    seconds: float = 60.0
    connections: int = 256


_BOUNDS: Final = ServerBounds()


class _RefusedError(Exception):
    """A request is not sent on; the words are for the person."""

    def __init__(self, status: int, words: str, code: str) -> None:
        super().__init__(words)
        self.status = status
        self.code = code


class LoopbackServer:
    """Passes each request on to `origin` through `send`.

    Nobody waits for another. A client that leaves ends its request, and an answer for which the client that was
    recorded had waited in vain is never ended. Only requests to a name of this machine are taken, and from programs and
    pages of this machine alone, as a page of the web may ask here and lead another name here.
    """

    def __init__(self, origin: str, send: Send, bounds: ServerBounds = _BOUNDS) -> None:
        self._origin = httpx.URL(origin)
        self._send = send
        self._bounds = bounds
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self, port: int) -> AsyncIterator[int]:
        """Serve on `port`, 0 for any that is free, and give it; all connections are closed at the end.

        Raises:
            OSError: the port cannot be had.
        """
        server = await asyncio.start_server(self._serve, HOST, port, limit=_READ)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._tasks) >= self._bounds.connections:
            writer.close()
            return
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # What is written has left this process before anything follows, as a reset takes back what has not.
        writer.transport.set_write_buffer_limits(0)
        try:
            await _Connection(reader, writer, self._origin, self._send, self._bounds).serve()
        except (OSError, TimeoutError, asyncio.CancelledError):
            return
        finally:
            writer.close()


class _Connection:
    """The requests of one client, one after the other."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        origin: httpx.URL,
        send: Send,
        bounds: ServerBounds,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._origin = origin
        self._send = send
        self._bounds = bounds
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=bounds.head)
        self._own = ""
        """The origin that the client used."""

    async def serve(self) -> None:
        while await self._exchange():
            self._http.start_next_cycle()

    async def _exchange(self) -> bool:
        """Answer one request; whether another can follow."""
        try:
            request = await self._request()
        except h11.RemoteProtocolError as error:
            words = msg("This is no request of HTTP/1.1 that can be read.")
            await self._turn_away(_RefusedError(error.error_status_hint, words, "bad_request"))
            return False
        except _RefusedError as error:
            await self._turn_away(error)
            return False
        if request is None:
            return False
        answering = asyncio.create_task(self._answer(request))
        leaving = asyncio.create_task(self._client_left())
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            has_ended = answering.done()
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
        if not has_ended:
            return False
        ending = answering.result()
        if ending == "reset":
            self._reset()
        return ending == "end" and self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _request(self) -> httpx.Request | None:
        """The next request with its whole body; None where the client has none."""
        async with asyncio.timeout(self._bounds.seconds):
            event = await self._next_event()
        if not isinstance(event, h11.Request):
            return None
        body: list[bytes] = []
        size = 0
        while True:
            async with asyncio.timeout(self._bounds.seconds):
                following = await self._next_event()
            if isinstance(following, h11.EndOfMessage):
                break
            if not isinstance(following, h11.Data):
                return None
            size += len(following.data)
            if size > self._bounds.body:
                most = in_words(self._bounds.body)
                words = msg("The request is too large: {most} are taken.", most=most)
                raise _RefusedError(413, words, "too_large")
            body.append(bytes(following.data))
        return self._sent_on(event, b"".join(body))

    async def _next_event(self) -> h11.Event | None:
        """What the client sends next; None where nothing more can be read."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._write(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._reader.read(_READ))
        return event if isinstance(event, h11.Event) else None

    def _sent_on(self, event: h11.Request, body: bytes) -> httpx.Request:
        """The request as it goes to the backend, whose address takes the place of this server's."""
        headers = [(bytes(name), bytes(value)) for name, value in event.headers]
        host = next((value.decode("ascii", "replace") for name, value in headers if name == b"host"), "localhost")
        page = next((value.decode("ascii", "replace") for name, value in headers if name == b"origin"), None)
        if not _is_own(host) or (page is not None and not _is_own(page.partition("://")[2])):
            words = msg("This server answers to localhost and 127.0.0.1 alone.")
            raise _RefusedError(421 if page is None else 403, words, "not_here")
        self._own = f"http://{host}"
        target = bytes(event.target)
        if not target.startswith(b"/"):
            parts = urlsplit(target.decode("ascii", "replace"))
            if parts.scheme != "http" or not _is_own(parts.netloc):
                raise _RefusedError(400, msg("The address of a request begins with a slash."), "bad_request")
            target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}".encode()
        try:
            return httpx.Request(
                event.method.decode(),
                self._origin.copy_with(raw_path=target),
                headers=[*_between_ends(headers, _NOT_SENT_ON)],
                content=body,
                extensions={"timeout": {"connect": Bounds().connect}},
            )
        except httpx.InvalidURL as error:
            words = msg("The address of the request cannot be read.")
            raise _RefusedError(400, words, "bad_request") from error

    async def _answer(self, request: httpx.Request) -> Literal["end", "cut", "reset"]:
        """Answer a request, and say how the connection goes on."""
        try:
            response = await self._send(request)
        except httpx.ReadTimeout:
            await _for_ever()
        except (httpx.ReadError, httpx.WriteError):
            return "reset"
        except httpx.RemoteProtocolError:
            return "cut"
        except RecordingError as error:
            return await self._refuse(_RefusedError(500, str(error), "recording"))
        except (httpx.TransportError, OSError) as error:
            if isinstance(error.__cause__, NotReachedError):
                words = msg("In the recording, the backend could not be reached.")
                return await self._refuse(_RefusedError(502, words, "unreachable"))
            found = connection_error(error, str(request.url), Bounds())
            return await self._refuse(_RefusedError(502, found.message, found.code or "unreachable"))
        try:
            return await self._pass_on(response)
        finally:
            await response.aclose()

    async def _pass_on(self, response: httpx.Response) -> Literal["end", "cut", "reset"]:
        headers = [(name, self._led_here(name, value)) for name, value in response.headers.raw]
        try:
            await self._write(
                h11.Response(status_code=response.status_code, headers=[*_between_ends(headers, frozenset())])
            )
            async for data in response.aiter_raw():
                await self._write(h11.Data(data=data))
            await self._write(h11.EndOfMessage())
        except httpx.ReadTimeout:
            await _for_ever()
        except (httpx.ReadError, httpx.WriteError):
            return "reset"
        except (httpx.TransportError, h11.LocalProtocolError, RecordingError):
            return "cut"
        return "end"

    def _led_here(self, name: bytes, value: bytes) -> bytes:
        """The value of a header; an address of the backend is this server's."""
        if name.lower() not in {b"location", b"content-location"}:
            return value
        address = value.decode("latin-1")
        if origin_of(address) != origin_of(str(self._origin)):
            return value
        parts = urlsplit(address)
        return parts._replace(scheme="http", netloc=self._own.removeprefix("http://")).geturl().encode("latin-1")

    async def _refuse(self, error: _RefusedError) -> Literal["end", "cut"]:
        """Answer with an error of this server's own."""
        if self._http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            return "cut"
        body = json.dumps({"error": {"message": str(error), "code": error.code}}, ensure_ascii=False).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        await self._write(h11.Response(status_code=error.status, headers=headers))
        # h11 knows of no body where it could not read the request.
        with suppress(h11.LocalProtocolError):
            await self._write(h11.Data(data=body))
            await self._write(h11.EndOfMessage())
        return "end"

    async def _turn_away(self, error: _RefusedError) -> None:
        """Answer a request with an error, and read what is still sent of it: a client that writes reads no answer."""
        await self._refuse(error)
        self._writer.write_eof()
        async with asyncio.timeout(_TURNED_AWAY_WITHIN):
            while await self._reader.read(_READ):
                pass

    async def _write(self, event: h11.InformationalResponse | h11.Response | h11.Data | h11.EndOfMessage) -> None:
        if data := self._http.send(event):
            self._writer.write(data)
            await self._writer.drain()

    async def _client_left(self) -> None:
        """Return when the client has closed its side; what it sends meanwhile belongs to its next request."""
        ahead = 0
        with suppress(OSError):
            while data := await self._reader.read(_READ):
                self._http.receive_data(data)
                ahead += len(data)
                if ahead > self._bounds.head:
                    await _for_ever()

    def _reset(self) -> None:
        connection: socket.socket = self._writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NONE)
        self._writer.transport.abort()


async def _for_ever() -> NoReturn:
    """Wait until the client leaves."""
    while True:
        await asyncio.Event().wait()


def _is_own(host: str) -> bool:
    """Whether a host, perhaps with its port, is a name of this machine."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name in _OWN_NAMES or name.endswith(".localhost")


def _between_ends(headers: Iterable[tuple[bytes, bytes]], left_out: frozenset[str]) -> Iterable[tuple[bytes, bytes]]:
    """The headers that both ends are meant to see, without `left_out`."""
    pairs = [(name.decode("latin-1").lower(), name, value) for name, value in headers]
    named = {
        word.strip().lower()
        for lower, _, value in pairs
        if lower == "connection"
        for word in value.decode("latin-1").split(",")
    }
    for lower, name, value in pairs:
        if lower not in _OF_THE_CONNECTION and lower not in named and lower not in left_out:
            yield name, value
