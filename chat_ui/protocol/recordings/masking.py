"""Masking of credentials in a body of readings, which keep their lengths.

A credential may span readings, or consecutive strings of one name, as a model writes it: `{"delta": "sk-1"}` and
`{"delta": "23456"}`. So a possible beginning is kept back until it is decided.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus

_TELLING: Final = 8
"""Bytes of the beginning of a credential that are masked even without its rest."""
_HELD: Final = 3
"""Bytes of a string that are kept back as the beginning of a credential, at least."""
_MOST: Final = 200
"""Secrets that are looked for: the sender of a request chooses their number."""
_LONGEST_HOLD: Final = 16 * 1024
"""Bytes that are kept back for the end of a line, or for the next string of a name."""
_STRING: Final = re.compile(
    rb'(?:"(?P<name>[^"\\]{1,40})"|\b(?P<bare>\w{1,20}))?\s{0,4}:\s{0,4}"(?P<text>(?:[^"\\]++|\\.)++)"'
)
"""A string with its name, in JSON and in lines like `0:"text"`."""


class Piece(NamedTuple):
    """Bytes that came `seconds` after the request."""

    seconds: float
    data: bytes


class _Part(NamedTuple):
    """A part of a text, and its index in the body."""

    at: int
    text: bytes


class SecretMask:
    """Masks `secrets`, of many the first, in pieces of one body: plain, and as JSON and URLs write them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in islice(secrets, _MOST) for form in _forms(secret)}
        self._forms = sorted(forms, key=len, reverse=True)
        self._any = re.compile(b"|".join(map(re.escape, self._forms)))
        self._held: deque[Piece] = deque()
        self._bytes = bytearray()
        """The bytes of the pieces kept back, `_begins` bytes after the beginning of the body."""
        self._begins = 0
        self._read = 0
        """The index in the body of the line whose strings are not read yet."""
        self._body: list[_Part] = []
        """The end of the body, possibly the beginning of a secret."""
        self._strings: dict[bytes, list[_Part]] = {}
        """The ends of the strings of each name, possibly the beginning of a secret."""

    def feed(self, seconds: float, data: bytes) -> list[Piece]:
        """The pieces that are free of secrets for certain, with `data`."""
        if not self._forms:
            return [Piece(seconds, data)]
        self._held.append(Piece(seconds, data))
        part = _Part(self._begins + len(self._bytes), data)
        self._bytes += data
        self._body = self._continued([*self._body, part])
        self._read_strings()
        return list(self._released(min(self._undecided())))

    def close(self) -> list[Piece]:
        """The pieces held back."""
        self._read_strings(is_over=True)
        for run in (self._body, *self._strings.values()):
            self._mask_telling(run)
        return list(self._released(self._begins + len(self._bytes)))

    def _continued(self, run: list[_Part]) -> list[_Part]:
        """The end of a run's text, possibly the beginning of a secret, after masking."""
        text = b"".join(part.text for part in run)
        for found in self._any.finditer(text):
            self._mask(_within(run, *found.span()))
        begun = min(_beginning(form, text) for form in self._forms)
        return list(_within(run, begun, len(text)))

    def _mask(self, parts: Iterable[_Part]) -> None:
        """Mask parts of the body that are kept back."""
        for part in parts:
            start, end = (max(0, place - self._begins) for place in (part.at, part.at + len(part.text)))
            self._bytes[start:end] = b"*" * (end - start)

    def _mask_telling(self, run: list[_Part]) -> None:
        if _size(run) >= _TELLING:
            self._mask(run)

    def _read_strings(self, *, is_over: bool = False) -> None:
        """Look for secrets in the strings of whole lines."""
        size = len(self._bytes)
        end = size if is_over else self._bytes.rfind(b"\n") + 1
        line = self._bytes[end:]
        if len(line) > _LONGEST_HOLD:
            end = size
        start, self._read = self._read - self._begins, max(self._read, self._begins + end)
        for found in _STRING.finditer(bytes(self._bytes[start:end])):
            name = found["name"] or found["bare"] or b""
            part = _Part(self._begins + start + found.start("text"), found["text"])
            self._strings[name] = self._continued([*self._strings.get(name, ()), part])

    def _undecided(self) -> Iterator[int]:
        """The indices of the body from which pieces are kept back."""
        yield self._read
        if self._body:
            yield self._body[0].at
        for name, run in list(self._strings.items()):
            if not run or self._read - run[0].at > _LONGEST_HOLD:
                self._mask_telling(self._strings.pop(name))
            elif _size(run) >= _HELD:
                yield run[0].at

    def _released(self, decided: int) -> Iterator[Piece]:
        """The pieces before that index of the body."""
        while self._held and self._begins + len(self._held[0].data) <= decided:
            seconds, data = self._held.popleft()
            yield Piece(seconds, bytes(self._bytes[: len(data)]))
            del self._bytes[: len(data)]
            self._begins += len(data)


def _beginning(form: bytes, text: bytes) -> int:
    """The index in `text` of an end that is also a beginning of `form`; else the length of `text`."""
    at = text.find(form[:1], max(0, len(text) - len(form) + 1))
    while at >= 0:
        if form.startswith(text[at:]):
            return at
        at = text.find(form[:1], at + 1)
    return len(text)


def _size(run: Iterable[_Part]) -> int:
    return sum(len(part.text) for part in run)


def _within(run: Iterable[_Part], start: int, end: int) -> Iterator[_Part]:
    """The parts of a run from one byte of it to another."""
    at = 0
    for part in run:
        first, last = max(start - at, 0), min(end - at, len(part.text))
        if first < last:
            yield _Part(part.at + first, part.text[first:last])
        at += len(part.text)


def _forms(secret: str) -> Iterator[bytes]:
    """The spellings of `secret` in a body: plain, in JSON, in JSON within JSON, and in URLs."""
    in_json = [_in_json(secret, is_ascii=is_ascii) for is_ascii in (True, False)]
    nested = [_in_json(text, is_ascii=False) for text in in_json]
    slashed = [text.replace("/", "\\/") for text in in_json]
    for text in (secret, *in_json, *nested, *slashed, quote(secret, safe=""), quote_plus(secret)):
        yield text.encode("utf-8", "surrogatepass")


def _in_json(text: str, *, is_ascii: bool) -> str:
    return json.dumps(text, ensure_ascii=is_ascii)[1:-1]
