"""Writing JSON of any size in pieces, so that other tasks do not wait for all of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Final

from chat_ui.protocol.events import Json

_SLICE: Final = 16_384
"""Characters of a piece at most, after which other tasks run."""
_PIECES: Final = 2_000
"""Pieces after which they run as well."""


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
