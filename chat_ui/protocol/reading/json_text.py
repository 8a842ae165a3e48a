"""The text of JSON: read as tolerantly as backends need, and written in pieces between which other tasks run."""

from __future__ import annotations

import asyncio
import codecs
import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from chat_ui.protocol.errors import NotJsonError
from chat_ui.protocol.events import Json, JsonObject

MOST_PARTS: Final = 50_000
"""Values, escapes and odd characters that are read in one go: each costs as much as a thousand plain bytes."""
_COUNTED_AT_ONCE: Final = 2**18
"""Bytes whose parts are counted in one go: counting copies them."""
_PART_MARKS: Final = b",[{\\\xc2" + bytes({*range(0x20)} - {*b"\t\n\r"})
# An unclosed string is skipped as a whole; else each quote in it would start a search to the end.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]++|\\.?)*+"?)|,(?=\s*+[}\]])', re.DOTALL)


def integer(digits: str) -> int | None:
    """The number of `digits`; null for more of them than Python reads, which no chat needs."""
    try:
        return int(digits)
    except ValueError:
        return None


_decoder = json.JSONDecoder(strict=False, parse_int=integer)
read_strict: Final = msgspec.json.Decoder().decode
"""The one value of strict JSON, as `parse` reads it; raises one of `NOT_STRICT` for others."""
read_strict_values: Final = msgspec.json.Decoder().decode_lines
"""The values of strict JSON, with or without white space between them."""
NOT_STRICT: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def decode(data: memoryview | bytearray | bytes) -> str:
    """`data` as UTF-8; bytes that are not UTF-8 are replaced."""
    return codecs.utf_8_decode(data, "replace", True)[0]


def read_value(data: bytearray, start: int, end: int) -> Json:
    """The one value from `start` to `end`, without a copy for strict JSON.

    Raises:
        NotJsonError: see `parse`.
    """
    with memoryview(data) as complete, complete[start:end] as part:
        try:
            return read_strict(part)  # type: ignore[no-any-return]
        except NOT_STRICT:
            text = decode(part)
    return parse(text)


def read_as_object(data: bytearray, start: int, end: int) -> JsonObject | None:
    """The object from `start` to `end`; else None."""
    if not data.startswith(b"{", start, end):
        return None
    try:
        value = read_value(data, start, end)
    except NotJsonError:
        return None
    return value if isinstance(value, dict) else None


def parts_in(data: bytes | bytearray) -> int:
    """An upper bound of the parts of `data`, a JSON value: commas in its strings count as well."""
    parts = (data[start : start + _COUNTED_AT_ONCE] for start in range(0, len(data), _COUNTED_AT_ONCE))
    return sum(len(part) - len(part.translate(None, _PART_MARKS)) for part in parts)


def parse(text: str) -> Json:
    """The one value of `text`, which may have raw control characters in strings, trailing commas, NaN and Infinity.

    Raises:
        NotJsonError: it is empty, has several values, or is nested too deeply.
    """
    try:
        try:
            value, end = _decoder.raw_decode(text)
        except json.JSONDecodeError:
            text = _TRAILING_COMMA.sub(r"\1", text)
            value, end = _decoder.raw_decode(text)
    except RecursionError as error:
        raise NotJsonError("nested too deeply") from error
    except ValueError as error:
        raise NotJsonError(getattr(error, "msg", None) or str(error)) from error
    if end != len(text) and text[end:].strip(" \t\r\n"):
        raise NotJsonError("extra data")
    return value  # type: ignore[no-any-return]


def object_at(text: str, at: int) -> tuple[Json, int] | None:
    """The whole object at an index of `text`, and the index after it; else None."""
    if not text.startswith("{", at):
        return None
    try:
        return _decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None


def type_of(value: Json) -> str:
    """The name of the type of `value`, with its article; `value` is not an object."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    return "a string" if isinstance(value, str) else "a list"


def excerpt(value: Json) -> str:
    """The beginning of `value`, for a warning."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"
    return repr(text if len(text) <= 80 else text[:79] + "…")


_SLICE: Final = 16_384
"""Characters of a piece at most, after which other tasks run."""
_PIECES: Final = 2_000


def json_pieces(value: Json, *, ensure_ascii: bool = True) -> Iterator[str]:
    """`value` as `json.dumps` writes it, in small pieces."""
    if isinstance(value, str):
        if len(value) <= _SLICE:
            yield json.dumps(value, ensure_ascii=ensure_ascii)
            return
        yield '"'
        for start in range(0, len(value), _SLICE):
            yield json.dumps(value[start : start + _SLICE], ensure_ascii=ensure_ascii)[1:-1]
        yield '"'
    elif isinstance(value, Mapping):
        separator = "{"
        for key, item in value.items():
            yield separator
            yield from json_pieces(str(key), ensure_ascii=ensure_ascii)
            yield ": "
            yield from json_pieces(item, ensure_ascii=ensure_ascii)
            separator = ", "
        yield "}" if value else "{}"
    elif isinstance(value, Sequence):
        separator = "["
        for item in value:
            yield separator
            yield from json_pieces(item, ensure_ascii=ensure_ascii)
            separator = ", "
        yield "]" if value else "[]"
    else:
        yield json.dumps(value)


async def in_slices(pieces: Iterable[str]) -> AsyncIterator[str]:
    """`pieces` joined to slices; other tasks run after each."""
    together: list[str] = []
    length = 0
    for piece in pieces:
        together.append(piece)
        length += len(piece)
        if length >= _SLICE or len(together) >= _PIECES:
            yield "".join(together)
            together, length = [], 0
            await asyncio.sleep(0)
    yield "".join(together)


async def json_in_turn(value: Json) -> str:
    """`value` as `json.dumps` writes it; other tasks run meanwhile."""
    return "".join([piece async for piece in in_slices(json_pieces(value))])
