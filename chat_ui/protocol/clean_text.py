"""Text fit to be shown and encoded: surrogate pairs joined, control characters dropped."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.text_places import Places

# U+0085 is a line end that backends send in text on purpose.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f]")
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_SHORTENED = re.compile(rf"[\ud800-\udbff][\udc00-\udfff]|{_CONTROL.pattern}")
"""A match is one character shorter once it is clean."""
MAX_DEPTH: Final = 200
"""Objects and lists around a kept value."""
_SHORT = 100
_PART = 1024 * 1024
"""Characters that are searched at once, so that a large text is never encoded as a whole."""
_AT_ONCE: Final = 16 * 1024
"""Characters that are cleaned before other tasks run: some cost a hundred times as much as others."""
_CONTROL_BYTES = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])


def clean_text(text: str) -> str:
    """`text` with surrogate pairs joined, lone ones as U+FFFD, and without control characters but tab and line ends."""
    if not _is_odd(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("", joined)


def _is_odd(text: str) -> bool:
    """Whether `clean_text` changes `text`; long texts are searched as bytes, five times as fast."""
    if len(text) > _PART:
        return any(_is_odd(text[at : at + _PART]) for at in range(0, len(text), _PART))
    if len(text) > _SHORT:
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return True
        if len(data.translate(None, _CONTROL_BYTES)) == len(data) and b"\xc2" not in data:
            return False
    return _ODD.search(text) is not None


def clean_json(value: Json, depth: int = 0) -> Json:
    """`value` with clean strings; NaN, infinities and values nested too deeply are null."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        return {clean_text(str(key)): clean_json(item, depth + 1) for key, item in value.items()}
    return [clean_json(item, depth + 1) for item in value]


async def clean_object_in_turn(value: JsonObject, in_string: Callable[[str], str] = lambda text: text) -> JsonObject:
    """`value` as `clean_json` gives it, each string passed through `in_string`; other tasks run in between."""
    since = 0

    async def take_turns(characters: int) -> None:
        nonlocal since
        since += characters
        if since >= _AT_ONCE:
            since = 0
            await asyncio.sleep(0)

    async def clean_string(text: str) -> str:
        if len(text) <= _SHORT:
            return clean_text(in_string(text))
        text, cleaner, pieces = in_string(text), TextCleaner(), []
        for at in range(0, len(text), _AT_ONCE):
            pieces.append(cleaner.feed(text[at : at + _AT_ONCE]))
            await take_turns(min(_AT_ONCE, len(text) - at))
        return "".join([*pieces, cleaner.close()])

    async def clean_object(found: JsonObject, depth: int) -> JsonObject:
        return {await clean_string(str(key)): await clean(item, depth + 1) for key, item in found.items()}

    async def clean(item: Json, depth: int) -> Json:
        await take_turns(_SHORT)
        if isinstance(item, str):
            return await clean_string(item)
        if depth > MAX_DEPTH or not isinstance(item, Mapping | Sequence):
            return clean_json(item, depth)
        if isinstance(item, Mapping):
            return await clean_object(item, depth)
        return [await clean(part, depth + 1) for part in item]

    return await clean_object(value, 0)


class TextCleaner:
    """`clean_text` over pieces: the first half of a surrogate pair waits for the second.

    `places` maps characters of the pieces to the clean text.
    """

    def __init__(self) -> None:
        self._half = ""
        self._read = 0
        self.places = Places()

    def feed(self, text: str) -> str:
        """The clean text that `text` completes."""
        if not self._half and (text.isprintable() or not _ODD.search(text)):
            self._read += len(text)
            return text
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        for found in _SHORTENED.finditer(text):
            self.places.cut(self._read + found.end(), 1)
        self._read += len(text)
        return clean_text(text)

    def close(self) -> str:
        """The first half of a pair whose second half never came."""
        half, self._half = self._half, ""
        return clean_text(half)
