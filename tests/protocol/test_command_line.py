"""`python -m chat_ui ask` and `check`, and keys on the command line."""

import asyncio
import json
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

from chat_ui.protocol.conformance.examination import MAX_REQUESTS
from tests.commands import Ran, run, run_on_a_terminal, start
from tests.stand_ins.conforming import model_backend
from tests.stand_ins.conforming_wires import CONFORMING
from tests.stand_ins.lookalikes import LOOKALIKES, Rule
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines
from tests.timeouts import TIMEOUT

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


async def test_the_answer_is_printed_with_its_citations() -> None:
    def cited(content: str, *ends: int) -> bytes:
        annotations = [{"type": "url_citation", "url": f"https://{end}.example", "end_index": end} for end in ends]
        return lines({"choices": [{"index": 0, "delta": {"content": content, "annotations": annotations}}]})

    assert await ask(ANSWER) == (0, "One pair [a.pdf]. Not [b.pdf].\n", "")
    ran = await ask(Reply([cited("One pair. Two.", 9, 14), 0.2, cited(" Three.", 9, 21)]))
    assert ran.out == "One pair. [https://9.example] Two. [https://14.example] Three. [https://21.example]\n"


async def test_json_is_one_object_also_for_an_error() -> None:
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
        "pictures": [],
        "data_points": [
            {"id": "a.pdf", "source": "a.pdf", "text": "One pair.", "url": None, "image": None, "step": None}
        ],
        "citations": [
            {"number": 1, "label": "a.pdf", "data_point": 0},
            {"number": 2, "label": "b.pdf", "data_point": None},
        ],
        "claims": [],
        "thoughts": [],
        "pause": None,
        "session_state": "s",
        "warnings": [],
        "paused_answers": [],
    }
    assert timing.keys() == {"first_byte_s", "first_text_s", "total_s"}
    assert 0 < timing["first_byte_s"] <= timing["first_text_s"] <= timing["total_s"]
    assert ran.status == 0
    ran = await ask(Reply([b'{"error":{"code":"rate","message":"Slow down"}}'], 429, {"Retry-After": "7"}), "--json")
    error = json.loads(ran.out)["error"]
    assert "Slow down" in error.pop("message")
    assert error == {"code": "rate", "status": 429, "retry_after": 7.0}
    assert ran.status == 1


async def test_an_incomplete_answer_is_printed_and_the_reason_is_on_stderr() -> None:
    endless = b'data: {"type": "text-delta", "id": "1", "delta": "A"}\n\n'
    for reply, status, out, words in (
        (Reply([A, b'{"error": "disk full"}']), 1, "A [a.pdf] \n", "disk full"),
        (Reply([A], end="abrupt"), 3, "A [a.pdf] \n", "cut off"),
        (Reply([endless]), 3, "A\n", "The answer was cut off: the stream ended without finish."),
        (Reply([b'{"delta": {"content": "A"}, "finish_reason": "other"}\n']), 0, "A\n",
         "The answer may be incomplete: its finish reason is other."),
    ):  # fmt: skip
        ran = await ask(reply)
        assert (ran.status, ran.out) == (status, out)
        assert words in ran.err


async def test_an_unreachable_or_slow_backend_gives_status_3() -> None:
    ran = await run("ask", "http://127.0.0.1:1/chat", "Who pays?")
    assert (ran.status, ran.out, "127.0.0.1:1" in ran.err) == (3, "", True)
    ran = await run("check", "http://127.0.0.1:1/chat", "--json")
    told = json.loads(ran.out)
    assert (ran.status, told["conforms"], told["error"]["code"]) == (3, None, "unreachable")
    ran = await ask(Reply([FOREVER]), "--timeout", "0.1", "--json")
    assert (ran.status, json.loads(ran.out)["error"]["code"]) == (3, "timeout")


async def test_bad_usage_gives_status_2() -> None:
    url, unset = "http://127.0.0.1:1", ("--key-env", "NO_SUCH_VARIABLE")
    asked = ("ask", url, "Who?")
    for arguments in (
        ("ask",), asked[:2], (*asked[:2], "  "), ("ask", "mailto:me@x.test", "Who?"), ("ask", "ftp://x.test", "Who?"),
        (*asked, "--dialect", "morse"), (*asked, "--header", "no colon"), (*asked, "--header", "X: line\nbreak"),
        (*asked, "--overrides", "{"), (*asked, "--overrides", "[1]"), (*asked, "--timeout", "0"),
        (*asked, "--timeout", "soon"), (*asked, *unset), (*asked, "--ask-key"),
        ("check",), ("check", "mailto:me@x.test"), ("check", url, *unset), ("check", url, "--question", " "),
        ("check", url, "--overrides", "@nowhere.json"),
    ):  # fmt: skip
        ran = await run(*arguments)
        assert (ran.status, ran.out, bool(ran.err)) == (2, "", True), arguments
    assert "The file nowhere.json cannot be read: No such file or directory." in ran.err


async def test_options_reach_the_backend() -> None:
    async with StandIn(ANSWER).running() as stand_in:
        await run(
            "ask", stand_in.url + "/chat", "Who pays?", "--no-stream", "--dialect", "flat",
            "--header", "X-Team: blue", "--header", "api-key: k: 1", "--overrides", '{"top": 3}',
        )  # fmt: skip
    [request] = stand_in.requests
    assert (request.path, request.headers["x-team"], request.headers["api-key"]) == ("/chat", "blue", "k: 1")
    assert request.json["context"] == {"overrides": {"top": 3}}


async def test_the_answer_is_printed_as_it_streams_until_an_interrupt() -> None:
    async with StandIn(Reply([A, FOREVER])).running() as stand_in:
        process = await start("ask", stand_in.url, "Who pays?")
        assert process.stdout is not None
        assert await asyncio.wait_for(process.stdout.readexactly(9), TIMEOUT) == b"A [a.pdf]"
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), TIMEOUT)
        await asyncio.wait_for(stand_in.requests[0].left.wait(), TIMEOUT)
    assert (process.returncode, err) == (130, b"")


async def test_any_encoding_of_the_terminal_works() -> None:
    odd = Reply([json.dumps({"delta": {"content": "żółw 😀\ud800"}}).encode(), b'{"error": "\\ud83d \xc5\xbc"}'])
    for encoding in ("ascii", "latin-1"):
        async with StandIn(odd).running() as stand_in:
            in_words = await run("ask", stand_in.url, "Who pays? 😀", encoding=encoding)
            as_json = await run("ask", stand_in.url, "Who pays? 😀", "--json", encoding=encoding)
        assert (in_words.status, as_json.status) == (1, 1)
        assert in_words.out.startswith("??" if encoding == "ascii" else "?ó?w ?")
        assert json.loads(as_json.out)["text"] == "żółw 😀\ufffd"


async def test_a_closed_reader_is_no_error() -> None:
    async with StandIn(Reply([A, *[lines({"delta": {"content": "x" * 1000}})] * 1000])).running() as stand_in:
        command = f'"{sys.executable}" -m chat_ui ask {stand_in.url} "Who pays?" | head -c 3'
        process = await asyncio.create_subprocess_shell(
            command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = await asyncio.wait_for(process.communicate(), TIMEOUT)
    assert (out, err) == (b"A [", b"")


async def test_the_public_policy_refuses_loopback_and_the_local_one_allows_it() -> None:
    for command, *question in (("ask", "Who pays?"), ("check",)):
        async with StandIn(model_backend()).running() as stand_in:
            refused = await run(command, stand_in.url + "/chat", *question, "--policy", "public", "--json")
            assert stand_in.requests == []
            assert (await run(command, stand_in.url + "/chat", *question, "--policy", "local")).status == 0
        never = await run(command, "http://169.254.169.254/chat", *question, "--policy", "local", "--json")
        for ran in (refused, never):
            assert (ran.status, json.loads(ran.out)["error"]["code"]) == (3, "address_refused")
            assert command == "check" or ran.err == ""


KEY = "s3cr3t-k3y"


async def checked(rule: Rule, *arguments: str) -> tuple[Ran, StandIn]:
    async with StandIn(rule).running() as stand_in:
        return await run("check", stand_in.url + "/chat", *arguments), stand_in


async def test_a_conforming_backend_gives_status_0_and_a_line_for_each_rule() -> None:
    ran, stand_in = await checked(model_backend())
    assert ran.status == 0
    first, rest, counts, *others = ran.out.splitlines()
    assert re.fullmatch(r"All \d+ checked rules passed", first)
    assert rest.startswith("Judged by ")
    assert counts.startswith(f"{first.split()[1]} pass")
    assert "pass     | README | Streaming responses have status 200 | status 200" in others
    assert any(line.startswith("timing   | streamed answer | first byte ") for line in others)
    assert len([line for line in others if line.startswith("request  | ")]) == len(stand_in.requests)
    assert "\x1b" not in ran.out + ran.err
    first, *steps = ran.err.splitlines()
    assert first.startswith(f"Sending up to {MAX_REQUESTS} requests to {stand_in.url}/chat, including up to 4 ")
    assert steps[0] == f"1 of at most {MAX_REQUESTS}: OPTIONS {stand_in.url}/chat"
    assert len(steps) == len(stand_in.requests)


async def test_overrides_are_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text('{"top": 3}')
    ran, stand_in = await checked(model_backend(), "--overrides", f"@{tmp_path / 'data.json'}")
    assert ran.status == 0
    asked = [request.json for request in stand_in.requests if request.body.startswith(b'{"messages"')]
    assert {body["context"]["overrides"]["top"] for body in asked} == {3}
    assert "response | no context | not seen: the context has the given options" in ran.out.splitlines()


async def test_a_breach_or_a_missing_key_gives_status_1() -> None:
    ran, _ = await checked(model_backend(stream_type="text/event-stream"))
    assert (ran.status, ran.out[:5]) == (1, "1 of ")
    assert "fail     | Microsoft’s specification | Streaming responses have the content type app" in ran.out
    ran, _ = await checked(lambda _: Reply([b'{"error": "Unauthorized"}'], 401))
    assert (ran.status, "Unauthorized" in ran.out) == (1, True)


async def test_a_backend_of_another_wire_is_judged_by_its_rules() -> None:
    spoken = CONFORMING["openai-compatible"]
    async with StandIn(spoken.rule()).running() as stand_in:
        ran = await run("check", stand_in.url + spoken.path)
    assert ran.status == 0
    _, rest, *others = ran.out.splitlines()
    assert rest.endswith("It does not speak the AI Chat Protocol.")
    [end] = [line for line in others if "A stream ends with [DONE]" in line]
    page = end.removeprefix("pass     | ").removesuffix(" | A stream ends with [DONE] | [DONE]")
    assert page.startswith("https://")
    assert page.endswith("chat/subresources/completions/methods/create")
    assert not any("| README |" in line or line.startswith("response | no context") for line in others)
    breaking = replace(CONFORMING["ag-ui"], status=203)
    async with StandIn(breaking.rule()).running() as stand_in:
        ran = await run("check", stand_in.url + breaking.path, "--json")
    report = json.loads(ran.out)
    assert (ran.status, report["conforms"]) == (1, False)
    assert [rule["evidence"] for rule in report["rules"] if rule["standing"] == "broken"] == ["status 203"]
    assert report["document"]["name"] in report["verdict"]


async def test_a_key_comes_from_the_environment_or_a_prompt_and_is_not_printed() -> None:
    def echo(request: Received) -> Reply:
        return Reply([lines({"error": f"wrong key {request.headers.get('authorization', 'none')}"})], 401)

    given: list[tuple[tuple[str, ...], str, dict[str, str]]] = [
        (("ask", "Who pays?"), "", {"CHAT_UI_KEY": KEY}),
        (("ask", "Who pays?", "--ask-key"), KEY + "\n", {}),
        (("check",), "", {"CHAT_UI_KEY": KEY}),
        (("check", "--key-env", "MY_KEY"), "", {"MY_KEY": KEY}),
        (("check", "--ask-key"), KEY + "\n", {}),
    ]
    for (command, *arguments), typed, environment in given:
        async with StandIn(echo).running() as stand_in:
            ran = await run(command, stand_in.url + "/chat", *arguments, typed=typed, **environment)
        assert {request.headers.get("authorization") for request in stand_in.requests} == {f"Bearer {KEY}"}
        assert (ran.status, "wrong key" in ran.out + ran.err, KEY in ran.out + ran.err) == (1, True, False)


async def test_a_question_finds_its_backend_and_its_header_from_a_bare_url() -> None:
    path, rule = LOOKALIKES["azure-openai-on-your-data"]
    async with StandIn(rule).running() as stand_in:
        ran = await run("ask", stand_in.url + path, "Who pays?", CHAT_UI_KEY="k-123456")
    assert (ran.status, ran.out) == (0, "One pair [doc1].\n")
    async with StandIn(LOOKALIKES["rag-postgres-openai-python"][1]).running() as stand_in:
        ran = await run("ask", stand_in.url + "/chat", "Who pays?")
    assert (ran.status, ran.out) == (0, "One pair.\n")
    assert f"the chat backend was found at {stand_in.url}" in ran.err


HOSTILE = "safe\u202egnp.exe\x1b]0;owned\x07\x9b31m\u2066\u200b\u0085end"
MARKED = "safe<U+202E>gnp.exe"


def unsafe(shown: str) -> set[str]:
    """Control characters in the output to a terminal, without the command's own colours and lines."""
    ours = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|\t")
    return {one for one in ours.sub("", shown) if not one.isprintable()}


def hostile_report(request: Received) -> Reply:
    told = {"delta": {"content": HOSTILE}, "context": {"thoughts": [{"title": HOSTILE}]}, HOSTILE: 1}
    return Reply([lines(told)]) if request.method == "POST" else Reply([b"no"], 405)


async def test_a_verdict_on_a_terminal_is_escaped_and_progress_is_shown() -> None:
    async with StandIn(hostile_report).running() as stand_in:
        status, wide = await run_on_a_terminal("check", stand_in.url + "/chat")
        _, narrow = await run_on_a_terminal("check", stand_in.url + "/chat", columns=60)
    assert status == 1
    for words in ("Other behaviour", f"of at most {MAX_REQUESTS}", "\x1b[", "│"):
        assert words in wide
    assert "pass     | README | Streaming responses have status 200 | status 200" in narrow
    assert "│" not in narrow
    assert unsafe(wide) == unsafe(narrow) == set()


async def test_an_answer_on_a_terminal_is_escaped_with_sources_and_pace() -> None:
    reply = Reply(
        [
            lines({"delta": {}, "context": {"data_points": {"text": [f"{HOSTILE}.pdf: Words.", "a.pdf: One."]}}}),
            lines({"delta": {"content": f"{HOSTILE} [{HOSTILE}.pdf] One [a.pdf]. <<{HOSTILE}?>>"}}),
            lines({"error": HOSTILE}),
        ]
    )
    async with StandIn(reply).running() as stand_in:
        status, shown = await run_on_a_terminal("ask", stand_in.url + "/chat", "Who pays?")
    assert status == 1
    for words in ("Asking", "1. a.pdf", f"– {MARKED}", "first text after"):
        assert words in shown
    assert shown.count(MARKED) >= 3
    assert unsafe(shown) == set()


async def test_json_on_a_terminal_is_escaped_and_in_a_file_keeps_joiners() -> None:
    async with StandIn(Reply([lines({"delta": {"content": "żółw " + HOSTILE}})])).running() as stand_in:
        _, shown = await run_on_a_terminal("ask", f"{stand_in.url}/chat", "Hi", "--json")
    assert unsafe(shown) == set()
    assert json.loads(shown[shown.index("{") : shown.rindex("}") + 1])["text"].startswith("żółw safe\u202egnp.exe")
    async with StandIn(Reply([lines({"delta": {"content": "שלום\u200f!\x1b[31m"}})])).running() as stand_in:
        ran = await run("ask", f"{stand_in.url}/chat", "Hi")
    assert (ran.out[:6], "\x1b" in ran.out) == ("שלום\u200f!", False)
