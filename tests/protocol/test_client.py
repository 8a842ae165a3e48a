"""The client against a backend that sends literal bytes over HTTP on loopback."""

import asyncio
import contextlib
import gzip
import socket
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any, Literal

import pytest

from chat_ui.protocol.backends.backend import Backend, Bounds, ChatRequest, Message
from chat_ui.protocol.events import (
    ContextReceived,
    CutOff,
    ErrorInfo,
    Event,
    Failed,
    ReasoningDelta,
    SessionState,
    TextDelta,
    Timing,
)
from chat_ui.protocol.transport import exchange
from chat_ui.protocol.transport.answer_body import AnswerBody
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.exchange import ACCEPT
from chat_ui.protocol.transport.guard import Guard
from chat_ui.protocol.transport.throttle import AT_ONCE
from tests.app import free_port
from tests.protocol.asking import PATIENT, QUESTION, answer_to, asked, error_of
from tests.stand_ins.stand_in import JSON_LINES, Received, Reply, StandIn, lines
from tests.timeouts import TIMEOUT

FOREVER = float("inf")
HELLO = Reply([lines({"delta": {"content": "Hel"}}), lines({"delta": {"content": "lo"}})])
A = lines({"delta": {"content": "A"}})


async def test_an_answer_is_streamed_with_its_timing_for_any_pieces_and_type() -> None:
    answer = await answer_to(HELLO)
    assert answer.text == "Hello"
    timing: Any = answer.timing
    assert 0 < timing.first_byte <= timing.first_text <= timing.total
    for kind in ("text/html", "text/plain", "text/event-stream", "application/octet-stream", ""):
        assert (await answer_to(Reply([A], headers={"Content-Type": kind}))).text == "A"
    body = lines({"delta": {"content": "żółw 👩‍👧"}})
    assert (await answer_to(Reply([body[at : at + 1] for at in range(len(body))]))).text == "żółw 👩‍👧"


async def test_events_come_while_the_backend_still_answers() -> None:
    stand_in = StandIn(Reply([A, FOREVER]))
    async with (
        asyncio.timeout(TIMEOUT),
        stand_in.running(),
        AsyncClient() as client,
        aclosing(client.stream(Backend(stand_in.url), QUESTION)) as stream,
    ):
        assert TextDelta("A") in [await anext(stream) for _ in range(3)]


async def sent(request: ChatRequest, **backend: Any) -> Received:
    async with StandIn(HELLO).running() as stand_in, AsyncClient() as client:
        await client.ask(Backend(stand_in.url + "/chat", **backend), request)
    return stand_in.requests[-1]


async def test_a_request_has_its_backends_form_without_empty_parts() -> None:
    received = await sent(QUESTION)
    assert received.json == {"messages": [{"role": "user", "content": "Who pays for glasses?"}]}
    assert (received.method, received.path) == ("POST", "/chat/stream")
    assert (received.headers["accept"], received.headers["content-type"]) == (ACCEPT, "application/json")
    messages = (Message("user", "Hi"), Message("assistant", "Hello"), Message("user", "Glasses?"))
    received = await sent(
        ChatRequest(messages), streaming="body", messages_key="input", history="last", model="m",
        extra_body={"data_sources": [1]}, headers={"api-key": "secret-key"},
    )  # fmt: skip
    assert (received.path, received.headers["api-key"]) == ("/chat", "secret-key")
    assert received.json == {
        "input": [{"role": "user", "content": "Glasses?"}], "stream": True, "model": "m", "data_sources": [1],
    }  # fmt: skip


async def test_session_state_is_sent_back_under_its_key_unless_empty() -> None:
    state = {"deep": [1, "ż", None], "conversation_id": "c-7"}
    for key in ("session_state", "sessionState", "history_metadata"):
        received = await sent(ChatRequest(QUESTION.messages, session_state=SessionState(key, state)))
        assert received.json[key] == state
        assert received.json.get("conversation_id") == ("c-7" if key == "history_metadata" else None)
    for nothing in (None, {}):
        received = await sent(ChatRequest(QUESTION.messages, session_state=SessionState("sessionState", nothing)))
        assert "sessionState" not in received.json


@pytest.mark.parametrize(
    "way_on", [Reply([b"no", FOREVER], 404), Reply([FOREVER], 405), Reply([FOREVER], 307, {"Location": "/chat"})]
)
async def test_a_missing_streaming_path_is_left_for_the_base(way_on: Reply) -> None:
    stand_in = StandIn(lambda request: way_on if request.path.endswith("/stream") else HELLO)
    async with stand_in.running(), AsyncClient(PATIENT) as client, asyncio.timeout(TIMEOUT):
        answer = await client.ask(Backend(stand_in.url + "/chat"), QUESTION)
        await stand_in.requests[0].left.wait()
    assert answer.text == "Hello"
    assert [(request.path, request.json.get("stream")) for request in stand_in.requests] == [
        ("/chat/stream", None), ("/chat", None if way_on.status == 307 else True),
    ]  # fmt: skip


async def test_a_failed_post_is_not_repeated() -> None:
    for status in (500, 429, 502, 401):
        _, stand_in = await asked(Reply(status=status))
        assert len(stand_in.requests) == 1


@pytest.mark.parametrize("end", ["rst", "abrupt"])
async def test_a_question_is_sent_again_if_an_idle_connection_was_closed(
    end: Literal["rst", "abrupt"],
) -> None:
    seen: set[int] = set()

    def once_on_each(received: Received) -> Reply:
        is_used = received.connection in seen
        seen.add(received.connection)
        return Reply(end=end, before_headers=True) if is_used else HELLO

    async with StandIn(once_on_each).running() as stand_in, AsyncClient() as client:
        answers = [await client.ask(Backend(stand_in.url), QUESTION) for _ in range(3)]
    assert [answer.text for answer in answers] == ["Hello"] * 3
    assert [received.connection for received in stand_in.requests] == [1, 1, 2, 3]
    assert len({received.body for received in stand_in.requests}) == 1


async def test_a_question_is_sent_again_once_for_any_number_of_idle_connections() -> None:
    asked = asyncio.Event()
    together = 5

    def all_at_first(_: Received) -> Reply:
        if len(stand_in.requests) == together:
            asked.set()
        is_first = len(stand_in.requests) <= together
        return Reply([asked, A], headers=JSON_LINES) if is_first else Reply(end="rst", before_headers=True)

    async with StandIn(all_at_first).running() as stand_in, AsyncClient() as client, asyncio.timeout(TIMEOUT):
        await asyncio.gather(*(client.ask(Backend(stand_in.url), QUESTION) for _ in range(together)))
        answer = await client.ask(Backend(stand_in.url), QUESTION)
    assert error_of(answer).code == "connection_closed"
    assert len(stand_in.requests) == together + 2


async def test_a_question_is_sent_once_if_answered_or_on_a_new_connection() -> None:
    def begins(_: Received) -> Reply:
        return HELLO if len(stand_in.requests) == 1 else Reply(end="abrupt")

    async with StandIn(begins).running() as stand_in, AsyncClient() as client:
        _, answer = [await client.ask(Backend(stand_in.url), QUESTION) for _ in range(2)]
    assert (answer.error is None, len(stand_in.requests)) == (False, 2)
    for end in ("rst", "abrupt"):
        answer, stand_in = await asked(Reply(end=end, before_headers=True))
        assert (error_of(answer).code, len(stand_in.requests)) == ("connection_closed", 1)


async def error_to(reply: Reply, bounds: Bounds = PATIENT) -> ErrorInfo:
    return error_of(await answer_to(reply, bounds))


async def test_a_redirect_to_another_origin_is_not_followed() -> None:
    async with StandIn(HELLO).running() as other:
        error = await error_to(Reply(status=307, headers={"Location": other.url + "/login?token=hidden"}))
        assert ("redirects" in error.message, "hidden" in error.message, other.requests) == (True, False, [])
    for status, location, place in (
        (300, "http://ann:h1dd3n@a.example/login?next=1#x", "http://a.example/login"),
        (301, "//a.example", "http://a.example"),
        (399, "http://a.example/" + "x" * 300, "http://a.example/" + "x" * 183),
    ):
        error = await error_to(Reply(status=status, headers={"Location": location}))
        assert (error.code, error.status) == ("redirect", status)
        assert f"redirects to {place}, which is not followed" in error.message


async def test_a_redirect_status_without_a_location_is_reported_as_it_is() -> None:
    nowhere = " (the redirect has no address)."
    for status, location, body, words in (
        (300, "http://a.example:port/", b"", nowhere), (302, "http://[1]/", b"", nowhere), (307, "", b"", nowhere),
        (302, None, b'{"error": "Elsewhere."}', ": Elsewhere."), (400, "/there", b'{"error": "No."}', ": No."),
    ):  # fmt: skip
        headers = {} if location is None else {"Location": location}
        error = await error_to(Reply([body] if body else [], status, headers))
        assert (error.status, error.message) == (status, f"The backend answered with status {status}{words}")


async def test_three_redirects_within_the_origin_are_followed_with_their_body() -> None:
    def reply(status: int, moves: int, request: Received) -> Reply:
        step = request.path.count("x")
        return HELLO if step == moves else Reply(status=status, headers={"Location": f"/{'x' * (step + 1)}"})

    for status, moves, told in ((307, 3, ("Hello", None)), (308, 3, ("Hello", None)), (307, 4, ("", 307))):
        answer, stand_in = await asked(partial(reply, status, moves), "", streaming="server")
        assert (answer.text, answer.error and answer.error.status) == told
        assert len(stand_in.requests) == 4
        assert len({request.body for request in stand_in.requests}) == 1


PAGE = b"<!doctype html><html><head><title>Sign in to Contoso</title></head><body><h1>Sign in</h1></body></html>"


async def test_an_html_page_in_place_of_an_answer_is_an_error() -> None:
    pieces: list[list[bytes | float]] = [
        [PAGE],
        [PAGE[:3], PAGE[3:40], PAGE[40:]],
        [b"\n  " + PAGE + b" " * 100_000],
        [b" " * 100, 0.05, PAGE],
        [b"\r\n" * 50 + b"<", 0.05, PAGE[1:]],
    ]
    for writes in pieces:
        answer = await answer_to(Reply(writes, headers={"Content-Type": "text/html"}))
        assert (answer.text, error_of(answer).code) == ("", "html_page")
        assert "HTML page" in error_of(answer).message
        assert "Sign in to Contoso" in error_of(answer).message


def test_a_part_of_a_page_in_place_of_an_answer_is_an_error() -> None:
    pages = (
        b"<title>Sign in</title><p>Who are you?</p>", b'<script>location="/login"</script>',
        b'<meta http-equiv="refresh" content="0; url=/login">', b'<form action="/login"><input name="user"></form>',
        b"<div>Sign in</div>", b"<center>Sign in</center>", b"<h1>Sign in</h1>", b"<p>Sign in", b"<STYLE>p {}</STYLE>",
        b"<head></head>",
    )  # fmt: skip
    for page, size in product(pages, (1, 1000)):
        read = AnswerBody("auto", PATIENT)
        events = [event for at in range(0, len(page), size) for event in read.feed(page[at : at + size])]
        codes = [event.error.code for event in (*events, *read.end()) if isinstance(event, Failed)]
        assert (page, codes) == (page, ["html_page"])


STALLS = replace(PATIENT, idle_timeout=0.2)
ZIPPED = {"Content-Encoding": "gzip"}
IDLE = "nothing more came for 0.2 s"


async def test_the_reason_of_a_cut_answer_is_told_once() -> None:
    broke, halved = "the connection to the backend broke", b'{"delta": {"cont'
    for reply, bounds, reason in (
        (Reply([A, FOREVER]), replace(STALLS, total_timeout=60), IDLE),
        (Reply([A], end="abrupt"), PATIENT, broke),
        (Reply([A, 0.02], end="rst"), PATIENT, broke),
        (Reply([A, halved], end="abrupt"), PATIENT, broke),
        (Reply([gzip.compress(A)[:-4]], headers=ZIPPED), PATIENT, "the compressed data ended early"),
        (Reply([gzip.compress(A)[:-8] + bytes(8)], headers=ZIPPED), PATIENT, "the compressed data is damaged"),
        (Reply([A, b'{"delta']), PATIENT, "the answer ended in the middle of a value, at byte 28: '{\"delta'"),
        (Reply([A, b'{"delta', FOREVER]), STALLS, IDLE),
        (Reply([A * 2]), replace(PATIENT, answer_bytes=40), "it is longer than 40 bytes"),
    ):
        answer = await answer_to(reply, bounds)
        assert (answer.text, answer.complete) == ("A", False)
        assert [warning.detail for warning in answer.warnings if warning.code == "cut_off"] == [reason]


async def test_a_timeout_before_any_text_is_an_error_with_its_reason() -> None:
    for reply, bounds, reason in (
        (Reply([FOREVER]), Bounds(first_byte_timeout=0.2), "nothing came within 0.2 s"),
        (Reply([b"\n", FOREVER]), STALLS, IDLE),
        (Reply([FOREVER]), Bounds(total_timeout=0.2), "the answer was not finished within 0.2 s"),
    ):
        error = await error_to(reply, bounds)
        assert error.code == "timeout"
        assert f"/chat/stream did not answer in time: {reason}. Try again, or check" in error.message


@pytest.mark.parametrize("first", [A, b'{"context": {"thoughts": ["a"]}}\n'])
async def test_an_answer_beyond_the_total_timeout_is_cut(first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, cut = 0.0, set[str | None]()
    monkeypatch.setattr(exchange, "time", SimpleNamespace(perf_counter=lambda: seconds))
    async with StandIn(Reply([first, FOREVER])).running() as stand_in, AsyncClient(Bounds(total_timeout=60)) as client:
        async for event in client.stream(Backend(stand_in.url), QUESTION):
            seconds += 60 * isinstance(event, TextDelta | ContextReceived)
            if isinstance(event, CutOff | Failed):
                cut.add(event.reason if isinstance(event, CutOff) else event.error.code)
    assert cut == {"the answer was not finished within 60 s" if first is A else "timeout"}


async def test_an_open_connection_after_done_does_not_cut_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_AFTER_DONE", 0.05)
    body = b'data: {"choices":[{"delta":{"content":"A"}}]}\n\ndata: [DONE]\n\n'
    for reply in (Reply([body, FOREVER]), Reply([body], end="abrupt")):
        answer = await answer_to(reply)
        assert (answer.text, answer.complete, answer.error) == ("A", True, None)


async def test_an_early_close_and_an_invalid_header_are_errors_in_words() -> None:
    for reply in (Reply(end="rst", before_headers=True), Reply([0.02], end="rst"), Reply(end="abrupt")):
        error = await error_to(reply)
        assert (error.code, "connect" in error.message) == ("connection_closed", True)
    assert "headers" in error_of(await answer_to(HELLO, headers={"api-key": "line\nbreak"})).message


async def test_the_words_of_an_error_have_a_shorter_timeout_than_an_answer() -> None:
    soon = replace(PATIENT, error_body_timeout=0.2)
    error = await error_to(Reply([FOREVER], 401), soon)
    assert error.message == "The backend answered with status 401 (not authorised). Check the key or sign in again."
    assert "status 429: Slow down" in (await error_to(Reply([b"Slow down", FOREVER], 429), soon)).message


async def test_a_backend_is_left_at_the_limit_or_an_unknown_compression() -> None:
    piece = lines({"delta": {"content": "y" * 1000}})
    backend = StandIn(Reply([A, piece * 2_050, FOREVER]))
    async with backend.running(), AsyncClient(Bounds(answer_bytes=2 * 1024 * 1024)) as client, asyncio.timeout(TIMEOUT):
        answer = await client.ask(Backend(f"{backend.url}/chat"), QUESTION)
        await backend.requests[-1].left.wait()
    assert len(answer.text) > 1_900_000
    assert error_of(answer).message.startswith("The answer is longer than the limit of 2 MB.")
    bomb = gzip.compress(b'{"delta": {"content": "' + b"A" * 5_000_000 + b'"}}\n')
    assert (await error_to(Reply([bomb], headers=ZIPPED), Bounds(answer_bytes=100_000))).code == "too_large"
    backend = StandIn(Reply([b"x", FOREVER], headers={**JSON_LINES, "Content-Encoding": "zstd"}))
    async with backend.running(), AsyncClient(PATIENT) as client, asyncio.timeout(TIMEOUT):
        assert "zstd" in error_of(await client.ask(Backend(f"{backend.url}/chat"), QUESTION)).message
        await backend.requests[-1].left.wait()


async def error_at(url: str, bounds: Bounds = PATIENT) -> ErrorInfo:
    async with AsyncClient(bounds) as client:
        return error_of(await client.ask(Backend(url), QUESTION))


async def test_an_unreachable_or_plain_http_address_is_told_with_the_reason() -> None:
    port = free_port()
    error = await error_at(f"http://127.0.0.1:{port}/chat?key=hidden")
    assert (error.code, f"http://127.0.0.1:{port}" in error.message) == ("unreachable", True)
    assert ("refused" in error.message, "hidden" in error.message) == (True, False)

    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        error = await error_at(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/chat")
    assert (error.code, "http://" in error.message) == ("tls", True)


async def test_an_unresolvable_name_is_named() -> None:
    async def unknown(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async with AsyncClient(PATIENT, guard=Guard("local"), resolver=unknown) as client:
        error = error_of(await client.ask(Backend("http://backend.example/chat"), QUESTION))
    assert (error.code, "backend.example" in error.message) == ("unreachable", True)


async def test_a_connection_attempt_ends_at_its_timeout() -> None:
    with socket.socket() as listener, contextlib.ExitStack() as others:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        for _ in range(4):
            other = others.enter_context(socket.socket())
            other.setblocking(False)
            other.connect_ex(address)
        error = await error_at(f"http://127.0.0.1:{address[1]}/chat", Bounds(connect_timeout=0.1))
    assert error.code == "unreachable"
    assert "connect" in error.message
    assert "0.1 s" in error.message


async def stop_by_cancelling(client: AsyncClient, url: str, stand_in: StandIn) -> None:
    task = asyncio.create_task(client.ask(Backend(url), QUESTION))
    await stand_in.arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def stop_by_closing(client: AsyncClient, url: str, stand_in: StandIn) -> None:
    stream = client.stream(Backend(url), QUESTION)
    reading = asyncio.create_task(anext(stream))
    await stand_in.arrived.wait()
    await asyncio.wait([reading], timeout=0.02)
    reading.cancel()
    await asyncio.wait([reading])
    await stream.aclose()


@pytest.mark.parametrize("stop", [stop_by_cancelling, stop_by_closing])
@pytest.mark.parametrize("writes", [[FOREVER], [A, FOREVER]], ids=["before the first byte", "in a stall"])
async def test_stopping_closes_the_connection_at_once(stop: Callable[..., Any], writes: list[bytes | float]) -> None:
    async with StandIn(Reply(writes)).running() as stand_in, AsyncClient() as client, asyncio.timeout(TIMEOUT):
        await stop(client, stand_in.url, stand_in)
        await stand_in.requests[0].left.wait()


async def test_an_error_before_a_broken_end_is_kept() -> None:
    reply = Reply([A, b'{"error": "disk full"}\n'], end="abrupt")
    async with StandIn(reply).running() as stand_in, AsyncClient() as client:
        kinds = [type(event) async for event in client.stream(Backend(stand_in.url), QUESTION)]
    assert kinds.index(TextDelta) < kinds.index(Failed) < kinds.index(CutOff) < kinds.index(Timing)
    assert (await error_to(reply)).message == "disk full"


async def test_a_large_context_is_clean_and_a_long_text_comes_in_small_parts() -> None:
    async def told(value: object) -> list[Event]:
        async with StandIn(Reply([lines(value)])).running() as stand_in, AsyncClient() as client:
            return [event async for event in client.stream(Backend(stand_in.url), QUESTION)]

    context = {"data_points": {"text": ["a.pdf: " + "red\x7f" * 5_000]}}
    events = await told({"delta": {"content": "A."}, "context": context})
    contexts = [event for event in events if isinstance(event, ContextReceived)]
    assert contexts == [ContextReceived({"data_points": {"text": ["a.pdf: " + "red" * 5_000]}}, is_clean=True)]
    text = "".join(f"{number:04} " for number in range(2_000))
    for key in ("content", "reasoning_content"):
        events = await told({"delta": {key: text}})
        parts = [event.text for event in events if isinstance(event, TextDelta | ReasoningDelta)]
        assert "".join(parts) == text
        assert [len(part) for part in parts] == [AT_ONCE, AT_ONCE, len(text) - 2 * AT_ONCE]
