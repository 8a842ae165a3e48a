"""`record`, `replay` and `ask --record` as processes, over HTTP."""

import asyncio
import json
import signal
import socket
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from chat_ui.protocol.recordings.recording import Recording
from tests.app import free_port
from tests.commands import run, start
from tests.conversations.repository import until
from tests.protocol.recordings.taping import HEADER
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT

A, B = lines({"delta": {"content": "One "}}), lines({"delta": {"content": "pair."}})
KEY = "sk-proj-4fJ8dKq0Zt7Xw2Lm9Rb5Vc1N"


async def welcome(server: Process, port: int) -> str:
    """The origin from the command's first line."""
    assert server.stdout is not None
    said = await asyncio.wait_for(server.stdout.readline(), TIMEOUT)
    assert f"http://127.0.0.1:{port}/chat" in said.decode()
    return f"http://127.0.0.1:{port}"


async def ended(server: Process, by: signal.Signals) -> tuple[int | None, str, str]:
    """The status and the output of a command after a signal."""
    server.send_signal(by)
    out, err = await asyncio.wait_for(server.communicate(), TIMEOUT)
    return server.returncode, out.decode().removeprefix("Press Ctrl+C to stop.\n"), err.decode()


@asynccontextmanager
async def serving(*arguments: str) -> AsyncIterator[tuple[Process, str]]:
    """A serving command, and its origin."""
    port = free_port()
    server = await start(*arguments, "--port", str(port))
    try:
        yield server, await welcome(server, port)
    finally:
        if server.returncode is None:
            server.kill()
            await server.communicate()


async def ask(origin: str, words: str) -> str:
    body = {"messages": [{"role": "user", "content": words}]}
    async with httpx2.AsyncClient(trust_env=False, timeout=TIMEOUT) as http:
        return (await http.post(f"{origin}/chat", json=body)).text


def content(path: Path | str) -> bytes:
    return Path(path).read_bytes()


def handmade(path: Path, *times: float, how: str = "end") -> Path:
    """A recording of one answer, with its pieces at these times."""
    exchange = {
        **{"exchange": 1, "at": "2026-11-20T09:30:02Z", "method": "POST", "path": "/chat", "question": "Who?"},
        **{"place": 1, "request": None, "status": 200, "headers": {"content-type": "application/jsonl"}},
    }
    pieces = [[seconds, "text", A.decode()] for seconds in times]
    rows = [exchange, *pieces, [times[-1], how, ""]]
    path.write_bytes(HEADER.line + "".join(f"{json.dumps(row)}\n" for row in rows).encode())
    return path


async def test_a_clients_requests_are_recorded_and_replayed_without_the_backend(tmp_path: Path) -> None:
    path = str(tmp_path / "a.jsonl")
    async with StandIn(Reply([A, 0.05, B])).running() as stand_in:
        async with serving("record", f"{stand_in.url}/chat", "--to", path) as (server, origin):
            live = await run("ask", f"{origin}/chat", "Who pays?", "--json", "--plain", CHAT_UI_KEY=KEY)
            assert await ended(server, signal.SIGTERM) == (0, f"1 exchange is in {path}.\n", "")
        asked = len(stand_in.requests)
    assert KEY.encode() not in content(path)
    async with serving("replay", path, "--strict") as (server, origin):
        again = await run("ask", f"{origin}/chat", "who  pays?", "--json")
        other = await run("ask", f"{origin}/chat", "Who else?")
        assert await ended(server, signal.SIGINT) == (0, "", "")
    assert asked == 1
    answers = [json.loads(one.out) for one in (live, again)]
    assert [one["text"] for one in answers] == ["One pair.", "One pair."]
    assert [one["recorded_at"] is None for one in answers] == [True, False]
    assert (other.status, "This question is not in the recording." in other.err) == (1, True)


@pytest.mark.thorough
async def test_a_recorder_that_ends_in_mid_answer_keeps_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    body = {"messages": [{"role": "user", "content": "Who?"}]}

    async def is_written() -> bool:
        return b"One " in content(path)

    for signal_, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 0)):
        async with (
            StandIn(Reply([A, float("inf")])).running() as stand_in,
            serving("record", f"{stand_in.url}/chat", "--to", str(path)) as (server, origin),
            httpx2.AsyncClient(trust_env=False, timeout=TIMEOUT) as http,
            http.stream("POST", f"{origin}/chat", json=body) as response,
        ):
            assert await anext(response.aiter_raw()) == A
            await until(is_written)
            assert (await ended(server, signal_))[0] == status
    assert [one.how for one in Recording.open(path).exchanges] == ["cut", "stopped"]
    async with serving("replay", str(path)) as (_, origin):
        again = await run("ask", f"{origin}/chat", "Who?", "--json")
    answer = json.loads(again.out)
    assert (again.status, answer["text"], answer["complete"]) == (3, "One ", False)


@pytest.mark.thorough
async def test_a_recording_plays_at_the_chosen_speed_and_pauses(tmp_path: Path) -> None:
    path = handmade(tmp_path / "a.jsonl", 0.0, 3600.0, 7200.0)
    async with serving("replay", str(path), "--longest-pause", "0.01") as (_, origin):
        assert await ask(origin, "Who?") == A.decode() * 3
    path = handmade(tmp_path / "b.jsonl", 0.0, 0.1)
    async with serving("replay", str(path), "--speed", "0.25") as (_, origin):
        began = time.monotonic()
        assert await ask(origin, "Who?") == A.decode() * 2
        assert time.monotonic() - began >= 0.4


async def test_unusable_input_is_told_in_one_line(tmp_path: Path) -> None:
    path = handmade(tmp_path / "a.jsonl", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        taken = [
            await run("replay", str(path), "--port", port),
            await run("record", "http://127.0.0.1:1/chat", "--to", str(tmp_path / "b.jsonl"), "--port", port),
        ]
    (none := tmp_path / "c.jsonl").write_text("Dear diary\n")
    unusable = [
        await run("replay", str(none)),
        await run("record", "http://127.0.0.1:1/chat", "--to", str(none)),
        await run("ask", "http://127.0.0.1:1/chat", "Who?", "--record", str(none)),
    ]
    assert all(ran.err.startswith(f"Port {port} is in use by ") for ran in taken)
    too_fast = await run("replay", str(path), "--speed", "9")
    assert (too_fast.status, "from 0.25 to 8" in too_fast.err) == (2, True)
    assert {ran.err for ran in unusable} == {
        "This file is not a recording: its first line does not say that it is one.\n"
    }
    assert {(ran.status, ran.out, ran.err.count("\n")) for ran in taken + unusable} == {(2, "", 1)}
    assert none.read_text() == "Dear diary\n"


async def test_questions_of_the_command_line_are_added_to_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    async with StandIn(Reply([A])).running() as stand_in:
        for words in ("Who pays?", "Who else?"):
            await run("ask", f"{stand_in.url}/chat", words, "--record", str(path))
    assert [one.question for one in Recording.open(path).exchanges] == ["Who pays?", "Who else?"]
