"""A recorded answer is replayed with equal bytes and events, without a network."""

import asyncio
import gzip
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import pytest

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.registry import DIALECTS
from chat_ui.protocol.documents.document_fetch import fetch_document
from chat_ui.protocol.documents.document_urls import named_document
from chat_ui.protocol.events import CutOff, DialectDetected, Event, Failed, Recorded, TextDelta
from chat_ui.protocol.recordings.file_recorder import RecordingTransport
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import json_line
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN
from chat_ui.protocol.transport.client import AsyncClient
from tests.certificates import Server
from tests.made_sets import thinned
from tests.protocol.asking import PATIENT, QUESTION, CountedPace
from tests.protocol.recorded import RECORDED
from tests.protocol.recordings.taping import (
    HEADER,
    RECORDED_BACKEND,
    events_of,
    live_and_replayed,
    played,
    recorder,
    recording_client,
    replaying,
)
from tests.protocol.streams import STREAMS
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

TYPES = {"sse": "text/event-stream", "lines": "application/jsonl", "json": "application/json"}
A, B = lines({"delta": {"content": "One "}}), lines({"delta": {"content": "pair."}})
FOREVER = inf
_TOOL = {"role": "tool", "content": json.dumps({"citations": [{"content": "One pair.", "filepath": "a.pdf"}]})}
_CHUNK = {"object": "extensions.chat.completion.chunk"}
OTHERS: dict[str, bytes] = {
    "ollama": lines({"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"content": "A"}, "done": False}),
    "sample-app": lines(
        {"choices": [{"messages": [_TOOL, {"role": "assistant", "content": "One [doc1]."}]}], "history_metadata": {}}
    ),
    "on-your-data": lines(
        {**_CHUNK, "choices": [{"index": 0, "delta": {"context": {"citations": [], "intent": "[]"}}}]},
        {**_CHUNK, "choices": [{"index": 0, "delta": {"content": "One pair."}}]},
    ),
}
"""Answers of dialects without recorded ones."""
BODIES: dict[str, tuple[str, bytes]] = {
    **{name: (TYPES[name.rpartition(".")[2]], body) for name, body in RECORDED.items()},
    **{name: (TYPES["lines"], body) for name, (_, body) in STREAMS.items()},
    **{name: (TYPES["lines"], body) for name, body in OTHERS.items()},
}
"""Answers of every dialect, each with its media type."""


@pytest.mark.parametrize("name", thinned([*BODIES], one_in=12))
async def test_every_answer_is_replayed_with_equal_bytes_and_events(name: str, tmp_path: Path) -> None:
    media_type, body = BODIES[name]
    size = max(1, len(body) // 7)
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    live, replayed = await live_and_replayed(tmp_path / "a.jsonl", Reply(pieces, headers={"Content-Type": media_type}))
    assert replayed == live
    assert live
    if name in OTHERS:
        assert DialectDetected(name) in live
    recording = Recording.open(tmp_path / "a.jsonl")
    (exchange,) = recording.exchanges
    assert b"".join(await played(recording, exchange)) == body
    assert exchange.question == "Who pays for glasses?"


async def answer_from(path: Path) -> Answer:
    async with AsyncClient(PATIENT) as client:
        return await replaying(client, Recording.open(path)).ask(RECORDED_BACKEND, QUESTION)


async def first_event(path: Path) -> Event:
    async with AsyncClient(PATIENT) as client:
        return await anext(aiter(replaying(client, Recording.open(path)).stream(RECORDED_BACKEND, QUESTION)))


def test_there_are_answers_of_every_dialect() -> None:
    of_streams = {dialect for dialect, _ in STREAMS.values()}
    assert {name.partition("/")[0] for name in RECORDED} | of_streams | {*OTHERS} >= {*DIALECTS}


FAULTS: dict[str, Reply] = {
    "cut in the middle": Reply([A, B], end="abrupt"),
    "reset in the middle": Reply([A, B], end="rst"),
    "no connection": Reply(),
    "closed before the answer": Reply(before_headers=True, end="abrupt"),
    "reset before the answer": Reply(before_headers=True, end="rst"),
    "a stall in the middle": Reply([A, FOREVER]),
    "a stall before the first byte": Reply([FOREVER]),
    "an error of the backend": Reply(
        [lines({"error": {"message": "No quota.", "code": "quota"}})], 429, {"Retry-After": "7"}
    ),
    "an error in the middle": Reply([A, lines({"error": "No quota."})]),
    "damage in the middle": Reply([A, b'{"delta": {"content"\n', b"\xff\xfe\n", B]),
    "nothing": Reply([]),
    "a page": Reply([b"<!doctype html><title>Sign in</title>"], headers={"Content-Type": "text/html"}),
    "a redirect elsewhere": Reply([], 302, {"Location": "https://login.example/?code=abcdef"}),
    "a length that is not kept": Reply([A, B], length=True, end="abrupt"),
}

BOUNDS = {"a stall in the middle": {"idle_timeout": 0.3}, "a stall before the first byte": {"first_byte_timeout": 0.3}}


def told(event: Event) -> object:
    """An event, with only the code of an error, since its message has an address."""
    return (Failed, event.error.code) if isinstance(event, Failed) else event


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_is_replayed(fault: str, tmp_path: Path) -> None:
    bounds = replace(PATIENT, **BOUNDS.get(fault, {}))
    async with recording_client(tmp_path / "a.jsonl", FAULTS[fault], bounds) as (stand_in, client):
        origin = "http://127.0.0.1:1" if fault == "no connection" else stand_in.url
        live = await events_of(client, Backend(origin + "/chat", streaming="server"))
    async with AsyncClient(bounds) as client:
        replayed_client = replaying(client, Recording.open(tmp_path / "a.jsonl"))
        replayed = await events_of(replayed_client, replace(RECORDED_BACKEND, streaming="server"))
    assert [told(one) for one in replayed] == [told(one) for one in live]


PACKED = {"Content-Type": "application/jsonl", "Content-Encoding": "gzip"}


async def test_a_damaged_compression_is_replayed_as_a_cut_answer(tmp_path: Path) -> None:
    reply = Reply([gzip.compress(A + B)[:-8] + b"damaged!"], headers=PACKED)
    live, replayed = await live_and_replayed(tmp_path / "a.jsonl", reply)
    texts = [[one for one in events if isinstance(one, TextDelta)] for events in (live, replayed)]
    assert texts[0] == texts[1] != []
    assert (type(live[-1]), type(replayed[-1])) == (CutOff, CutOff)
    (exchange,) = Recording.open(tmp_path / "a.jsonl").exchanges
    assert "content-encoding" not in exchange.headers


async def test_an_unrequested_compression_is_recorded_decoded(tmp_path: Path) -> None:
    asked: list[str] = []

    def reply(request: Received) -> Reply:
        asked.append(request.headers["accept-encoding"])
        return Reply([gzip.compress(A + B)], headers=PACKED)

    live, replayed = await live_and_replayed(tmp_path / "a.jsonl", reply)
    assert asked == ["identity"]
    assert replayed == live
    assert "One " in (tmp_path / "a.jsonl").read_text()


async def test_a_replayed_answer_first_gives_its_date(tmp_path: Path) -> None:
    async with recording_client(tmp_path / "a.jsonl", Reply([A, B])) as (stand_in, client):
        assert (await client.ask(Backend(stand_in.url + "/chat"), QUESTION)).recorded_at is None
    at = Recording.open(tmp_path / "a.jsonl").exchanges[0].at
    answer = await answer_from(tmp_path / "a.jsonl")
    assert (await first_event(tmp_path / "a.jsonl"), answer.text, answer.recorded_at) == (Recorded(at), "One pair.", at)


async def test_a_search_for_the_form_of_a_question_is_replayed(tmp_path: Path) -> None:
    live, replayed = await live_and_replayed(
        tmp_path / "a.jsonl", lambda asked: Reply([], 404) if asked.path.endswith("/stream") else Reply([A, B])
    )
    assert replayed == live
    recording = Recording.open(tmp_path / "a.jsonl")
    assert [(one.path, one.status) for one in recording.exchanges] == [("/chat/stream", 404), ("/chat", 200)]


async def test_a_redirect_within_the_origin_is_replayed(tmp_path: Path) -> None:
    def reply(request: Received) -> Reply:
        if request.path == "/chat/stream":
            return Reply([], 307, {"Location": f"http://{request.headers['host']}/talk?code=abcdef"})
        return Reply([A, B])

    live, replayed = await live_and_replayed(tmp_path / "a.jsonl", reply)
    assert replayed == live
    assert live[-1] == TextDelta("pair.")
    assert Recording.open(tmp_path / "a.jsonl").exchanges[0].headers["location"] == "/talk?code=…"


async def test_the_recording_of_a_replay_keeps_the_first_date(tmp_path: Path) -> None:
    (path := tmp_path / "a.jsonl").write_bytes(HEADER.line)
    long_ago = "2020-02-02T02:02:02+00:00"
    async with recording_client(path, Reply([A, B], headers={"Chat-UI-Recorded": long_ago})) as (stand_in, client):
        await events_of(client, Backend(stand_in.url + "/chat"))
    answer = await answer_from(path)
    assert (answer.text, answer.recorded_at) == ("One pair.", long_ago)


async def test_a_recorded_header_cannot_hide_the_date(tmp_path: Path) -> None:
    exchange = {"exchange": 1, "at": HEADER.created_at, "method": "POST", "path": "/chat", "status": 200}
    for headers in ({"Chat-UI-Recorded": "x"}, {"CHAT-UI-RECORDED": "x", "chat-ui-recorded": "y"}):
        made = json_line({**exchange, "question": QUESTION.messages[-1].content, "headers": headers})
        (path := tmp_path / "a.jsonl").write_bytes(HEADER.line + made + b'[0, "end", ""]\n')
        assert await first_event(path) == Recorded(HEADER.created_at)


async def test_an_undated_recording_is_not_shown_as_live(tmp_path: Path) -> None:
    await live_and_replayed(tmp_path / "a.jsonl", Reply([A, B]))
    undated = re.sub(r'"(at|created_at)": "[^"]*"', r'"\1": "some day"', (tmp_path / "a.jsonl").read_text())
    (tmp_path / "b.jsonl").write_text(undated)
    written = datetime.fromtimestamp((tmp_path / "b.jsonl").stat().st_mtime, UTC)
    assert (await answer_from(tmp_path / "b.jsonl")).recorded_at == written.isoformat(timespec="seconds")


async def test_recording_reads_as_data_comes_and_a_replay_at_its_readers_pace(tmp_path: Path) -> None:
    gates: list[asyncio.Event] = []

    def reply(_: Received) -> Reply:
        gates.append(asyncio.Event())
        return Reply([A, gates[-1], B])

    async def text_of(client: AsyncClient, origin: str) -> str:
        text = ""
        async for event in client.stream(Backend(f"{origin}/chat", streaming="server"), QUESTION):
            if isinstance(event, TextDelta):
                text += event.text
                gates[-1].set()
        return text

    paces = [CountedPace(), CountedPace(), CountedPace()]
    live, recorded, replayed = (AsyncClient(PATIENT, throttle=throttle) for throttle in paces)
    async with StandIn(reply).running() as stand_in, live, recorded, replayed:
        texts = [await text_of(live, stand_in.url)]
        with recorder(tmp_path / "a.jsonl") as opened:
            wrapped = recorded.with_transport(lambda inner: RecordingTransport(inner, opened))
            texts.append(await text_of(wrapped, stand_in.url))
        from_file = replaying(replayed, Recording.open(tmp_path / "a.jsonl"), speed=1)
        texts.append(await text_of(from_file, RECORDED_ORIGIN))
    assert texts == ["One pair."] * 3
    assert [throttle.waits > 0 for throttle in paces] == [True, False, True]


PDF = b"%PDF-1.7 " + bytes(range(256)) * 20


async def test_opened_documents_are_replayed(tmp_path: Path) -> None:
    def reply(request: Received) -> Reply:
        if "range" not in request.headers:
            return Reply([PDF[:1000], PDF[1000:]], length=True)
        first, last = map(int, request.headers["range"].removeprefix("bytes=").split("-"))
        part = {"Content-Range": f"bytes {first}-{last}/{len(PDF)}"}
        return Reply([PDF[first : last + 1]], 206, part, length=True)

    document = named_document("Plans.pdf")
    assert document is not None

    async def fetched(client: AsyncClient, origin: str, **asked: str) -> bytes:
        backend = Backend(f"{origin}/chat")
        found = await fetch_document(client, backend, document, asked, max_bytes=1_000_000, bounds=PATIENT)
        return b"".join([piece async for piece in found.body])

    ranges = ({}, {"range": "bytes=0-1023"}, {"range": "bytes=2048-3071"})
    async with recording_client(tmp_path / "a.jsonl", reply) as (stand_in, client):
        live = [await fetched(client, stand_in.url, **asked) for asked in ranges]
    async with AsyncClient(PATIENT) as client:
        replayed = replaying(client, Recording.open(tmp_path / "a.jsonl"))
        assert [await fetched(replayed, RECORDED_ORIGIN, **asked) for asked in reversed(ranges)] == live[::-1]
    assert live == [PDF, PDF[:1024], PDF[2048:3072]]


async def test_a_stopped_answer_is_replayed_as_cut(tmp_path: Path) -> None:
    async with recording_client(tmp_path / "a.jsonl", Reply([A, FOREVER])) as (stand_in, client):
        events = client.stream(Backend(stand_in.url + "/chat"), QUESTION)
        while not isinstance(await anext(events), TextDelta):
            pass
        await events.aclose()
    recording = Recording.open(tmp_path / "a.jsonl")
    assert recording.exchanges[0].how == "stopped"
    async with AsyncClient(PATIENT) as client:
        replayed = await events_of(replaying(client, recording), RECORDED_BACKEND)
    assert isinstance(replayed[-1], CutOff)


async def test_a_client_with_a_pinned_certificate_records(tmp_path: Path) -> None:
    server = Server(tmp_path)
    async with StandIn(Reply([A, B])).running(ssl=server.context) as stand_in, AsyncClient(PATIENT) as client:
        with recorder(tmp_path / "a.jsonl") as opened:
            recorded = client.with_transport(lambda inner: RecordingTransport(inner, opened))
            backend = Backend(stand_in.url + "/chat", fingerprint=server.fingerprint)
            before = await recorded.pinning_for(backend).ask(backend, QUESTION)
            pinned_first = client.pinning_for(backend).with_transport(lambda inner: RecordingTransport(inner, opened))
            after = await pinned_first.ask(backend, QUESTION)
        unrecorded = await client.pinning_for(backend).ask(backend, QUESTION)
    assert [before.text, after.text, unrecorded.text] == ["One pair."] * 3
    assert len(Recording.open(tmp_path / "a.jsonl").exchanges) == 2


async def test_two_simultaneous_answers_are_replayed_whole(tmp_path: Path) -> None:
    await live_and_replayed(tmp_path / "a.jsonl", Reply([A, B]))
    async with AsyncClient(PATIENT) as client:
        shared = replaying(client, Recording.open(tmp_path / "a.jsonl"))
        both = [shared.stream(RECORDED_BACKEND, QUESTION) for _ in range(2)]
        for events in both:
            await anext(events)
        texts = ["".join([one.text async for one in events if isinstance(one, TextDelta)]) for events in both]
    assert texts == ["One pair."] * 2
