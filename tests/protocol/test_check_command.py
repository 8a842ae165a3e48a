"""`python -m chat_ui check`, and keys on the command line."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from chat_ui.protocol.conformance.examination import MAX_REQUESTS
from tests.backends.conforming import model_backend
from tests.backends.conforming_wires import CONFORMING
from tests.backends.lookalikes import LOOKALIKES, Rule
from tests.backends.stand_in import Received, Reply, StandIn, lines
from tests.commands import Ran, run
from tests.patience import PATIENCE

KEY = "s3cr3t-k3y"


async def checked(rule: Rule, *arguments: str, **environment: str) -> tuple[Ran, StandIn]:
    stand_in = StandIn(rule)
    async with stand_in.running():
        ran = await run("check", stand_in.url + "/chat", *arguments, **environment)
    return ran, stand_in


async def test_a_backend_that_conforms_ends_with_0_and_a_line_for_each_rule() -> None:
    ran, stand_in = await checked(model_backend())
    assert ran.status == 0
    first, *others = ran.out.splitlines()
    assert "keeps to the protocol" in first
    assert "held     | README | A streamed answer has status 200 | status 200" in others
    assert any(line.startswith("seconds  | streamed answer | first byte ") for line in others)
    assert len([line for line in others if line.startswith("request  | ")]) == len(stand_in.requests)
    assert "\x1b" not in ran.out + ran.err


async def test_what_a_backend_cannot_do_without_comes_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text('{"top": 3}')
    ran, stand_in = await checked(model_backend(), "--overrides", f"@{tmp_path / 'data.json'}")
    assert ran.status == 0
    asked = [request.json for request in stand_in.requests if request.body.startswith(b'{"messages"')]
    assert {body["context"]["overrides"]["top"] for body in asked} == {3}
    assert "answers  | no context | not seen: the options that were given go there" in ran.out.splitlines()


async def test_a_file_of_options_that_is_not_there_ends_with_2() -> None:
    ran = await run("check", "http://127.0.0.1:1", "--overrides", "@nowhere.json")
    assert ran.status == 2
    assert "The file nowhere.json cannot be read: No such file or directory." in ran.err


async def test_how_many_requests_will_be_sent_is_said_before_the_first() -> None:
    ran, stand_in = await checked(model_backend())
    first, *steps = ran.err.splitlines()
    assert first == f"Up to {MAX_REQUESTS} requests go to {stand_in.url}/chat, at most 4 of them questions to a model."
    assert steps[0] == f"1 of at most {MAX_REQUESTS}: OPTIONS {stand_in.url}/chat"
    assert len(steps) == len(stand_in.requests)


async def test_a_backend_that_breaks_a_rule_ends_with_1() -> None:
    ran, _ = await checked(model_backend(stream_type="text/event-stream"))
    assert ran.status == 1
    assert "1 rule broken" in ran.out
    assert "broken   | Microsoft’s specification | A streamed answer has the content type application/jsonl" in ran.out


OF_OTHER_WIRES = {
    "openai-responses": ("responses/streaming-events", "A stream begins with response.created"),
    "openai-compatible": ("chat/subresources/completions/methods/create", "A stream ends with [DONE] | [DONE]"),
    "ai-sdk": ("https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol", "The output of a tool comes after its input"),
    "ag-ui": ("https://docs.ag-ui.com/spec/1.0/events/lifecycle", "A stream begins with RUN_STARTED or RUN_ERROR"),
    "azure-knowledge-base": ("retrieve?view=rest-searchservice-2026-04-01", "An answer has status 200 or 206 | status"),
}
"""The end of a page, and a rule that it demands."""


@pytest.mark.parametrize("name", OF_OTHER_WIRES)
async def test_a_backend_of_another_wire_ends_with_0_where_it_keeps_the_rules_of_that(name: str) -> None:
    spoken = CONFORMING[name]
    async with StandIn(spoken.rule()).running() as stand_in:
        ran = await run("check", stand_in.url + spoken.path)
    assert ran.status == 0
    first, *others = ran.out.splitlines()
    assert first.endswith("It does not speak the AI Chat Protocol.")
    assert any(line.startswith("held     | https://") and " | ".join(OF_OTHER_WIRES[name]) in line for line in others)
    assert not any("| README |" in line or line.startswith("answers  | no context") for line in others)


@pytest.mark.parametrize("name", OF_OTHER_WIRES)
async def test_a_backend_of_another_wire_that_breaks_a_rule_of_that_ends_with_1(name: str) -> None:
    spoken = replace(CONFORMING[name], status=203)
    async with StandIn(spoken.rule()).running() as stand_in:
        ran = await run("check", stand_in.url + spoken.path, "--json")
    assert ran.status == 1
    report = json.loads(ran.out)
    assert report["conforms"] is False
    assert [rule["evidence"] for rule in report["rules"] if rule["standing"] == "broken"] == ["status 203"]
    assert report["document"]["name"] in report["verdict"]


async def test_json_is_one_object() -> None:
    ran, _ = await checked(model_backend(), "--json")
    report = json.loads(ran.out)
    assert report["conforms"] is True
    assert report["dialect"] == "chat-protocol"
    assert {rule["standing"] for rule in report["rules"]} == {"held", "broken", "not asked"}
    assert report["timing"]["streamed"]["first_text_s"] > 0
    assert [part["name"] for part in report["optional"]][-1] == "files"


async def test_an_unreachable_backend_ends_with_3() -> None:
    ran = await run("check", "http://127.0.0.1:1/chat", "--json")
    assert ran.status == 3
    report = json.loads(ran.out)
    assert report["conforms"] is None
    assert report["error"]["code"] == "unreachable"


async def test_a_policy_says_which_addresses_may_be_called() -> None:
    refused, stand_in = await checked(model_backend(), "--policy", "public", "--json")
    assert refused.status == 3
    assert json.loads(refused.out)["error"]["code"] == "address_refused"
    assert stand_in.requests == []
    allowed, _ = await checked(model_backend(), "--policy", "local", "--json")
    assert allowed.status == 0
    nobodys = await run("check", "http://169.254.169.254/chat", "--policy", "local", "--json")
    assert json.loads(nobodys.out)["error"]["code"] == "address_refused"


async def test_a_backend_that_wants_a_key_is_not_judged_and_ends_with_1() -> None:
    ran, _ = await checked(lambda _: Reply([b'{"error": "Unauthorized"}'], 401))
    assert ran.status == 1
    assert "Unauthorized" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [("check",), ("check", "mailto:me@x.test"), ("check", "http://x.test", "--key-env", "NO_SUCH_VARIABLE"),
     ("ask", "http://x.test", "Who?", "--key-env", "NO_SUCH_VARIABLE"), ("ask", "http://x.test", "Who?", "--ask-key"),
     ("check", "http://x.test", "--question", " ")],
)  # fmt: skip
async def test_bad_usage_ends_with_2(arguments: tuple[str, ...]) -> None:
    ran = await run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err


def echo(request: Received) -> Reply:
    """A backend that repeats what it was sent."""
    return Reply([b'{"error": "wrong key %s"}' % request.headers.get("authorization", "none").encode()], 401)


@pytest.mark.parametrize(
    ("arguments", "typed", "environment"),
    [
        ((), "", {"CHAT_UI_KEY": KEY}),
        (("--key-env", "MY_KEY"), "", {"MY_KEY": KEY}),
        (("--ask-key",), KEY + "\n", {}),
    ],
)
@pytest.mark.parametrize("command", [("ask", "Who pays?"), ("check",)])
async def test_a_key_comes_from_the_environment_or_a_prompt_and_is_never_printed(
    command: tuple[str, ...], arguments: tuple[str, ...], typed: str, environment: dict[str, str]
) -> None:
    stand_in = StandIn(echo)
    name, *question = command
    async with stand_in.running():
        ran = await run(name, stand_in.url + "/chat", *question, *arguments, typed=typed, **environment)
    assert {request.headers.get("authorization") for request in stand_in.requests} == {f"Bearer {KEY}"}
    assert ran.status == 1
    assert "wrong key" in ran.out + ran.err
    assert KEY not in ran.out + ran.err


async def test_the_key_goes_in_the_header_that_azure_wants() -> None:
    path, rule = LOOKALIKES["azure-openai-on-your-data"]
    stand_in = StandIn(rule)
    async with stand_in.running():
        ran = await run("ask", stand_in.url + path, "Who pays?", CHAT_UI_KEY="k-123456")
    assert (ran.status, ran.out) == (0, "One pair [doc1].\n")


@pytest.mark.parametrize(
    ("name", "typed", "out"),
    [
        ("ollama", "", "One pair.\n"),
        ("openai-compatible", "/v1", "One pair.\n"),
        ("rag-postgres-openai-python", "/chat", "One pair.\n"),
        ("microsoft-python", "", "One pair.\n"),
        ("azure-sample-app", "/", "One pair.\n"),
    ],
)
async def test_a_question_finds_its_backend_from_a_bare_url(name: str, typed: str, out: str) -> None:
    stand_in = StandIn(LOOKALIKES[name][1])
    async with stand_in.running():
        ran = await run("ask", stand_in.url + typed, "Who pays?")
    assert (ran.status, ran.out) == (0, out)
    assert f"the chat backend answered at {stand_in.url}" in ran.err
    answered = [r for r in stand_in.requests if b"Who pays?" in r.body]
    assert answered


async def on_a_terminal(*arguments: str, columns: int = 140) -> tuple[int, str]:
    """The command on a terminal of its own: its status and everything that it shows."""
    leader, follower = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chat_ui", *arguments, stdin=follower, stdout=follower, stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "LINES": "50"},
    )  # fmt: skip
    os.close(follower)
    loop, shown = asyncio.get_running_loop(), bytearray()

    def read() -> None:
        while True:
            try:
                data = os.read(leader, 65536)
            except OSError:
                return
            if not data:
                return
            shown.extend(data)

    reading = loop.run_in_executor(None, read)
    status = await asyncio.wait_for(process.wait(), PATIENCE)
    await asyncio.wait_for(reading, PATIENCE)
    os.close(leader)
    return status, shown.decode("utf-8", "replace")


async def test_on_a_terminal_the_verdict_is_a_table_and_progress_is_shown() -> None:
    async with StandIn(model_backend()).running() as stand_in:
        status, shown = await on_a_terminal("check", stand_in.url + "/chat")
    assert status == 0
    assert "Rules of the specification" in shown
    assert f"of at most {MAX_REQUESTS}" in shown
    assert "\x1b[" in shown
    assert "│" in shown


async def test_on_a_narrow_terminal_the_verdict_is_a_line_for_each_rule() -> None:
    async with StandIn(model_backend()).running() as stand_in:
        status, shown = await on_a_terminal("check", stand_in.url + "/chat", columns=40)
    assert status == 0
    assert "held     | README | A streamed answer has status 200 | status 200" in shown
    assert "│" not in shown


async def test_on_a_terminal_sources_and_pace_follow_the_answer() -> None:
    reply = Reply(
        [
            lines({"delta": {}, "context": {"data_points": {"text": ["a.pdf: One."]}}}),
            0.2,
            lines({"delta": {"content": "One [a.pdf]. <<Why?>>"}}),
        ]
    )
    async with StandIn(reply).running() as stand_in:
        status, shown = await on_a_terminal("ask", stand_in.url + "/chat", "Who pays?")
    assert status == 0
    assert "Asking" in shown
    assert "1. a.pdf" in shown
    assert "– Why?" in shown
    assert "first text after" in shown


HOSTILE = "safe\u202egnp.exe\x1b]0;owned\x07\x9b31m\u2066\u200b\u0085end"
MARKED = "safe<U+202E>gnp.exe"


def unsafe(shown: str) -> set[str]:
    """What a terminal was sent that it would obey or not show, but for the colours and the lines of our own."""
    ours = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|\t")
    return {one for one in ours.sub("", shown) if not one.isprintable()}


async def test_an_answer_does_nothing_to_a_terminal() -> None:
    reply = Reply(
        [
            lines({"delta": {"content": ""}, "context": {"data_points": {"text": [f"{HOSTILE}.pdf: Words."]}}}),
            lines({"delta": {"content": f"{HOSTILE} [{HOSTILE}.pdf] <<{HOSTILE}?>>"}}),
            lines({"error": HOSTILE}),
        ]
    )
    async with StandIn(reply).running() as stand_in:
        _, shown = await on_a_terminal("ask", f"{stand_in.url}/chat", "Hi")
    assert unsafe(shown) == set()
    assert shown.count(MARKED) >= 3
    assert "owned" not in re.findall(r"\x1b\]0;(.*)", shown)


@pytest.mark.parametrize("columns", [140, 60])
async def test_a_report_does_nothing_to_a_terminal(columns: int) -> None:
    reply = Reply([lines({"delta": {"content": HOSTILE}, "context": {"thoughts": [{"title": HOSTILE}]}, HOSTILE: 1})])
    async with StandIn(reply).running() as stand_in:
        _, shown = await on_a_terminal("check", f"{stand_in.url}/chat", columns=columns)
    assert unsafe(shown) == set()


async def test_json_of_an_answer_does_nothing_to_a_terminal_and_is_the_answer() -> None:
    reply = Reply([lines({"delta": {"content": "żółw " + HOSTILE}})])
    async with StandIn(reply).running() as stand_in:
        _, shown = await on_a_terminal("ask", f"{stand_in.url}/chat", "Hi", "--json")
    assert unsafe(shown) == set()
    assert json.loads(shown[shown.index("{") : shown.rindex("}") + 1])["text"].startswith("żółw safe\u202egnp.exe")


async def test_what_goes_into_a_file_keeps_the_marks_that_languages_need() -> None:
    async with StandIn(Reply([lines({"delta": {"content": "שלום\u200f!\x1b[31m"}})])).running() as stand_in:
        ran = await run("ask", f"{stand_in.url}/chat", "Hi")
    assert ran.out.startswith("שלום\u200f!")
    assert "\x1b" not in ran.out
