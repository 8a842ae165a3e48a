"""The HTML of a growing answer, rendered once for everybody who follows it.

Every frame is a server-sent event with the changes since the one before: `[[block, kept, html], …]`, where `kept` is
how many UTF-16 units (what a browser counts) of that block's former HTML stay in front of `html`, and `[block]` alone
says that this block and all after it are gone. So a frame costs what is new, not what is there. The first frame that a
follower gets is a snapshot.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final

from chat_ui.conversations.generation import Generation
from chat_ui.conversations.signal import Signal
from chat_ui.rendering.stream import AnswerStream

logger = logging.getLogger(__name__)

SHORTEST_FLUSH: Final = 0.05
"""Seconds between two flushes while the process is idle: steady to a reader, and each one costs a browser a frame."""
LONGEST_FLUSH: Final = 0.25
"""Seconds between two flushes at most, when the event loop is late."""


class LiveAnswer:
    """Renders one generation while it runs; followers read its frames."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self.frames: list[bytes] = []
        self.signal = Signal()
        self.done = False
        self.broken = False
        self._stream = AnswerStream()
        self._blocks: list[str] = []
        self._task = asyncio.create_task(self._run(), name=f"rendering {generation.id}")

    def when_done(self, forget: Callable[[], object]) -> None:
        """Call `forget` once the last frame has been made."""
        self._task.add_done_callback(lambda _task: forget())

    def snapshot(self) -> bytes:
        """One frame that makes everything rendered so far out of nothing."""
        changes = [[index, 0, block] for index, block in enumerate(self._blocks)]
        return _frame(len(self.frames), changes)

    async def follow(self, after: int | None) -> AsyncIterator[bytes]:
        """Frames as they come, then an `end`, or a `lost` where only the document can help.

        They start after frame number `after` where that is still known, else with a snapshot.
        """
        position = len(self.frames) if after is None or after > len(self.frames) else after
        if position != after:
            yield self.snapshot()
        while True:
            revision = self.signal.revision
            if position < len(self.frames):
                waiting = self.frames[position:]
                position = len(self.frames)
                yield b"".join(waiting)
            elif self.done:
                yield b"event: lost\ndata: \n\n" if self.broken else b"event: end\ndata: \n\n"
                return
            else:
                await self.signal.wait(revision)

    async def _run(self) -> None:
        generation, loop = self.generation, asyncio.get_running_loop()
        pieces = context = seen = 0
        pause = SHORTEST_FLUSH
        try:
            while not self.done:
                seen = await generation.signal.wait(seen)
                ended = generation.ended
                if context != generation.context_revision:
                    context = generation.context_revision
                    self._stream.set_data_points(generation.answer.data_points)
                text, pieces = generation.text_since(pieces)
                self._stream.feed(text)
                self._flush(final=ended)
                self.done = ended
                if not ended:
                    due = loop.time() + pause
                    await self._sleep_unless_ended(pause)
                    late = loop.time() - due
                    pause = min(LONGEST_FLUSH, max(SHORTEST_FLUSH, 4 * late))
        except Exception:
            logger.exception("rendering %s broke", generation.id)
            self.broken = True
        finally:
            self.done = True
            self.signal.bump()

    async def _sleep_unless_ended(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.generation.wait_for_end()

    def _flush(self, *, final: bool) -> None:
        changes: list[list[object]] = []
        for change in self._stream.flush(final=final):
            if change.html is None:
                del self._blocks[change.index :]
                changes.append([change.index])
                continue
            while len(self._blocks) <= change.index:
                self._blocks.append("")
            former = self._blocks[change.index]
            kept = common_prefix(former, change.html)
            self._blocks[change.index] = change.html
            changes.append([change.index, _utf16_units(former[:kept]), change.html[kept:]])
        if changes:
            self.frames.append(_frame(len(self.frames) + 1, changes))
            self.signal.bump()


def common_prefix(first: str, second: str) -> int:
    """The number of characters that both start with, found by halving, so that comparing stays in C."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _utf16_units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _frame(number: int, changes: list[list[object]]) -> bytes:
    data = json.dumps(changes, ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\ndata: {data}\n\n".encode("utf-8", "replace")
