"""Masking credentials in a body that comes in readings, which keep their lengths.

A credential may stand across readings. So a reading whose end may be the beginning of one is held back until the next
ones tell.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus

_MASK: Final = b"*"
_TELLING: Final = 8
"""Bytes at the end of a body that are masked because a credential begins with them."""


class Piece(NamedTuple):
    """Bytes that came `seconds` after the request."""

    seconds: float
    data: bytes


class SecretMask:
    """Masks `secrets` in pieces of one body: as they are, and as JSON and URLs write them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        self._forms = sorted(forms, key=len, reverse=True)
        self._any = re.compile(b"|".join(map(re.escape, self._forms))) if forms else None
        self._held: deque[Piece] = deque()
        self._bytes = b""
        """Those of the pieces held back."""

    def feed(self, seconds: float, data: bytes) -> list[Piece]:
        """The pieces that hold no secret for certain, now that `data` is there."""
        if self._any is None:
            return [Piece(seconds, data)]
        self._held.append(Piece(seconds, data))
        self._bytes += data
        decided = min(_beginning(form, self._bytes) for form in self._forms)
        self._bytes = self._any.sub(partial(_masked, decided), self._bytes)
        return list(self._released(decided))

    def close(self) -> list[Piece]:
        """The pieces held back. An end that is a telling part of a secret is masked too."""
        size = len(self._bytes)
        if self._any is not None:
            self._bytes = self._any.sub(partial(_masked, size), self._bytes)
        begun = min((_beginning(form, self._bytes) for form in self._forms), default=size)
        if size - begun >= _TELLING:
            self._bytes = self._bytes[:begun] + _MASK * (size - begun)
        return list(self._released(size))

    def _released(self, decided: int) -> Iterator[Piece]:
        """The pieces whose bytes lie before `decided`."""
        at = 0
        while self._held and at + len(self._held[0].data) <= decided:
            seconds, data = self._held.popleft()
            yield Piece(seconds, self._bytes[at : at + len(data)])
            at += len(data)
        self._bytes = self._bytes[at:]


def _masked(decided: int, found: re.Match[bytes]) -> bytes:
    """The mask of a secret, unless it begins where a longer one may."""
    return _MASK * len(found.group()) if found.start() < decided else found.group()


def _forms(secret: str) -> Iterator[bytes]:
    """How `secret` may be written in a body: as it is, in JSON, in JSON that is text of JSON, and in URLs."""
    in_json = [_in_json(secret, is_ascii=is_ascii) for is_ascii in (True, False)]
    nested = [_in_json(text, is_ascii=False) for text in in_json]
    slashed = [text.replace("/", "\\/") for text in in_json]
    for text in (secret, *in_json, *nested, *slashed, quote(secret, safe=""), quote_plus(secret)):
        yield text.encode("utf-8", "surrogatepass")


def _in_json(text: str, *, is_ascii: bool) -> str:
    return json.dumps(text, ensure_ascii=is_ascii)[1:-1]


def _beginning(form: bytes, data: bytes) -> int:
    """The index in `data` of an end that is also a beginning of `form`; the length of `data` where there is none."""
    at = data.find(form[:1], max(0, len(data) - len(form) + 1))
    while at >= 0:
        if form.startswith(data[at:]):
            return at
        at = data.find(form[:1], at + 1)
    return len(data)
