"""Objects that are glued on one line, behind another or behind one that broke off.

Proxies that lose a line end send `{"id": "c", "objdata: {"id": …}`. Within a string of JSON no brace stands before a
plain quote, so that an object which is whole there is one of its own.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.json_text import object_at

DONE: Final = re.compile(r"\[DONE\]", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"(?:[\s,]|data:)*+")
_GLUE: Final = re.compile(r'data:|(?<![\s:,\[{(\\])(?=\{[ \t]*")')
_LONGEST: Final = 1024 * 1024
"""Characters of a line that is looked through."""
_MOST_TRIES: Final = 100
"""Places of a line at which an object is looked for in vain."""


class Glued(NamedTuple):
    """A part of a line, from the character `start` on: an object, `[DONE]`, or what cannot be read (None)."""

    start: int
    value: Json


def unglued(text: str) -> list[Glued]:
    """The parts of a line that is not one value, in order; empty where no object can be read in it."""
    if len(text) > _LONGEST:
        return []
    parts: list[Glued] = []
    at = tries = 0
    while at < len(text) and tries < _MOST_TRIES:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if done := DONE.match(text, at):
            parts.append(Glued(at, done[0]))
            at = done.end()
        elif found := object_at(text, at):
            parts.append(Glued(at, found[0]))
            at = found[1]
        elif at < len(text):
            tries += 1
            if not parts or parts[-1].value is not None:
                parts.append(Glued(at, None))
            glue = _GLUE.search(text, at + 1)
            at = glue.end() if glue else len(text)
    return parts if any(isinstance(part.value, dict) for part in parts) else []
