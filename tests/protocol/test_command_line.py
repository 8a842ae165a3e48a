"""`python -m chat_ui ask`."""

from __future__ import annotations

import asyncio
import json
import signal
import sys

from tests.backends.stand_in import Reply, StandIn, lines
from tests.commands import Ran, run, start
from tests.patience import PATIENCE

FOREVER = float("inf")
A = lines({"delta": {"content": "A [a.pdf] "}})
POINTS = {"data_points": {"text": ["a.pdf: One pair."]}}
ANSWER = Reply(
    [
        lines({"delta": {"role": "assistant"}, "context": POINTS, "sessionState": "s"}),
        lines({"delta": {"content": "One pair [a.pdf]. "}}),
        lines({"delta": {"content": "Not [b.pdf]. <<Why?>>"}}),
    ]
)


async def ask(reply: Reply, *arguments: str, **environment: str) -> Ran:
    async with StandIn(reply).running() as stand_in:
        return await run("ask", stand_in.url + "/chat", "Who pays?", *arguments, **environment)


async def test_the_answer_is_printed_with_the_citations_that_come_beside_it() -> None:
    def cited(content: str, *ends: int) -> bytes:
        annotations = [{"type": "url_citation", "url": f"https://{end}.example", "end_index": end} for end in ends]
        return lines({"choices": [{"index": 0, "delta": {"content": content, "annotations": annotations}}]})

    assert await ask(ANSWER) == (0, "One pair [a.pdf]. Not [b.pdf].\n", "")
    ran = await ask(Reply([cited("One pair. Two.", 9, 14), 0.2, cited(" Three.", 9, 21)]))
    assert ran.out == "One pair. [https://9.example] Two. [https://14.example] Three. [https://21.example]\n"


async def test_json_is_one_object_with_everything() -> None:
    ran = await ask(ANSWER, "--json")
    answer = json.loads(ran.out)
    timing = answer.pop("timing")
    assert answer == {
        "text": "One pair [a.pdf]. Not [b.pdf].",
        "dialect": "chat-protocol",
        "complete": True,
        "recorded_at": None,
        "error": None,
        "followup_questions": ["Why?"],
        "data_points": [{"id": "a.pdf", "source": "a.pdf", "text": "One pair.", "url": None, "image": None}],
        "citations": [
            {"number": 1, "label": "a.pdf", "data_point": 0},
            {"number": 2, "label": "b.pdf", "data_point": None},
        ],
        "thoughts": [],
        "session_state": "s",
        "warnings": [],
    }
    assert timing.keys() == {"first_byte_s", "first_text_s", "total_s"}
    assert 0 < timing["first_byte_s"] <= timing["first_text_s"] <= timing["total_s"]
    assert ran.status == 0


async def test_json_of_an_error_says_what_is_known() -> None:
    ran = await ask(Reply([b'{"error":{"code":"rate","message":"Slow down"}}'], 429, {"Retry-After": "7"}), "--json")
    error = json.loads(ran.out)["error"]
    assert "Slow down" in error.pop("message")
    assert error == {"code": "rate", "status": 429, "retry_after": 7.0}
    assert ran.status == 1


async def test_of_an_answer_that_is_not_whole_the_text_is_printed_and_the_rest_told_on_stderr() -> None:
    endless = b'data: {"type": "text-delta", "id": "1", "delta": "A"}\n\n'
    for reply, status, out, words in (
        (Reply([A, b'{"error": "disk full"}']), 1, "A [a.pdf] \n", "disk full"),
        (Reply([A], end="abrupt"), 3, "A [a.pdf] \n", "cut off"),
        (Reply([endless]), 3, "A\n", "The answer was cut off: the stream ended without finish."),
        (Reply([b'{"delta": {"content": "A"}, "finish_reason": "other"}\n']), 0, "A\n",
         "The answer may not be whole: its finish reason is other."),
    ):  # fmt: skip
        ran = await ask(reply)
        assert (ran.status, ran.out) == (status, out)
        assert words in ran.err


async def test_a_backend_that_is_not_reached_or_does_not_answer_in_time_ends_with_3() -> None:
    ran = await run("ask", "http://127.0.0.1:1/chat", "Who pays?")
    assert (ran.status, ran.out, "127.0.0.1:1" in ran.err) == (3, "", True)
    ran = await ask(Reply([FOREVER]), "--timeout", "0.1", "--json")
    assert (ran.status, json.loads(ran.out)["error"]["code"]) == (3, "timeout")


async def test_bad_usage_ends_with_2() -> None:
    asked = ("ask", "http://127.0.0.1:1", "Who?")
    for arguments in (
        ("ask",), asked[:2], (*asked[:2], "  "), ("ask", "mailto:me@x.test", "Who?"), ("ask", "ftp://x.test", "Who?"),
        (*asked, "--dialect", "morse"), (*asked, "--header", "no colon"), (*asked, "--header", "X: line\nbreak"),
        (*asked, "--overrides", "{"), (*asked, "--overrides", "[1]"), (*asked, "--timeout", "0"),
        (*asked, "--timeout", "soon"), (*asked, "--key-env", "NO_SUCH_VARIABLE"), (*asked, "--ask-key"),
    ):  # fmt: skip
        ran = await run(*arguments)
        assert (ran.status, ran.out, bool(ran.err)) == (2, "", True), arguments


async def test_options_reach_the_backend() -> None:
    async with StandIn(ANSWER).running() as stand_in:
        await run(
            "ask", stand_in.url + "/chat", "Who pays?", "--no-stream", "--dialect", "flat",
            "--header", "X-Team: blue", "--header", "api-key: k: 1", "--overrides", '{"top": 3}',
        )  # fmt: skip
    [request] = stand_in.requests
    assert (request.path, request.headers["x-team"], request.headers["api-key"]) == ("/chat", "blue", "k: 1")
    assert request.json["context"] == {"overrides": {"top": 3}}


async def test_the_answer_is_printed_as_it_streams_and_an_interrupt_closes_the_connection() -> None:
    stand_in = StandIn(Reply([A, FOREVER]))
    async with stand_in.running():
        process = await start("ask", stand_in.url, "Who pays?")
        assert process.stdout is not None
        assert await asyncio.wait_for(process.stdout.readexactly(9), PATIENCE) == b"A [a.pdf]"
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), PATIENCE)
        await asyncio.wait_for(stand_in.requests[0].left.wait(), PATIENCE)
    assert (process.returncode, err) == (130, b"")


async def test_any_encoding_of_the_terminal_is_survived() -> None:
    odd = Reply([json.dumps({"delta": {"content": "żółw 😀\ud800"}}).encode(), b'{"error": "\\ud83d \xc5\xbc"}'])
    for encoding in ("ascii", "latin-1"):
        async with StandIn(odd).running() as stand_in:
            in_words = await run("ask", stand_in.url, "Who pays? 😀", encoding=encoding)
            as_json = await run("ask", stand_in.url, "Who pays? 😀", "--json", encoding=encoding)
        assert (in_words.status, as_json.status) == (1, 1)
        assert in_words.out.startswith("??" if encoding == "ascii" else "?ó?w ?")
        assert json.loads(as_json.out)["text"] == "żółw 😀\ufffd"


async def test_a_reader_that_goes_away_is_no_error() -> None:
    async with StandIn(Reply([A, *[lines({"delta": {"content": "x" * 1000}})] * 1000])).running() as stand_in:
        command = f'"{sys.executable}" -m chat_ui ask {stand_in.url} "Who pays?" | head -c 3'
        process = await asyncio.create_subprocess_shell(
            command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert (out, err) == (b"A [", b"")


async def test_the_public_policy_refuses_this_machine_that_the_local_one_allows() -> None:
    async with StandIn(ANSWER).running() as stand_in:
        refused = await run("ask", stand_in.url, "Who pays?", "--policy", "public", "--json")
        assert stand_in.requests == []
        assert (await run("ask", stand_in.url, "Who pays?", "--policy", "local")).status == 0
    never = await run("ask", "http://169.254.169.254/chat", "Who pays?", "--policy", "local", "--json")
    for ran in (refused, never):
        assert (ran.status, ran.err, json.loads(ran.out)["error"]["code"]) == (3, "", "address_refused")
