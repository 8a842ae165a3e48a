"""Masking credentials in a body that comes in readings, which keep their lengths.

A credential may stand across readings, or in the strings of one name that come one after the other, as a model writes
it: `{"delta": "sk-1"}` and `{"delta": "23456"}`. So what may be the beginning of one is held back until it is known.
A string that ends with a telling beginning of one, or begins with a telling end, is masked there whatever follows.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import chain, islice
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus

_MASK: Final = ord("*")
_TELLING: Final = 8
"""Bytes at the end of a body or a string that are masked because a credential begins with them, and at the beginning of
a string because one ends with them.
"""
_HEAD: Final = 4
"""Bytes by which the places are found at which a credential may begin."""
_HELD: Final = 3
"""Bytes of a string that are held back because a credential begins with them: fewer tell nothing."""
_MOST: Final = 200
"""Secrets that are looked for: whoever sends a request chooses how many it has."""
_LONGEST_HOLD: Final = 16 * 1024
"""Bytes that are held back for the end of a line, or for the next string of a name."""
_STRING: Final = re.compile(
    rb'(?:"(?P<name>[^"\\]{1,40})"|\b(?P<bare>\w{1,20}))?\s{0,4}:\s{0,4}"(?P<text>(?:[^"\\]|\\.){1,200})"'
)
"""A short string with its name, in JSON and in lines like `0:"text"`."""


class Piece(NamedTuple):
    """Bytes that came `seconds` after the request."""

    seconds: float
    data: bytes


class _Part(NamedTuple):
    """A part of a string, and where in the body it begins."""

    at: int
    text: bytes


class SecretMask:
    """Masks `secrets`, of many the first, in pieces of one body: as they are, and as JSON and URLs write them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in islice(secrets, _MOST) for form in _forms(secret)}
        self._forms = sorted(forms)
        self._mirrored = sorted(form[::-1] for form in forms)
        self._longest = max(map(len, forms), default=0)
        self._any = _one_of(forms) if forms else None
        self._heads = re.compile(b"(?=%s)" % _one_of({form[:_HEAD] for form in forms}).pattern)
        self._ends = _one_of({form[-_TELLING:] for form in forms})
        self._held: deque[Piece] = deque()
        self._bytes = bytearray()
        """Those of the pieces held back, `_begins` bytes after the beginning of the body."""
        self._begins = 0
        self._looked = 0
        """Where the bytes begin in which no whole secret is looked for yet, in the body."""
        self._parts: list[_Part] = []
        """The telling parts of secrets in the pieces held back, which are masked as these are released: a heap."""
        self._read = 0
        """Where the line begins that is not read for strings yet, in the body."""
        self._runs: dict[bytes, list[_Part]] = {}
        """The last strings of each name where a secret may begin in them."""

    def feed(self, seconds: float, data: bytes) -> list[Piece]:
        """The pieces that hold no secret for certain, now that `data` is there."""
        if self._any is None:
            return [Piece(seconds, data)]
        self._held.append(Piece(seconds, data))
        self._bytes += data
        self._find_parts(len(data))
        self._read_strings()
        whole = self._beginning(self._bytes)
        self._mask_whole(self._any, whole)
        return list(self._released(min(self._begins + whole, self._read, *self._run_starts())))

    def close(self) -> list[Piece]:
        """The pieces held back. An end that is a telling part of a secret is masked too."""
        if self._any is None:
            return []
        self._read_strings(is_over=True)
        size = len(self._bytes)
        self._mask_whole(self._any, size)
        begun = self._beginning(self._bytes)
        if size - begun >= _TELLING:
            self._mask(self._begins + begun, size - begun)
        for run in self._runs.values():
            if sum(len(text) for _, text in run) >= _TELLING:
                for at, text in run:
                    self._mask(at, len(text))
        return list(self._released(self._begins + size))

    def _mask_whole(self, secret: re.Pattern[bytes], decided: int) -> None:
        """Mask the secrets that stand in one, but for one that begins where a longer one may."""
        start = max(0, self._looked - self._begins)
        self._looked = max(self._looked, self._begins + decided)
        if not self._heads.search(self._bytes, start):
            return
        for found in secret.finditer(bytes(self._bytes), start):
            if found.start() < decided:
                self._mask(self._begins + found.start(), len(found.group()))

    def _find_parts(self, new: int) -> None:
        """Find the telling parts of secrets before and after quotation marks that end in the last `new` bytes."""
        first = max(0, len(self._bytes) - new - self._longest - 1)
        data = bytes(self._bytes[first:])
        known = len(data) - new
        if b'"' not in data:
            return
        for found in self._heads.finditer(data):
            end = data.find(b'"', found.start(), found.start() + self._longest + 1)
            part = data[found.start() : end].rstrip(b"\\") if end > 0 else b""
            if end >= known and len(part) >= _TELLING and _begins_one(self._forms, part):
                heappush(self._parts, _Part(self._begins + first + found.start(), part))
        for found in self._ends.finditer(data):
            start = data.rfind(b'"', 0, found.start()) + 1
            part = data[start : found.end()]
            is_new = found.end() > known
            if is_new and start and len(part) >= _TELLING and _begins_one(self._mirrored, part[::-1]):
                heappush(self._parts, _Part(self._begins + first + start, part))

    def _beginning(self, data: bytes | bytearray) -> int:
        """The index in `data` of an end that is also a beginning of a secret; its length where there is none."""
        first = max(0, len(data) - self._longest + 1)
        last = max(first, len(data) - _HEAD + 1)
        for at in chain((found.start() for found in self._heads.finditer(data, first)), range(last, len(data))):
            if _begins_one(self._forms, bytes(data[at:])):
                return at
        return len(data)

    def _mask(self, at: int, size: int) -> None:
        """Mask `size` bytes from that place of the body on, as far as they are held back."""
        start, end = max(0, at - self._begins), max(0, at - self._begins + size)
        self._bytes[start:end] = bytes([_MASK]) * (end - start)

    def _read_strings(self, *, is_over: bool = False) -> None:
        """Look for secrets in the strings of the lines that are whole."""
        size = len(self._bytes)
        end = size if is_over else self._bytes.rfind(b"\n") + 1
        line = self._bytes[end:]
        if len(line) > _LONGEST_HOLD or not (b'"' in line or b":" in line):
            end = size
        start, self._read = self._read - self._begins, max(self._read, self._begins + end)
        lines = bytes(self._bytes[start:end])
        for found in _STRING.finditer(lines) if b"\0" not in lines else ():
            name = found["name"] or found["bare"] or b""
            part = _Part(self._begins + start + found.start("text"), found["text"])
            self._runs[name] = self._continued([*self._runs.get(name, ()), part])

    def _continued(self, run: list[_Part]) -> list[_Part]:
        """The end of a run in which a secret may begin, once the secrets in it are masked."""
        joined = b"".join(text for _, text in run)
        for found in self._any.finditer(joined) if self._any is not None else ():
            for part in _within(run, *found.span()):
                self._mask(part.at, len(part.text))
        begun = self._beginning(joined)
        return list(_within(run, begun, len(joined)))

    def _run_starts(self) -> Iterator[int]:
        """The places up to which pieces are held back for the strings that follow."""
        for name, run in list(self._runs.items()):
            if not run or self._read - run[0].at > _LONGEST_HOLD:
                del self._runs[name]
            elif sum(len(text) for _, text in run) >= _HELD:
                yield run[0].at

    def _released(self, decided: int) -> Iterator[Piece]:
        """The pieces that lie before that place of the body."""
        while self._held and self._begins + len(self._held[0].data) <= decided:
            seconds, data = self._held.popleft()
            while self._parts and self._parts[0].at < self._begins + len(data):
                at, part = heappop(self._parts)
                self._mask(at, len(part))
            yield Piece(seconds, bytes(self._bytes[: len(data)]))
            del self._bytes[: len(data)]
            self._begins += len(data)


def _one_of(texts: Iterable[bytes]) -> re.Pattern[bytes]:
    """Finds the longest of `texts`."""
    return re.compile(b"|".join(map(re.escape, sorted(texts, key=len, reverse=True))))


def _begins_one(ordered: list[bytes], part: bytes) -> bool:
    """Whether one of the texts, which are in order, begins with `part`."""
    at = bisect_left(ordered, part)
    return at < len(ordered) and ordered[at].startswith(part)


def _within(run: Iterable[_Part], start: int, end: int) -> Iterator[_Part]:
    """The parts of a run from one byte of it to another."""
    at = 0
    for part in run:
        first, last = max(start - at, 0), min(end - at, len(part.text))
        if first < last:
            yield _Part(part.at + first, part.text[first:last])
        at += len(part.text)


def _forms(secret: str) -> Iterator[bytes]:
    """How `secret` may be written in a body: as it is, in JSON, in JSON that is text of JSON, and in URLs."""
    in_json = [_in_json(secret, is_ascii=is_ascii) for is_ascii in (True, False)]
    nested = [_in_json(text, is_ascii=False) for text in in_json]
    slashed = [text.replace("/", "\\/") for text in in_json]
    for text in (secret, *in_json, *nested, *slashed, quote(secret, safe=""), quote_plus(secret)):
        yield text.encode("utf-8", "surrogatepass")


def _in_json(text: str, *, is_ascii: bool) -> str:
    return json.dumps(text, ensure_ascii=is_ascii)[1:-1]
