"""A backend that sends literal bytes: in pieces, with pauses, and with the endings of real networks."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from tests.stand_ins.connections import accepting

JSON_LINES = {"Content-Type": "application/jsonl"}


@dataclass(frozen=True)
class Reply:
    """The response to a request.

    `writes` are pieces of the body sent one at a time, pauses in seconds (`float("inf")`: until the client leaves), and
    events to wait for. `end` is `clean`, `abrupt` (a chunked body without its end) or `rst`. `before_headers` puts the
    end before any byte. `length` sends Content-Length in place of chunks.
    """

    writes: Sequence[bytes | float | asyncio.Event] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: JSON_LINES)
    end: Literal["clean", "abrupt", "rst"] = "clean"
    before_headers: bool = False
    length: bool = False


def lines(*values: object) -> bytes:
    """The values as JSON lines."""
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


@dataclass
class Received:
    """A request as received, and the end of its connection."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client closed the connection before the reply was over."""
    connection: int = 0

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class StandIn:
    """Answers each request with `reply`, a Reply or a function of the request, which may be changed. Unless it
    `has_config`, GET of /config is refused and not counted.
    """

    def __init__(self, reply: Reply | Callable[[Received], Reply], *, has_config: bool = False) -> None:
        self.reply = reply
        self.has_config = has_config
        self.requests: list[Received] = []
        self.url = ""
        self.arrived = asyncio.Event()
        self._connections = 0

    @asynccontextmanager
    async def running(self, ssl: Any = None, port: int = 0) -> AsyncIterator[StandIn]:
        async with accepting(self._serve, port, tls=ssl) as found:
            self.url = f"{'https' if ssl else 'http'}://127.0.0.1:{found}"
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        number = self._connections
        while await self._answer(reader, writer, number):
            pass

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "GET" and path.endswith("/config") and not self.has_config:
            await self._send(Reply(status=404), reader, writer)
            return True
        received = Received(method, path, headers, body, connection=number)
        self.requests.append(received)
        self.arrived.set()
        reply = self.reply if isinstance(self.reply, Reply) else self.reply(received)
        if reply.before_headers:
            return self._reset(writer) if reply.end == "rst" else False
        try:
            await self._send(reply, reader, writer)
        except OSError:
            received.left.set()
            raise
        if reply.end == "rst":
            return self._reset(writer)
        return reply.end == "clean"

    @staticmethod
    def _reset(writer: asyncio.StreamWriter) -> bool:
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return False

    async def _send(self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pieces = [piece for piece in reply.writes if isinstance(piece, bytes)]
        framing = f"Content-Length: {sum(map(len, pieces))}" if reply.length else "Transfer-Encoding: chunked"
        named = [f"{name}: {value}" for name, value in reply.headers.items()]
        writer.write("\r\n".join([f"HTTP/1.1 {reply.status} Status", *named, framing, "", ""]).encode())
        for piece in reply.writes:
            if isinstance(piece, bytes):
                writer.write(piece if reply.length else b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
            elif isinstance(piece, asyncio.Event):
                await piece.wait()
            elif await self._left_within(reader, piece):
                raise ConnectionResetError
        if reply.end == "clean" and not reply.length:
            writer.write(b"0\r\n\r\n")
        await writer.drain()

    @staticmethod
    async def _left_within(reader: asyncio.StreamReader, seconds: float) -> bool:
        """Whether the client closed the connection within `seconds` without data."""
        try:
            async with asyncio.timeout(None if seconds == float("inf") else seconds):
                return await reader.read(1) == b""
        except TimeoutError:
            return False


class Runnable(Protocol):
    """A server for the duration of a context."""

    def running(self, **options: Any) -> AbstractAsyncContextManager[object]: ...


_Running = TypeVar("_Running", bound=Runnable)


@contextmanager
def in_thread(stand_in: _Running, **options: Any) -> Iterator[_Running]:
    """Run `stand_in` with these options on a loop in a thread, for synchronous tests."""
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        async with stand_in.running(**options):
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    ready.wait(60)
    try:
        yield stand_in
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(60)
        loop.close()
