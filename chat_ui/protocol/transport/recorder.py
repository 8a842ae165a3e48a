"""What travelled for one answer, kept within a bound for whoever wants to look, and the same request for curl."""

from __future__ import annotations

import json
import re
import shlex
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.redaction import (
    object_without_secrets,
    secrets_in,
    secrets_in_body,
    secrets_in_url,
    url_without_secrets,
    without_secrets,
)
from chat_ui.protocol.backends.backend import Backend, attempts
from chat_ui.protocol.backends.request import (
    JSON_FILE,
    Attachment,
    ChatRequest,
    Message,
    check,
    is_form,
    request_body,
    sent_messages,
)
from chat_ui.protocol.recently_used import size_of

MAX_RECORDED_BYTES: Final = 128 * 1024
"""Bytes of a body that are kept by default: half from its beginning, half from its end."""
MAX_RECORDED_PIECES: Final = 4096
"""Pieces that are kept at most, half from the beginning, half from the end."""
KEY_VARIABLE: Final = "CHAT_UI_KEY"
"""The shell variable, and the environment variable, that holds a key."""
_ARGUMENT: Final = 120_000
"""Bytes of messages in a command, and of a session state: Linux takes 128 KiB in one argument."""
_NEEDS_NO_QUOTING: Final = re.compile(r"[A-Za-z0-9_: -]+")


class WireLine(NamedTuple):
    """A line as it came, without its line end; `seconds` since the request was sent, when its last byte was there."""

    seconds: float
    text: str


@dataclass(frozen=True, slots=True)
class WireRecord:
    """What came for one answer.

    `url` is where the request went in the end, `tried` the addresses before it with the status that each answered;
    `status` is None where no answer came. `lines` are the body's, decompressed; `left_out` counts the bytes between
    the first `head_lines` of them and the others that were not kept. `size` is the length of the body.
    """

    url: str = ""
    tried: tuple[tuple[str, int | None], ...] = ()
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    lines: tuple[WireLine, ...] = ()
    head_lines: int = 0
    left_out: int = 0
    size: int = 0


@dataclass(slots=True)
class WireRecorder:
    """Keeps what comes for one answer: the beginning and the end of its body, as it was read and without a copy.

    `max_bytes` and `MAX_RECORDED_PIECES` bound what is kept; a piece counts whole, so up to two pieces more may be
    kept.
    """

    max_bytes: int = MAX_RECORDED_BYTES
    _url: str = ""
    _tried: list[tuple[str, int | None]] = field(default_factory=list)
    _status: int | None = None
    _headers: tuple[tuple[str, str], ...] = ()
    _secrets: tuple[str, ...] = ()
    _head: list[tuple[float, bytes]] = field(default_factory=list)
    _head_bytes: int = 0
    _tail: deque[tuple[float, bytes]] = field(default_factory=deque)
    _tail_bytes: int = 0
    _size: int = 0

    def sent(self, url: str, secrets: Iterable[str]) -> None:
        """A request went to `url`; `secrets` are left out of everything that is shown."""
        if self._status is not None:
            self._tried.append((self._url, self._status))
        self._url, self._status, self._headers, self._secrets = url, None, (), tuple(secrets)
        self._head.clear()
        self._tail.clear()
        self._head_bytes = self._tail_bytes = self._size = 0

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """The status line and the headers came."""
        self._status, self._headers = status, tuple(headers.items())

    def piece(self, seconds: float, data: bytes) -> None:
        """A piece of the body came, `seconds` after the request was sent."""
        self._size += len(data)
        if not self._tail and self._head_bytes < self.max_bytes // 2 and len(self._head) < MAX_RECORDED_PIECES // 2:
            self._head.append((seconds, data))
            self._head_bytes += len(data)
            return
        self._tail.append((seconds, data))
        self._tail_bytes += len(data)
        while len(self._tail) > MAX_RECORDED_PIECES // 2 or (
            len(self._tail) > 1 and self._tail_bytes - len(self._tail[0][1]) >= self.max_bytes // 2
        ):
            self._tail_bytes -= len(self._tail.popleft()[1])

    @property
    def requests(self) -> tuple[tuple[str, int | None], ...]:
        """Where a question was sent, in order, with the status of each answer; None where none came."""
        sent = [*self._tried, (self._url, self._status)]
        return tuple((without_secrets(url_without_secrets(url), self._secrets), status) for url, status in sent)

    def record(self) -> WireRecord:
        """What there is so far."""
        *tried, (url, status) = self.requests
        left_out = self._size - self._head_bytes - self._tail_bytes
        if left_out:
            head = _lines(self._head)
            lines = head + _lines(self._tail)
        else:
            lines = head = _lines([*self._head, *self._tail])
        return WireRecord(
            url=url,
            tried=tuple(tried),
            status=status,
            headers=tuple((name, without_secrets(value, self._secrets)) for name, value in self._headers),
            lines=tuple(WireLine(line.seconds, without_secrets(line.text, self._secrets)) for line in lines),
            head_lines=len(head),
            left_out=left_out,
            size=self._size,
        )


def _lines(pieces: Iterable[tuple[float, bytes]]) -> list[WireLine]:
    lines: list[WireLine] = []
    begun: list[bytes] = []
    seconds = 0.0
    for seconds, data in pieces:
        first, *others = data.split(b"\n")
        begun.append(first)
        for other in others:
            lines.append(_line(seconds, begun))
            begun = [other]
    if any(begun):
        lines.append(_line(seconds, begun))
    return lines


def _line(seconds: float, parts: list[bytes]) -> WireLine:
    return WireLine(seconds, b"".join(parts).removesuffix(b"\r").decode("utf-8", "replace"))


def characters_per_second(answer: Answer) -> float | None:
    """The pace of the answer's text, from its first character to its end; None where there was none to measure."""
    timing = answer.timing
    if timing.first_text is None or timing.total is None or timing.total <= timing.first_text:
        return None
    return len(answer.text) / (timing.total - timing.first_text)


def curl_command(backend: Backend, request: ChatRequest) -> str:
    """The first request that an answer to `request` takes, for a POSIX shell.

    Every word of it is one argument, whatever is in it. Values of headers are credentials or may be: each is a shell
    variable, `$CHAT_UI_KEY` for the key itself. An ellipsis stands for a credential in the address or the body. Files
    are named, not written out. What is longer than an argument may be is shortened, and a comment says so.

    Raises:
        UnsendableError: the request cannot be sent to the backend.
    """
    check(backend, request)
    whole = replace(request, messages=sent_messages(backend, request))
    request = _that_fits(backend, whole)
    way = attempts(backend)[0]
    # `-g`: curl itself would take brackets and braces in an address for many addresses.
    words = ["curl", "-gN", shlex.quote(url_without_secrets(way.url))]
    words += [_header(backend, name, value) for name, value in backend.headers.items()]
    secrets = (
        *secrets_in(backend.headers, in_prose=True),
        *secrets_in_url(way.url),
        *secrets_in_body({**request.overrides, **backend.extra_body}),
    )
    shown = object_without_secrets(request_body(backend, request, stream_flag=way.stream_flag), secrets)
    body = json.dumps(shown)
    if is_form(backend, request):
        named = f";filename={JSON_FILE}" if backend.files == "multipart-file" else ""
        words.append("-F " + shlex.quote(f"json={_quoted(body)};type=application/json{named}"))
        words += [
            "-F " + shlex.quote(f"messages[{i}].files[{j}]=@{_file_name(file)};type={file.media_type}")
            for i, message in enumerate(sent_messages(backend, request))
            for j, file in enumerate(message.files)
        ]
    else:
        words.append("-H 'Content-Type: application/json'")
        words.append("-d " + shlex.quote(body))
    command = " \\\n  ".join([" ".join(words[:3]), *words[3:]])
    return command if request == whole else f"# Shortened: the whole request is too long for a command.\n{command}"


def _that_fits(backend: Backend, request: ChatRequest) -> ChatRequest:
    """The request with its newest messages alone, and without its session state, where more does not fit."""
    left = _ARGUMENT
    kept: list[Message] = []
    for message in reversed(request.messages):
        left -= sum(4 * len(file.data) // 3 for file in message.files if not backend.takes_forms)
        left -= len(message.content) if len(message.content) > left else len(json.dumps(message.content))
        if left < 0:
            break
        kept.insert(0, message)
    question = request.messages[-1]
    state = request.session_state
    return replace(
        request,
        messages=tuple(kept) or (replace(question, content=question.content[: _ARGUMENT // 6], files=()),),
        session_state=state if state and size_of((state.value,), _ARGUMENT) <= _ARGUMENT else None,
    )


def _header(backend: Backend, name: str, value: str) -> str:
    """The option for a header whose value is a shell variable, which never is one that a shell has anyway."""
    is_key = name.lower() == backend.key_header.lower()
    beginning = f"{name}: Bearer " if is_key and value.startswith("Bearer ") else f"{name}: "
    known_as = re.sub(r"[^A-Z0-9]+", "_", name.upper())
    variable = KEY_VARIABLE if is_key else known_as if known_as.startswith("X_") else f"X_{known_as}"
    if _NEEDS_NO_QUOTING.fullmatch(beginning):
        return f'-H "{beginning}${variable}"'
    return f'-H {shlex.quote(beginning)}"${variable}"'


def _file_name(file: Attachment) -> str:
    """The name of a file in the folder where the command runs, as `-F` takes it."""
    name = "".join(filter(str.isprintable, PurePosixPath(file.name).name))
    return _quoted(name)


def _quoted(text: str) -> str:
    """`text` in the double quotes that curl's `-F` takes around what holds a semicolon."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
