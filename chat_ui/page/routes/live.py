"""The HTML of a streaming answer, rendered once for all its readers.

Every frame is a server-sent event with the changes of blocks (`rendering/streaming/streaming_block.py`) since the
previous frame.

A new reader, or a reader that is further behind than the kept frames, first gets a snapshot. A long snapshot has
several frames, of which only the last is numbered; an interrupted snapshot starts again. Numbers belong to a rendering
of an answer, and each process has its own rendering, so a reader from another process gets a snapshot too.
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
from chat_ui.languages.foreign_text import BEGINNING, StreamingLanguage
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.transport.throttle import Throttle, lengthening
from chat_ui.rendering import claim_check
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.streaming.stream import AnswerStream, last_changes
from chat_ui.rendering.streaming.streaming_block import ANEW, Change
from chat_ui.rendering.streaming.work import IN_PLACE, work_of
from chat_ui.server.processes.pool import Processes

logger = logging.getLogger(__name__)

SHORTEST_FLUSH: Final = 0.1
"""Minimum seconds between two flushes after the first half second. The first text, the last, and more after a large
piece do not wait. Each flush costs a browser a frame.
"""
_NEARLY: Final = 0.02
"""Seconds before the next flush within which new text is flushed early."""
LONGEST_STEP: Final = 1_000
SHORTER_STEP: Final = 200
"""Characters rendered before other work gets its turn: `LONGEST_STEP`, or fewer of costly text."""
_LONGEST_NUMBER: Final = 9
_STEP_WORK: Final = 8_000
LONG_FLUSH: Final = 0.002
"""Seconds of a flush without a pause after it."""
TURN: Final = 0.004
"""Seconds of flushes, of all answers together, before other tasks get their turn."""
PAUSE: Final = 20
LONGEST_PAUSE: Final = 2.0
"""The pause as a multiple of a flush's duration, and its maximum in seconds: costly flushes are less frequent."""
FRAME_BYTES: Final = 2 * 1024 * 1024
"""Bytes of the newest frames, kept for current and returning readers."""
COMPARING_PAUSE: Final = 0.5
PAUSE_AFTER_COMPARING: Final = 5
"""Minimum seconds before new sentences are compared with their passages, and a multiple of the last comparison, up to
`LONGEST_PAUSE`.
"""
LONGEST_COMPARING: Final = 2.0
"""Seconds of processor time of a comparison after which the answer is compared at its end only."""
LONGEST_PASSAGES: Final = 100_000
"""Characters of all passages beyond which this is so too."""
LAST_LOOK: Final = 0.01
"""Seconds between the last text of a long block and the final rendering of the block."""


class FlushQueue:
    """The queue of all answers on an event loop. A turn of flushes takes as long as all other work since the previous
    turn, and at least `TURN`. So other tasks are at most twice as late. `throttle` gets the delays.
    """

    def __init__(self, throttle: Throttle | None = None, clock: Callable[[], float] = time.perf_counter) -> None:
        self._throttle, self._clock = throttle or Throttle(), clock
        self._waiting: deque[tuple[float, Callable[[], None], asyncio.Future[float]]] = deque()
        self._spent = self._left = 0.0

    async def flush(self, work: Callable[[], None]) -> float:
        """Run `work` in its turn, in order of arrival, and return its seconds."""
        loop = asyncio.get_running_loop()
        if not self._waiting and not self._spent:
            loop.call_soon(self._take_turn)
        done: asyncio.Future[float] = loop.create_future()
        # The context has the language.
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
    """Renders a generation while it runs; readers follow its frames."""

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
        """The number of all frames; `frames` has the newest."""
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
        if claim_check.current():
            self._comparing = asyncio.create_task(self._compare(), name=f"comparing {generation.id}")

    def when_done(self, forget: Callable[[], object]) -> None:
        """Call `forget` after the last frame."""
        self._task.add_done_callback(lambda _task: forget())

    def snapshot(self) -> Iterator[bytes]:
        """Frames that create the current rendering; later renderings do not change them."""
        made = self.made
        for part in self._stream.blocks.snapshot():
            is_last = len(part[-1]) == 1
            yield self._frame(made if is_last else None, part)

    async def follow(self, after: str) -> AsyncIterator[bytes]:
        """Frames as they are made, then an `end` with the status, or a `lost` if a reload is needed.

        They start after the frame with the id `after` if it is of this rendering, else with a snapshot. A `language`
        event follows each change of the detected language.
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
        """The snapshot that all new readers share until later frames are larger, so slow readers cost little more than
        one.
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
        # Existing text is not announced.
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
            logger.exception("rendering %s failed", generation.id)
            self.broken = True
        finally:
            end.cancel()
            self.done = True
            self.signal.bump()

    async def _compare(self) -> None:
        """Mark complete sentences that differ from their passages, without delaying the text."""
        seen, pause = -1, COMPARING_PAUSE
        while not self.done:
            seen = await self.signal.wait(seen)
            await asyncio.sleep(pause)
            stream, points = self._stream, self.generation.answer.data_points
            if self.done or not points or sum(len(point.text) for point in points) > LONGEST_PASSAGES:
                continue
            blocks, uses = stream.take_uncompared()
            if not blocks:
                continue
            rendered = RenderedAnswer(tuple(blocks.values()), stream.citations, uses)
            answer = Answer(text=self.generation.answer.text[:BEGINNING], data_points=points)
            began = time.monotonic()
            try:
                found = await self._processes.run(
                    self._person, claim_check.marks, answer, rendered, seconds=LONGEST_COMPARING
                )
            except TooCostlyError:
                return
            took = time.monotonic() - began
            pause = min(max(COMPARING_PAUSE, PAUSE_AFTER_COMPARING * took), LONGEST_PAUSE)
            if stream is self._stream and not self.generation.ended:
                for index, marks in zip(blocks, found, strict=True):
                    stream.blocks.mark(index, marks)
                self._send(stream.blocks.take_changes())

    async def _end(self, *, is_revised: bool) -> None:
        """Render the end of the answer, in another process if costly."""
        if is_revised:
            # The rendering is of the text before its revision.
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
        """Send the changes in this answer's turn, and return the seconds."""
        return await self._queue.flush(lambda: self._send(self._stream.flush(final=final)))

    def _send(self, changes: Sequence[Change]) -> None:
        if changes:
            self.made += 1
            self._keep(changes)
            self.signal.bump()

    def _keep(self, changes: Sequence[Change]) -> None:
        """Keep the newest frame, and earlier ones within `frame_bytes`."""
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
    """The rendering up to the frame `number`, after `sent` bytes of frames. Its frames are made on first use."""

    def __init__(self, number: int, sent: int, frames: Iterator[bytes]) -> None:
        self.number = number
        self.sent = sent
        self.size = 0
        self.is_complete = False
        self._coming = frames
        self._frames: list[bytes] = []

    def frame(self, index: int) -> bytes | None:
        """The frame at `index`, at most the number of made frames; None after the end."""
        if index == len(self._frames) and not self.is_complete:
            frame = next(self._coming, None)
            if frame is None:
                self.is_complete = True
                return None
            self._frames.append(frame)
            self.size += len(frame)
        return self._frames[index] if index < len(self._frames) else None


def pause_after(took: float, seconds: float) -> float:
    """Seconds between a flush that took `took`, `seconds` after the first text, and the next."""
    return min(max(lengthening(seconds, SHORTEST_FLUSH), PAUSE * took), LONGEST_PAUSE)


def _as_json(changes: Sequence[Change]) -> bytes:
    try:
        return msgspec.json.encode(changes)
    except UnicodeEncodeError:
        return json.dumps(changes, ensure_ascii=False).encode("utf-8", "replace")


def _steps(text: str) -> Iterator[str]:
    """The text in pieces of limited work."""
    if len(text) <= SHORTER_STEP:
        yield text
        return
    for start in range(0, len(text), LONGEST_STEP):
        piece = text[start : start + LONGEST_STEP]
        size = LONGEST_STEP if work_of(piece) <= _STEP_WORK else SHORTER_STEP
        for at in range(0, len(piece), size):
            yield piece[at : at + size]
