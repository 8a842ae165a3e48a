"""The exchange of one answer, recorded within a bound for the inspector."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from chat_ui.protocol.answers.redaction import url_without_secrets, without_secrets

MAX_RECORDED_BYTES: Final = 128 * 1024
"""Bytes of a body that are kept by default: half from its beginning, half from its end."""
MAX_RECORDED_PIECES: Final = 4096
"""Pieces that are kept at most, half from the beginning, half from the end."""


class ResponseLine(NamedTuple):
    """A line without its end; `seconds` since the request was sent, at its last byte."""

    seconds: float
    text: str


@dataclass(frozen=True, slots=True)
class ResponseRecord:
    """The response with one answer.

    `url` is the final target of the request, `tried` the addresses before it with their statuses; `status` is None
    without an answer. `lines` are the body's, decompressed; `left_out` counts the omitted bytes after the first
    `head_lines`. `size` is the length of the body.
    """

    url: str = ""
    tried: tuple[tuple[str, int | None], ...] = ()
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    lines: tuple[ResponseLine, ...] = ()
    head_lines: int = 0
    left_out: int = 0
    size: int = 0


@dataclass(slots=True)
class ResponseRecorder:
    """Records the response with one answer: the beginning and the end of its body, as read and without a copy.

    `max_bytes` and `MAX_RECORDED_PIECES` bound the kept pieces; a piece counts whole, so up to two more may be kept.
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
        """A request was sent to `url`; `secrets` are left out of everything that is shown."""
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
        """The addresses of a question, in order, each with the status of its answer, or None without one."""
        sent = [*self._tried, (self._url, self._status)]
        return tuple((without_secrets(url_without_secrets(url), self._secrets), status) for url, status in sent)

    def record(self) -> ResponseRecord:
        """The record so far."""
        *tried, (url, status) = self.requests
        left_out = self._size - self._head_bytes - self._tail_bytes
        if left_out:
            head = _lines(self._head)
            lines = head + _lines(self._tail)
        else:
            lines = head = _lines([*self._head, *self._tail])
        return ResponseRecord(
            url=url,
            tried=tuple(tried),
            status=status,
            headers=tuple((name, without_secrets(value, self._secrets)) for name, value in self._headers),
            lines=tuple(ResponseLine(line.seconds, without_secrets(line.text, self._secrets)) for line in lines),
            head_lines=len(head),
            left_out=left_out,
            size=self._size,
        )


def _lines(pieces: Iterable[tuple[float, bytes]]) -> list[ResponseLine]:
    lines: list[ResponseLine] = []
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


def _line(seconds: float, parts: list[bytes]) -> ResponseLine:
    return ResponseLine(seconds, b"".join(parts).removesuffix(b"\r").decode("utf-8", "replace"))
