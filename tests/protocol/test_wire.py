"""The wire record within a limit and without credentials, and the same request for curl."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from chat_ui.protocol.answers.redaction import url_without_secrets
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.backends.curl import curl_command
from chat_ui.protocol.detection.requests import SentRequest
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import SessionState
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.recorder import MAX_RECORDED_PIECES, ResponseRecord, ResponseRecorder
from tests.growth import assert_in_proportion
from tests.protocol.asking import QUESTION
from tests.stand_ins.stand_in import Reply, StandIn, lines

HEL, LO = lines({"delta": {"content": "Hel"}}), lines({"delta": {"content": "lo"}})


async def recorded(reply: Any, **backend: Any) -> ResponseRecord:
    recorder = ResponseRecorder()
    async with StandIn(reply).running() as stand_in, AsyncClient() as client:
        await client.ask(Backend(stand_in.url + "/chat", **backend), QUESTION, recorder)
    return recorder.record()


async def test_lines_have_their_times_with_earlier_attempts_and_error_bodies() -> None:
    record = await recorded(Reply([HEL[:5], HEL[5:], LO + b'{"x": 1}']))
    assert [line.text for line in record.lines] == [HEL.decode().strip(), LO.decode().strip(), '{"x": 1}']
    first, second, third = (line.seconds for line in record.lines)
    assert 0 < first <= second <= third
    assert (record.status, record.left_out, record.size) == (200, 0, len(HEL + LO) + 8)
    assert ("content-type", "application/jsonl") in record.headers
    error = b'{"error": "no"}'
    record = await recorded(lambda request: Reply(status=404) if "stream" in request.path else Reply([error], 500))
    assert record.url.endswith("/chat")
    assert [(url.rpartition("/")[2], status) for url, status in record.tried] == [("stream", 404)]
    assert (record.status, [line.text for line in record.lines]) == (500, [error.decode()])


async def test_a_returned_credential_is_not_kept() -> None:
    reply = Reply([lines({"delta": {"content": "your key s3cr3t-k3y"}})], headers={"X-Echo": "s3cr3t-k3y"})
    record = await recorded(reply, headers={"Authorization": "Bearer s3cr3t-k3y"})
    assert "s3cr3t" not in repr(record)


# --- curl ---


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


class Shell:
    """A POSIX shell in a folder with only a `curl` that prints its arguments."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "work"
        self._folder.mkdir()
        self._found = folder / "found"
        self._found.mkdir()
        curl = self._found / "curl"
        curl.write_text("#!/bin/sh\nprintf '%s\\0' \"$@\"\n")
        curl.chmod(0o700)
        (self._found / "touch").symlink_to(shutil.which("touch") or "")

    def arguments_of(self, command: str, **environment: str) -> list[str]:
        """The arguments of the one call of curl.

        Raises:
            AssertionError: more ran than one curl.
        """
        ran = subprocess.run(
            ["/bin/sh", "-c", command],
            env={"PATH": str(self._found), **environment},
            cwd=self._folder,
            capture_output=True,
            check=True,
        )
        assert (list(self._folder.iterdir()), ran.stderr) == ([], b"")
        return ran.stdout.decode().removesuffix("\0").split("\0")

    def body_of(self, command: str, **environment: str) -> dict[str, Any]:
        *_, option, body = self.arguments_of(command, **environment)
        assert option == "-d"
        found: dict[str, Any] = json.loads(body)
        return found


def test_the_curl_command_is_the_same_request(shell: Shell) -> None:
    backend = Backend("http://x.test/chat?v=1&w=2", headers={"X-Team": "blue"}).with_api_key("s3cr3t-k3y")
    question = ChatRequest((Message("user", 'What\'s "this" $HOME `id` \\ żółw?\n'),), overrides={"top": 3})
    command = curl_command(backend, question)
    assert "s3cr3t" not in command
    assert "blue" not in command
    *before, body = shell.arguments_of(command, CHAT_UI_KEY="s3cr3t-k3y", X_TEAM="blue")
    assert before == [
        "-gN", "http://x.test/chat/stream?v=1&w=2", "-H", "X-Team: blue", "-H", "Authorization: Bearer s3cr3t-k3y",
        "-H", "Content-Type: application/json", "-d",
    ]  # fmt: skip
    assert json.loads(body) == {
        "messages": [{"role": "user", "content": question.messages[0].content}],
        "context": {"overrides": {"top": 3}},
    }


def test_the_curl_command_names_azures_key_and_files() -> None:
    backend = KNOWN_BACKENDS["azure-openai-on-your-data"].below("https://x.test").with_api_key("s3cr3t-k3y-of-mine")
    command = curl_command(backend, replace(QUESTION, overrides={"note": "s3cr3t-k3y-of-mine"}))
    assert '-H "api-key: $CHAT_UI_KEY"' in command
    assert "s3cr3t" not in command, "nor where it was typed into an option as well"
    request = ChatRequest((Message("user", 'Say "hi"', (Attachment("a;b.png", "image/png", b"\x89PNG"),)),))
    command = curl_command(KNOWN_BACKENDS["ai-chat-protocol"].below("http://x.test"), request)
    assert 'messages[0].files[0]=@"a;b.png";type=image/png' in command
    body = command.split("json=")[1].split(";type=application/json")[0]
    assert json.loads(json.loads(body))["messages"][0]["content"] == 'Say "hi"'
    # A form with its JSON as a file is written for curl too.
    backend = KNOWN_BACKENDS["microsoft-express"].below("http://127.0.0.1:1")
    assert ";type=application/json;filename=request.json" in curl_command(backend, request)
    assert "filename=" not in curl_command(replace(backend, files="multipart"), request)


HOSTILE = (
    *("`touch PWNED`", "$(touch PWNED)", "${IFS}touch${IFS}PWNED", "'; touch PWNED; '", '"; touch PWNED; "', "\\"),
    *("\\'; touch PWNED #", "\n touch PWNED\n", "| touch PWNED & touch PWNED", "> PWNED", "!!", "*?[a-z]{a,b}~"),
    *("-o PWNED", "@/etc/passwd", "$CHAT_UI_KEY!", "\x1b[201~touch PWNED\r"),
)


def test_any_question_option_or_file_name_is_one_argument(shell: Shell) -> None:
    for words in HOSTILE:
        picture = Attachment(f"{words}.png", "image/png", b"\x89PNG")
        request = ChatRequest((Message("user", words),), overrides={words: words})
        body = shell.body_of(curl_command(Backend("http://x.test/chat"), request))
        assert body["messages"][0]["content"] == words
        assert body["context"]["overrides"] == {words: words}
        backend = KNOWN_BACKENDS["ai-chat-protocol"].below("http://x.test")
        command = curl_command(backend, ChatRequest((Message("user", words, (picture,)),)))
        *_, file = shell.arguments_of(command)
        assert file.startswith('messages[0].files[0]=@"')
        assert "/" not in file.removesuffix("type=image/png")
        assert command.replace("\n", "").isprintable()


def test_any_header_and_address_is_one_argument(shell: Shell) -> None:
    for words in (word.replace("\n", "") for word in HOSTILE):
        backend = Backend("http://x.test/chat", headers={f"X-{words}": "s3cr3t-k3y"})
        _, _, option, header, *_ = shell.arguments_of(curl_command(backend, QUESTION))
        assert (option, header) == ("-H", f"X-{words}: ")
        assert "s3cr3t" not in curl_command(backend, QUESTION)
    for path in ("/chat?a='&b=`touch PWNED`", "/chat?$(touch${IFS}PWNED)", "/{a,b}/[1-9]/chat?c=!!"):
        backend = Backend(f"http://x.test{path}", streaming="server")
        assert shell.arguments_of(curl_command(backend, QUESTION))[:2] == ["-gN", f"http://x.test{path}"]


def test_a_header_is_never_filled_from_the_shells_own_variables(shell: Shell) -> None:
    backend = Backend("http://x.test/chat", headers={"Path": "s3cr3t", "Home": "s3cr3t", "1": "s3cr3t"})
    arguments = shell.arguments_of(curl_command(backend, QUESTION), HOME="/root", X_PATH="mine")
    assert [word for word in arguments if word.startswith(("Path", "Home", "1"))] == ["Path: mine", "Home: ", "1: "]


def test_a_credential_in_the_address_is_hidden_however_short() -> None:
    names = ("key", "code", "sig", "api-key", "subscription-key", "access_token", "%6Bey", "Pwd")
    for name, value in product(names, ("s3c", "s3cr3t-k3y", "s3cr3t%2Fk3y")):
        url = f"http://x.test/chat?v=1&{name}={value}&w=2"
        recorder = ResponseRecorder()
        recorder.sent(url, ())
        recorder.answered(404, {})
        recorder.sent(url, ())
        sent = SentRequest("GET", url, 200, "told")
        for shown in (curl_command(Backend(url), QUESTION), repr(recorder.record()), repr(sent)):
            assert [word in shown for word in (value, "v=1", "w=2")] == [False, True, True]


def test_the_cost_of_showing_an_address_grows_linearly() -> None:
    assert_in_proportion(url_without_secrets, 20_000, made=lambda length: f"http://x.test/chat?{'a' * length}")


def test_an_oversized_command_has_the_newest_messages_and_says_so(shell: Shell) -> None:
    newest = (Message("assistant", "Now " * 20_000), Message("user", "And then?"))
    history = (Message("user", "é" * 100_000), *newest)
    backend = Backend("http://x.test/chat")
    command = curl_command(backend, ChatRequest(history, session_state=SessionState("state", "s" * 8_000_000)))
    assert command.startswith("# Shortened: ")
    body = shell.body_of(command)
    assert [message["content"] for message in body["messages"]] == [message.content for message in newest]
    assert "state" not in body
    assert "# Shortened" not in curl_command(backend, ChatRequest(newest))
    assert "# Shortened" not in curl_command(replace(backend, history="last"), ChatRequest(history))
    for letter in ("a", "é", "\x01", '"', "'"):
        command = curl_command(Backend("http://x.test/chat"), ChatRequest((Message("user", letter * 400_000),)))
        [message] = shell.body_of(command)["messages"]
        assert set(message["content"]) == {letter}
        assert command.startswith("# Shortened: ")


def record_of(recorder: ResponseRecorder, pieces: int, piece: bytes) -> ResponseRecord:
    for number in range(pieces):
        recorder.piece(number, piece)
    return recorder.record()


def test_a_body_is_kept_whole_up_to_the_limit_and_else_both_ends() -> None:
    for pieces, head_lines in ((10, 10), (11, 5)):
        record = record_of(ResponseRecorder(max_bytes=1000), pieces, b"x" * 99 + b"\n")
        assert (record.size, record.left_out, record.head_lines) == (pieces * 100, (pieces - 10) * 100, head_lines)
        kept = [0, 1, 2, 3, 4, *range(pieces - 5, pieces)]
        assert [(line.seconds, line.text) for line in record.lines] == [(number, "x" * 99) for number in kept]
    for size in (1, 7, 1400):
        record = record_of(ResponseRecorder(max_bytes=4000), 14_000 // size, b"x" * size)
        assert 4000 <= record.size - record.left_out <= 4000 + 2 * size
    record = record_of(ResponseRecorder(max_bytes=100), 3, b"x" * 999 + b"\n")
    assert ([line.seconds for line in record.lines], record.left_out, record.head_lines) == ([0, 2], 1000, 1)
    for more in (0, 1):
        record = record_of(ResponseRecorder(), MAX_RECORDED_PIECES + more, b"\n")
        assert (len(record.lines), record.left_out) == (MAX_RECORDED_PIECES, more)
        assert record.head_lines == MAX_RECORDED_PIECES // (1 + more)


def test_a_lines_time_is_its_last_bytes_and_its_text_has_no_line_end() -> None:
    recorder = ResponseRecorder()
    for seconds, piece in ((1, b"a"), (2, b"b\r"), (3, b"\nc\r\r\n\n"), (4, b"\xff"), (5, b"")):
        recorder.piece(seconds, piece)
    lines = [(line.seconds, line.text) for line in recorder.record().lines]
    assert lines == [(3, "ab"), (3, "c\r"), (3, ""), (5, "\ufffd")]


def test_a_new_request_begins_a_new_record() -> None:
    recorder = ResponseRecorder()
    recorder.sent("http://a.example/stream?code=s3cr3t", ("k-123456",))
    recorder.answered(404, {"x-key": "k-123456"})
    recorder.piece(1, b"k-123456\n")
    first = recorder.record()
    assert (first.url, first.status, first.tried) == ("http://a.example/stream?code=…", 404, ())
    assert (first.headers, [line.text for line in first.lines]) == ((("x-key", "…"),), ["…"])
    recorder.sent("http://a.example/chat", ())
    assert recorder.record() == ResponseRecord("http://a.example/chat", (("http://a.example/stream?code=…", 404),))
    recorder.sent("http://a.example/again", ())
    assert recorder.requests == (("http://a.example/stream?code=…", 404), ("http://a.example/again", None))
