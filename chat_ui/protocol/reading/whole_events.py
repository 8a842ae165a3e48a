"""Server-sent events of a stream that goes on after its connection broke."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_ENDS: Final = (b"\r\n\r\n", b"\n\n")
_ID: Final = re.compile(rb"^id: ?([!-~]{1,200})\r?$", re.MULTILINE)
_BEGINNING: Final = "0-0"
"""The id before all others, as Redis has them."""


class WholeEvents:
    """The events of one stream over all its connections, each once.

    An unfinished event is held back, since it comes again. Events of the same millisecond may have the same id, so the
    stream goes on behind `id`, the last other one. An event of more than `most` bytes is not held back.
    """

    def __init__(self, most: int) -> None:
        self.id = _BEGINNING
        self._last_id = _BEGINNING
        self._most = most
        self._rest = bytearray()
        self._came: list[bytes] = []
        """The events of the last id."""
        self._again: Counter[bytes] = Counter()

    def feed(self, data: bytes) -> bytes:
        """The whole events that `data` completes."""
        searched = max(0, len(self._rest) - len(_ENDS[0]))
        self._rest += data
        mark = next((one for one in _ENDS if self._rest.find(one, searched) >= 0), b"")
        if not mark:
            return self.rest() if len(self._rest) > self._most else b""
        *events, rest = self._rest.split(mark)
        self._rest = rest
        return b"".join(event + mark for event in map(bytes, events) if not self._is_again(event))

    def _is_again(self, event: bytes) -> bool:
        if (found := _ID.search(event)) is None:
            return False
        if (key := found[1].decode()) != self._last_id:
            self.id, self._last_id = self._last_id, key
            self._came.clear()
            self._again.clear()
        if self._again[event]:
            self._again[event] -= 1
            return True
        self._came.append(event)
        return False

    def go_on(self) -> None:
        """Expect a connection that begins behind `id`."""
        self._rest.clear()
        self._again = Counter(self._came)

    def rest(self) -> bytes:
        """The unfinished event at the end of the stream."""
        rest = bytes(self._rest)
        self._rest.clear()
        return rest
