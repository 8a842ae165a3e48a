"""The server that records and replays, over HTTP: bytes, times and ends of answers."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from chat_ui.features.recordings.loopback import PassingOn, running
from chat_ui.protocol.recordings.file_recorder import RecordingTransport
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN, ReplayTransport
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Guard
from tests.app import free_port
from tests.protocol.recordings.taping import played, recorder
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines
from tests.timeouts import TIMEOUT

A, B = lines({"delta": {"content": "One "}}), lines({"delta": {"content": "pair."}})
PDF = {"Content-Type": "application/pdf"}


class Got(NamedTuple):
    """An answer as received over a connection."""

    head: str
    pieces: list[bytes]
    """The chunks of the body, or the whole body if it is not chunked."""
    ending: str

    @property
    def status(self) -> int:
        return int(self.head.split(" ", 2)[1])

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    @property
    def problem(self) -> str:
        return str(json.loads(self.body)["error"]["message"])

    def header(self, name: str) -> str | None:
        pairs = (line.partition(": ") for line in self.head.split("\r\n")[1:])
        return next((value for key, _, value in pairs if key.lower() == name), None)


def question(words: str, origin: str, **headers: str) -> bytes:
    body = json.dumps({"messages": [{"role": "user", "content": words}]}).encode()
    named = {"Host": origin.removeprefix("http://"), "Content-Type": "application/json", **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"POST /chat HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def sent(origin: str, request: bytes, timeouts: float = TIMEOUT) -> Got:
    """The response to a request, up to the end of its connection or body."""
    reader, writer = await connected(origin)
    head, pieces = "", list[bytes]()
    try:
        writer.write(request)
        async with asyncio.timeout(timeouts):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip()
            got = Got(head, pieces, "end")
            if (length := got.header("content-length")) is not None:
                while sum(map(len, pieces)) < int(length):
                    if not (data := await reader.read(int(length))):
                        return got._replace(ending="cut")
                    pieces.append(data)
            elif got.header("transfer-encoding") == "chunked":
                while size := int(await reader.readuntil(b"\r\n"), 16):
                    pieces.append((await reader.readexactly(size + 2))[:-2])
    except asyncio.IncompleteReadError:
        return Got(head, pieces, "cut")
    except ConnectionResetError:
        return Got(head, pieces, "reset")
    except TimeoutError:
        return Got(head, pieces, "nothing came")
    else:
        return got
    finally:
        writer.close()


@asynccontextmanager
async def recording_server(path: Path, backend: str, policy: Guard | None = None) -> AsyncIterator[str]:
    """The origin of a server that forwards to `backend`, and records to `path`."""
    with recorder(path) as opened:
        async with AsyncClient(guard=policy or Guard()) as client:
            http = client.with_transport(lambda inner: RecordingTransport(inner, opened)).http
            app = PassingOn(backend, lambda request: http.send(request, stream=True))
            async with running(app, free_port()) as origin:
                yield origin


@asynccontextmanager
async def replaying_server(path: Path) -> AsyncIterator[str]:
    """The origin of a server that replays `path` without waiting."""
    transport = ReplayTransport(Recording.open(path), speed=inf)
    async with running(PassingOn(RECORDED_ORIGIN, transport.handle_async_request), free_port()) as origin:
        yield origin


async def both(path: Path, backend: str) -> tuple[Got, Got]:
    """The answers to a question live and from its recording."""
    async with recording_server(path, backend) as origin:
        through = await sent(origin, question("Who?", origin))
    async with replaying_server(path) as origin:
        return through, await sent(origin, question("who? ", origin))


FAULTS: dict[str, Reply] = {
    "an answer": Reply([A, 0.02, B]),
    "an answer with its length": Reply([A, 0.02, B], length=True),
    "a cut": Reply([A, 0.02, B], end="abrupt"),
    "a reset": Reply([A, 0.02, B], end="rst"),
    "damage": Reply([A, 0.02, b'{"delta": {"content"\n', b"\xff\xfe\n", B]),
    "an error": Reply([lines({"error": {"message": "No quota.", "code": "quota"}})], 429, {"Retry-After": "7"}),
    "no content": Reply([], 204, {}),
    "a document": Reply([bytes(range(256)) * 300, 0.02, b"%%EOF"], 200, PDF, length=True),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_forwarded_answer_is_unchanged_and_replayed_alike(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    async with StandIn(FAULTS[fault]).running() as stand_in:
        live = await sent(stand_in.url, question("Who?", stand_in.url))
        through, again = await both(path, stand_in.url)
    ending = "end" if live.ending == "end" else "cut"
    assert [(one.body, one.ending) for one in (through, again)] == [(live.body, ending)] * 2
    for name in ("content-type", "content-length", "retry-after"):
        assert {one.header(name) for one in (live, through, again)} == {live.header(name)}
    assert {one.status for one in (live, through, again)} == {live.status}
    assert again.header("chat-ui-recorded")
    if again.header("transfer-encoding"):
        assert through.pieces == again.pieces == await played(Recording.open(path))


@pytest.mark.parametrize("end", ["abrupt", "rst"])
async def test_a_connection_that_ended_before_an_answer_is_told(end: Literal["abrupt", "rst"], tmp_path: Path) -> None:
    async with StandIn(Reply(before_headers=True, end=end)).running() as stand_in:
        through, again = await both(tmp_path / "a.jsonl", stand_in.url)
    assert (through.status, again.status) == (502, 502)
    assert "was closed before the backend sent an answer" in through.problem
    assert again.problem == "In the recording, the connection ended before an answer came."


async def test_a_client_without_an_answer_waits_again_in_the_replay(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    asked = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"Who?")
        asked.set()
        await reader.read()

    silent = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    async with silent, recording_server(path, f"http://127.0.0.1:{silent.sockets[0].getsockname()[1]}") as origin:
        waiting = asyncio.create_task(sent(origin, question("Who?", origin)))
        await asyncio.wait_for(asked.wait(), TIMEOUT)
        waiting.cancel()
        await asyncio.wait([waiting])
    async with replaying_server(path) as origin:
        again = await sent(origin, question("Who?", origin), timeouts=0.3)
    assert again.ending == "nothing came"


async def connected(origin: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", int(origin.rpartition(":")[2]))


async def test_each_piece_is_forwarded_at_once_and_clients_are_independent(tmp_path: Path) -> None:
    more = asyncio.Event()
    async with (
        StandIn(Reply([A, more, B])).running() as stand_in,
        recording_server(tmp_path / "a.jsonl", stand_in.url) as origin,
    ):
        clients = [await connected(origin) for _ in range(2)]
        async with asyncio.timeout(TIMEOUT):
            for _, writer in clients:
                writer.write(question("Who?", origin))
            for reader, _ in clients:
                await reader.readuntil(A)
            more.set()
            for reader, writer in clients:
                await reader.readuntil(B)
                writer.close()


async def test_the_backend_gets_its_own_host_and_no_connection_headers(tmp_path: Path) -> None:
    def reply(request: Received) -> Reply:
        here = f"http://{request.headers['host']}/chat/stream?x=1#part"
        if request.path == "/chat":
            return Reply([], 307, {"Location": here, "Connection": "x-hop", "X-Hop": "1", "X-End": "2"})
        return Reply([], 302, {"Location": "https://elsewhere.example/x"})

    async with StandIn(reply).running() as stand_in, recording_server(tmp_path / "a.jsonl", stand_in.url) as origin:
        private = {"Connection": "keep-alive, X-Private", "X-Private": "1", "Keep-Alive": "5", "X-Kept": "2"}
        got = await sent(origin, question("Who?", origin, **private))
        elsewhere = await sent(origin, question("Who?", origin).replace(b"/chat", b"/login"))
    assert got.header("location") == f"{origin}/chat/stream?x=1#part"
    assert (got.header("x-hop"), got.header("x-end")) == (None, "2")
    assert elsewhere.header("location") == "https://elsewhere.example/x"
    asked = stand_in.requests[0].headers
    assert asked["host"] == stand_in.url.removeprefix("http://")
    assert asked["x-kept"] == "2"
    assert not {"x-private", "keep-alive"} & asked.keys()


async def test_two_requests_share_a_connection(tmp_path: Path) -> None:
    async with (
        StandIn(Reply([A])).running() as stand_in,
        recording_server(tmp_path / "a.jsonl", stand_in.url) as origin,
    ):
        reader, writer = await connected(origin)
        async with asyncio.timeout(TIMEOUT):
            head, _, body = question("First?", origin, Expect="100-continue").partition(b"\r\n\r\n")
            writer.write(head + b"\r\n\r\n")
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(body)
            assert A in await reader.readuntil(b"\r\n0\r\n\r\n")
            # The second and the third together, ahead of the answer.
            writer.write(question("Second?", origin) + question("Third?", origin))
            for _ in range(2):
                assert A in await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()
    asked = [received.json["messages"][0]["content"] for received in stand_in.requests]
    assert asked == ["First?", "Second?", "Third?"]


async def test_a_leaving_client_ends_its_request(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    async with StandIn(Reply([A, inf])).running() as stand_in, recording_server(path, stand_in.url) as origin:
        reader, writer = await connected(origin)
        writer.write(question("Who?", origin))
        async with asyncio.timeout(TIMEOUT):
            await reader.readuntil(A)
            writer.close()
            await stand_in.requests[0].left.wait()
    (exchange,) = Recording.open(path).exchanges
    assert exchange.how == "stopped"


async def test_a_local_page_is_answered_and_a_foreign_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    async with StandIn(Reply([A])).running() as stand_in, recording_server(path, stand_in.url) as origin:
        assert (await sent(origin, question("Who?", origin, Origin="http://localhost:5173"))).body == A
    async with replaying_server(path) as origin:
        for request, status in (
            (question("Who?", "http://rebound.example:80"), 421),
            (question("Who?", origin, Origin="https://pages.example"), 403),
            (question("Who?", origin, Origin="null"), 403),
        ):
            got = await sent(origin, request)
            assert (got.status, got.problem[-1]) == (status, ".")
            assert (await sent(origin, question("Who?", origin))).body == A


async def test_an_unreachable_or_forbidden_backend_is_told(tmp_path: Path) -> None:
    gone, again = await both(tmp_path / "a.jsonl", "http://127.0.0.1:1")
    async with (
        StandIn(Reply([A])).running() as stand_in,
        recording_server(tmp_path / "b.jsonl", stand_in.url, Guard("public")) as origin,
    ):
        refused = await sent(origin, question("Who?", origin))
    assert "the connection was refused" in gone.problem
    assert again.problem == "In the recording, the backend could not be reached."
    assert "not allowed to call" in refused.problem
    assert [one.status for one in (gone, again, refused)] == [502] * 3
    assert stand_in.requests == []
