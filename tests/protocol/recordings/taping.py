"""Helpers to record a stand-in and to replay a file."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from math import inf
from pathlib import Path

from chat_ui.protocol.answers.redaction import Secrets
from chat_ui.protocol.backends.backend import Backend, Bounds, ChatRequest
from chat_ui.protocol.events import Event, Recorded, Timing
from chat_ui.protocol.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.protocol.recordings.recording import RecordedExchange, Recording
from chat_ui.protocol.recordings.recording_format import Ending, Exchange, Header, Reading, RecordedBackend
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN, ReplayTransport
from chat_ui.protocol.recordings.request_facts import RequestFacts, request_facts
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, QUESTION
from tests.stand_ins.stand_in import Received, Reply, StandIn

HEADER = Header("2026-11-20T09:30:00+00:00", RecordedBackend("Plans", "https://plans.example", "/chat"))
FACTS = request_facts("POST", "https://plans.example/chat", {"content-type": "application/json"}, b"{}")
RECORDED_BACKEND = Backend(f"{RECORDED_ORIGIN}/chat")
NOTHING_SECRET = RequestFacts(Exchange(0, "", "GET", "/"), Secrets({}))


def fail(words: str) -> None:
    raise AssertionError(words)


@contextmanager
def recorder(path: Path, on_failure: Callable[[str], None] = fail) -> Iterator[Recorder]:
    with Recorder(path, HEADER, on_failure=on_failure) as opened:
        yield opened


def answered(
    opened: Recorder, facts: RequestFacts, headers: Mapping[str, str], body: bytes = b"", status: int = 200
) -> None:
    """Record an answer that came and ended at once."""
    taking = opened.begin(facts)
    taking.answered(status, headers, 0)
    if body:
        taking.reading(0, body)
    taking.ended(0, "end")


def taped(path: Path, pieces: Iterable[bytes], facts: RequestFacts = FACTS) -> Recording:
    """A recording of one answer in these pieces, a hundredth of a second apart."""
    with recorder(path) as opened:
        taking = opened.begin(facts)
        taking.answered(200, {"Content-Type": "application/jsonl"}, 0.01)
        seconds = 0.01
        for seconds, piece in enumerate(pieces, 1):
            taking.reading(seconds / 100, piece)
        taking.ended(seconds / 100 + 0.01, "end")
    return Recording.open(path)


async def items(recording: Recording, exchange: RecordedExchange | None = None) -> list[Reading | Ending]:
    return [item async for item in recording.readings(exchange or recording.exchanges[0])]


async def played(recording: Recording, exchange: RecordedExchange | None = None) -> list[bytes]:
    return [item.data for item in await items(recording, exchange) if isinstance(item, Reading)]


@asynccontextmanager
async def recording_client(
    path: Path, reply: Reply | Callable[[Received], Reply], bounds: Bounds = PATIENT
) -> AsyncIterator[tuple[StandIn, AsyncClient]]:
    """A stand-in, and a client that records to `path`."""
    async with StandIn(reply).running() as stand_in, AsyncClient(bounds) as client:
        with recorder(path) as opened:
            yield stand_in, client.with_transport(lambda inner: RecordingTransport(inner, opened))


def replaying(
    client: AsyncClient, recording: Recording, *, speed: float = inf, strict: bool = False, nth: int | None = None
) -> AsyncClient:
    """A client that replays `recording` without waiting."""
    return client.with_transport(lambda _: ReplayTransport(recording, speed=speed, nth=nth, strict=strict))


async def events_of(client: AsyncClient, backend: Backend, request: ChatRequest = QUESTION) -> list[Event]:
    """The events of an answer without their times."""
    return [one async for one in client.stream(backend, request) if not isinstance(one, Timing | Recorded)]


async def live_and_replayed(path: Path, reply: Reply | Callable[[Received], Reply]) -> tuple[list[Event], list[Event]]:
    """The events of an answer live, and from its recording."""
    async with recording_client(path, reply) as (stand_in, client):
        live = await events_of(client, Backend(stand_in.url + "/chat"))
    async with AsyncClient(PATIENT) as client:
        return live, await events_of(replaying(client, Recording.open(path)), RECORDED_BACKEND)
