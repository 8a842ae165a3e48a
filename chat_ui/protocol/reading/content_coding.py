"""Decoding the content codings of a body piece by piece: gzip of any number of members, and deflate with or without
the frame of zlib.

httpx2 decodes them too, but ends a body with its first member, and does not tell a broken body from a whole one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

ACCEPT_ENCODING: Final = "gzip, deflate"
MAX_PIECE: Final = 64 * 1024
"""Bytes of a piece at most, since a few compressed bytes may become many."""

_GZIP: Final = frozenset({"gzip", "x-gzip"})
_NOT_READ: Final = frozenset({"br", "zstd", "compress", "x-compress", "dcb", "dcz"})
_MOST_CODINGS: Final = 2
_GZIP_BEGINS: Final = 0x1F
_PADDING: Final = b"\0"
_ZLIB_HEAD: Final = 2
"""Bytes that identify a frame of zlib (RFC 1950, 2.2)."""
_ENOUGH_TEXT: Final = 8
_LONGEST_HEAD: Final = 16
_TEXT: Final = re.compile(rb"(?:\xef\xbb\xbf)?[\t\r\n -~]*")


def coding_not_read(header: str) -> str | None:
    """The coding in a `Content-Encoding` that cannot be decoded here, else None."""
    names = _names(header)
    if len(names) > _MOST_CODINGS:
        return f"{names[0]} and {len(names) - 1:,} others"
    return next((name for name in names if name in _NOT_READ), None)


def _names(header: str) -> list[str]:
    return [name.strip().lower() for name in header.split(",")]


class ContentDecoder:
    """Undoes the codings of a `Content-Encoding`, last first; names other than compressions are passed over."""

    def __init__(self, header: str) -> None:
        codings = [name for name in reversed(_names(header)) if name in _GZIP or name == "deflate"]
        self._steps = [_Gzip() if name in _GZIP else _Deflate() for name in codings]

    @property
    def is_unfinished(self) -> bool:
        """Whether what came so far is less than a whole body."""
        return any(step.is_unfinished for step in self._steps)

    def pieces(self, data: bytes) -> Iterable[bytes]:
        """`data` decoded, in pieces of at most `MAX_PIECE` bytes, some possibly empty; `data` itself without
        compression.

        Raises:
            zlib.error: it is damaged.
        """
        return self._through(data, 0) if self._steps else (data,)

    def _through(self, data: bytes, index: int) -> Iterator[bytes]:
        if index == len(self._steps):
            yield data
            return
        for piece in self._steps[index].pieces(data):
            if index + 1 < len(self._steps):
                # A piece may decode to nothing.
                yield b""
            yield from self._through(piece, index + 1)


class _Gzip:
    """gzip; any other body is passed on as it is, since some proxies decode it and leave the header."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)
        self._begun = False
        self._is_plain = False

    @property
    def is_unfinished(self) -> bool:
        return self._begun and not (self._is_plain or self._member.eof)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if not self._begun and data:
            self._begun, self._is_plain = True, data[0] != _GZIP_BEGINS
        if self._is_plain:
            yield data
            return
        while data:
            if self._member.eof:
                data = data.lstrip(_PADDING)
                if data[:1] != bytes((_GZIP_BEGINS,)):
                    return
                self._member = zlib.decompressobj(wbits=31)
            yield from _decompressed(self._member, data)
            data = self._member.unused_data


class _Deflate:
    """deflate, with or without the frame of zlib (RFC 9110, 8.4.1.2); other text is passed on as with gzip."""

    def __init__(self) -> None:
        self._head = b""
        self._body: zlib._Decompress | None = None
        self._is_plain = False

    @property
    def is_unfinished(self) -> bool:
        return bool(self._head) and not (self._is_plain or (self._body is not None and self._body.eof))

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._body is None and not self._is_plain:
            self._head += data
            if not self._is_known():
                return
            data = self._head
        if self._body is None:
            yield data
        else:
            yield from _decompressed(self._body, data)

    def _is_known(self) -> bool:
        """Whether the head is long enough to identify the body."""
        head = self._head[:_LONGEST_HEAD]
        if len(head) < _ZLIB_HEAD:
            return False
        if head[0] & 0x0F == zlib.DEFLATED and int.from_bytes(head[:_ZLIB_HEAD]) % 31 == 0:
            self._body = zlib.decompressobj()
        elif _TEXT.fullmatch(head):
            self._is_plain = len(head) >= _ENOUGH_TEXT
        else:
            self._body = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
        return self._is_plain or self._body is not None


def _decompressed(body: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """The output of `body` for `data`, up to its end.

    Raises:
        zlib.error: it is damaged; the output before the damage came.
    """
    while True:
        before = body.copy()
        try:
            piece = body.decompress(data, MAX_PIECE)
        except zlib.error:
            yield from _before_damage(before, data)
            raise
        if not piece:
            return
        yield piece
        data = body.unconsumed_tail


def _before_damage(body: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """The output before the damage in `data`, found by bisection.

    A call of zlib that meets damage raises and loses its output before the damage. A short answer with a wrong checksum
    would lose all of its text.
    """
    while len(data) > 1:
        half = len(data) // 2
        before = body.copy()
        try:
            piece = body.decompress(data[:half])
        except zlib.error:
            body, data = before, data[:half]
            continue
        if piece:
            yield piece
        data = data[half:]
