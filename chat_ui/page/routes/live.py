"""The HTML of a streaming answer, rendered once for everybody who follows it.

Every frame is a server-sent event with the changes of blocks (`rendering/streaming/streaming_block.py`) since the one
before, so that it costs what is new, not what is there.

What a follower gets first is a snapshot, and so is what comes next for a follower that has fallen behind by more frames
than are kept. A long one comes as several frames, all but the last without a number: a follower that is cut off before
that one begins anew. Frames are numbered within one rendering of an answer, and every process in which it is followed
has one of its own; who comes from another one begins with a snapshot as well.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextvars import copy_context
from functools import partial
from typing import Final

import msgspec

from chat_ui.conversations.generations.generation import Generation, Signal
from chat_ui.errors import TooCostlyError
from chat_ui.languages.foreign_text import StreamingLanguage
from chat_ui.protocol.transport.throttle import Throttle, lengthening
from chat_ui.rendering.streaming.stream import AnswerStream, last_changes
from chat_ui.rendering.streaming.streaming_block import ANEW, Change
from chat_ui.rendering.streaming.work import IN_PLACE, work_of
from chat_ui.server.processes.pool import Processes

logger = logging.getLogger(__name__)

SHORTEST_FLUSH: Final = 0.1
"""Seconds between two flushes at least, once the first half second is over. The first text, the last, and what follows
much at once wait for none. Each flush costs a browser a frame.
"""
_NEARLY: Final = 0.02
"""Seconds by which text that comes before a flush is due goes at once, as the next would come with a later flush."""
LONGEST_STEP: Final = 1_000
SHORTER_STEP: Final = 200
"""Characters that are rendered before others get their turn, when much text comes at once, and when it is much work."""
_LONGEST_NUMBER: Final = 9
_STEP_WORK: Final = 8_000
LONG_FLUSH: Final = 0.002
"""Seconds that a flush may take without a pause after it."""
TURN: Final = 0.004
"""Seconds of flushes, of all answers together, after which everything else has its turn."""
PAUSE: Final = 20
LONGEST_PAUSE: Final = 2.0
"""How many times as long as a flush took the next one waits, and seconds that this is at most: what costs much is done
seldom.
"""
FRAME_BYTES: Final = 2 * 1024 * 1024
"""Bytes of the frames that are kept: the newest, for pages that follow and pages that come back."""
LAST_LOOK: Final = 0.01
"""Seconds by which the last text of a long block goes out before the whole block is rendered once more."""


class FlushQueue:
    """The queue of all answers that are rendered on one event loop. However many of them have something new at the same
    time, a turn of flushes lasts as long as all else took since the turn before, `TURN` at least: questions that begin
    and answers that end make the others at most twice as late. `throttle` is told how long they wait.
    """

    def __init__(self, throttle: Throttle | None = None, clock: Callable[[], float] = time.perf_counter) -> None:
        self._throttle, self._clock = throttle or Throttle(), clock
        self._waiting: deque[tuple[float, Callable[[], None], asyncio.Future[float]]] = deque()
        self._spent = self._left = 0.0

    async def flush(self, work: Callable[[], None]) -> float:
        """Do `work` when there is time for it, in the order in which answers came; the seconds that it took."""
        loop = asyncio.get_running_loop()
        if not self._waiting and not self._spent:
            loop.call_soon(self._take_turn)
        done: asyncio.Future[float] = loop.create_future()
        # Its words are in the language of its own context.
        self._waiting.append((self._clock(), partial(copy_context().run, work), done))
        if self._spent < TURN and len(self._waiting) == 1:
            self._flush_first()
        return await done

    def _take_turn(self) -> None:
        room, self._spent = max(TURN, self._clock() - self._left), 0.0
        while self._waiting and self._spent < room:
            self._flush_first()
        if self._waiting or self._spent:
            asyncio.get_running_loop().call_soon(self._take_turn)

    def _flush_first(self) -> None:
        came, work, done = self._waiting.popleft()
        if done.cancelled():
            return
        began = self._clock()
        self._throttle.shown_late(began - came)
        try:
            work()
        except Exception as error:  # noqa: BLE001 - it is raised where the answer waits
            done.set_exception(error)
        self._left = self._clock()
        self._spent += self._left - began
        if not done.done():
            done.set_result(self._left - began)


class LiveAnswer:
    """Renders one generation while it runs; followers read its frames."""

    def __init__(
        self,
        generation: Generation,
        processes: Processes | None = None,
        person: str = "",
        queue: FlushQueue | None = None,
        *,
        frame_bytes: int = FRAME_BYTES,
    ) -> None:
        self.generation = generation
        self._processes = processes or Processes()
        self._person = person
        self._queue = queue or FlushQueue()
        self.name = secrets.token_urlsafe(6)
        self.made = 0
        """How many frames were made; `frames` are the newest of them."""
        self.frames: deque[bytes] = deque()
        self.signal = Signal()
        self.done = False
        self.broken = False
        self._frame_bytes = self._room = frame_bytes
        self._sent = 0
        self._begun: Snapshot | None = None
        self._stream = AnswerStream()
        self._language = StreamingLanguage()
        self._task = asyncio.create_task(self._run(), name=f"rendering {generation.id}")

    def when_done(self, forget: Callable[[], object]) -> None:
        """Call `forget` once the last frame has been made."""
        self._task.add_done_callback(lambda _task: forget())

    def snapshot(self) -> Iterator[bytes]:
        """Frames that make everything rendered so far out of nothing, whatever is rendered until the last is taken."""
        made = self.made
        for part in self._stream.blocks.snapshot():
            is_last = len(part[-1]) == 1
            yield self._frame(made if is_last else None, part)

    async def follow(self, after: str) -> AsyncIterator[bytes]:
        """Frames as they come, then an `end` that says how it ended, or a `lost` where only the document can help.

        A `language` comes whenever another one is found, which may be the page's.

        They start after the frame of the id `after` where that is one of this rendering, else with a snapshot.
        """
        name, _, number = after.rpartition(".")
        is_ours = name == self.name and number.isdecimal() and len(number) <= _LONGEST_NUMBER
        position = int(number) if is_ours else ANEW
        told = ""
        while True:
            revision = self.signal.revision
            if told != self._language.found:
                told = self._language.found
                yield f"event: language\ndata: {told}\n\n".encode()
            kept_from = self.made - len(self.frames)
            if position > self.made or position < kept_from:
                snapshot = self._beginning(kept_from)
                position, part = snapshot.number, 0
                while frame := snapshot.frame(part):
                    yield frame
                    await asyncio.sleep(0)
                    part += 1
            elif position < self.made:
                frame = self.frames[position - kept_from]
                position += 1
                yield frame
            elif self.done:
                yield (
                    b"event: lost\ndata: \n\n"
                    if self.broken
                    else f"event: end\ndata: {self.generation.status}\n\n".encode()
                )
                return
            else:
                await self.signal.wait(revision)

    def _beginning(self, kept_from: int) -> Snapshot:
        """What is shared by all who begin, until the frames since then are larger than it: however many there are, and
        however slowly they read, they cost little more than one.
        """
        begun = self._begun
        if begun is None or begun.number < kept_from or (begun.is_complete and self._sent - begun.sent > begun.size):
            begun = self._begun = Snapshot(self.made, self._sent, self.snapshot())
        return begun

    async def _run(self) -> None:
        generation = self.generation
        end = asyncio.ensure_future(generation.wait_for_end())
        place = context = revision = 0
        begun = due = 0.0
        # No announcement follows for text that is there already.
        seen = -1
        try:
            while not self.done:
                seen = await generation.signal.wait(seen)
                if (wait := due - time.monotonic()) > _NEARLY:
                    await asyncio.wait((end,), timeout=wait)
                ended = generation.ended
                if context != generation.context_revision:
                    context, answer = generation.context_revision, generation.answer
                    self._stream.set_data_points(answer.data_points)
                    self._stream.set_citations(answer.citations)
                if revision != generation.text_revision and not ended:
                    revision, place = generation.text_revision, 0
                    self._stream = AnswerStream(generation.answer.data_points)
                    self._stream.set_citations(generation.answer.citations)
                    self._language = StreamingLanguage()
                    self._send([(0,)])
                text, place = generation.text_since(place)
                self._language.feed(text, final=ended)
                is_much = False
                for number, step in enumerate(_steps(text)):
                    if is_much := number > 0:
                        took = await self._flush()
                        await asyncio.sleep(took if took > LONG_FLUSH else 0)
                    self._stream.feed(step)
                if ended:
                    await self._end(is_revised=revision != generation.text_revision)
                    self.done = True
                    continue
                took = await self._flush()
                if self.frames and not is_much:
                    now = time.monotonic()
                    begun = begun or now
                    due = now + pause_after(took, now - begun)
        except Exception:
            logger.exception("rendering %s broke", generation.id)
            self.broken = True
        finally:
            end.cancel()
            self.done = True
            self.signal.bump()

    async def _end(self, *, is_revised: bool) -> None:
        """Render what has to be rendered once more at the end: beside the event loop where that is much."""
        if is_revised:
            # What was rendered is of another text.
            self.broken = True
            return
        is_much = self._stream.final_work(IN_PLACE) > IN_PLACE
        if is_much or self._stream.is_long:
            await self._flush()
        if self._stream.is_too_long:
            self.broken = True
        elif is_much:
            try:
                changes, self._stream.blocks = await self._processes.run(
                    self._person, last_changes, self._stream.ending
                )
            except TooCostlyError:
                self.broken = True
            else:
                self._send(changes)
        else:
            if self._stream.is_long:
                await asyncio.sleep(LAST_LOOK)
            await self._flush(final=True)

    async def _flush(self, *, final: bool = False) -> float:
        """Send the changes once it is this answer's turn; the seconds that it took."""
        return await self._queue.flush(lambda: self._send(self._stream.flush(final=final)))

    def _send(self, changes: Sequence[Change]) -> None:
        if changes:
            self.made += 1
            self._keep(changes)
            self.signal.bump()

    def _keep(self, changes: Sequence[Change]) -> None:
        """Keep the newest frame, and as many before it as there is room for."""
        if sum(len(part) for change in changes for part in change if isinstance(part, str)) > self._frame_bytes:
            self.frames.clear()
            self._room = self._frame_bytes
            return
        frame = self._frame(self.made, changes)
        self.frames.append(frame)
        self._sent += len(frame)
        self._room -= len(frame)
        while self._room < 0:
            self._room += len(self.frames.popleft())

    def _frame(self, number: int | None, changes: Sequence[Change]) -> bytes:
        place = self.name if number is None else f"{self.name}.{number}"
        return b"id: %s\ndata: %s\n\n" % (place.encode(), _as_json(changes))


class Snapshot:
    """Everything rendered up to the frame of this `number`, when so many bytes of frames had been `sent`; each frame of
    it is made when somebody first comes to it.
    """

    def __init__(self, number: int, sent: int, frames: Iterator[bytes]) -> None:
        self.number = number
        self.sent = sent
        self.size = 0
        self.is_complete = False
        self._coming = frames
        self._frames: list[bytes] = []

    def frame(self, index: int) -> bytes | None:
        """The frame of this index, one after the last that was made at most; None after the end."""
        if index == len(self._frames) and not self.is_complete:
            frame = next(self._coming, None)
            if frame is None:
                self.is_complete = True
                return None
            self._frames.append(frame)
            self.size += len(frame)
        return self._frames[index] if index < len(self._frames) else None


def pause_after(took: float, seconds: float) -> float:
    """Seconds between a flush that took so long, so many `seconds` after the first text, and the next."""
    return min(max(lengthening(seconds, SHORTEST_FLUSH), PAUSE * took), LONGEST_PAUSE)


def _as_json(changes: Sequence[Change]) -> bytes:
    try:
        return msgspec.json.encode(changes)
    except UnicodeEncodeError:
        return json.dumps(changes, ensure_ascii=False).encode("utf-8", "replace")


def _steps(text: str) -> Iterator[str]:
    """The text in pieces each of which is little work."""
    if len(text) <= SHORTER_STEP:
        yield text
        return
    for start in range(0, len(text), LONGEST_STEP):
        piece = text[start : start + LONGEST_STEP]
        size = LONGEST_STEP if work_of(piece) <= _STEP_WORK else SHORTER_STEP
        for at in range(0, len(piece), size):
            yield piece[at : at + size]
