"""What is recorded of what the page asks: everything, to a file of the operator's, or what one person asks, to a file
of theirs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from chat_ui.profiles.recording_files import RecordingFiles
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import Client
from chat_ui.recordings.file_recorder import Recorder, is_being_recorded
from chat_ui.recordings.recording_door import RecordingTransport
from chat_ui.recordings.recording_format import Header, RecordingError

logger = logging.getLogger(__name__)

_MADE_BYTES: Final = 4 * 1024 * 1024
"""Bytes of what is remembered of people's last recordings."""
_CANNOT_WRITE: Final = msg(
    "The recording ended: this page's server cannot write to its disk, which may be full. Answers go on without it."
)
_LEFT: Final = msg("The recording ended when this page's server stopped. What was recorded until then is here.")


@dataclass(frozen=True, slots=True)
class Sign:
    """What a page shows of recordings: whether what this person asks `is_recording`, or what everybody asks
    (`is_of_all`); the `made` recording of theirs (its id) until they have seen to it; and a `problem` in words.
    """

    is_recording: bool = False
    is_of_all: bool = False
    made: str = ""
    problem: str = ""


@dataclass(slots=True)
class _Own:
    """A recording of one person that is being made."""

    id: str
    path: Path
    recorder: Recorder


@dataclass(slots=True)
class _OfAll:
    path: Path
    header: Header
    recorder: Recorder | None = None
    has_failed: bool = False


class Recorders:
    """Records what people ask to their `files`, and all that is asked to the file `of_all`, which begins with a header,
    if there is one. Several processes cannot write one file: each records by itself.
    """

    def __init__(self, files: RecordingFiles, of_all: tuple[Path, Header] | None = None) -> None:
        self._files = files
        self._of_all = _OfAll(*of_all) if of_all is not None else None
        self._own: dict[str, _Own] = {}
        self._elsewhere: RecentlyUsed[str, Path] = RecentlyUsed(_MADE_BYTES)
        """The recording of a person that another process makes."""
        self._made: RecentlyUsed[str, Sign] = RecentlyUsed(_MADE_BYTES)
        self._told: RecentlyUsed[str, bool] = RecentlyUsed(_MADE_BYTES)
        """People who know that not all can be recorded any more."""
        self._changing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Held for a person while a recording of theirs begins or ends."""
        self.announce: Callable[[], None] = lambda: None
        """Has the pages look at their signs again, after a failure."""

    async def open(self) -> None:
        """Begin to record what everybody asks, where there is a file for it. A failure is logged and shown in signs."""
        if (of_all := self._of_all) is None:
            return
        loop = asyncio.get_running_loop()

        def on_failure(words: str) -> None:
            loop.call_soon_threadsafe(self._fail_all, words)

        try:
            of_all.recorder = await asyncio.to_thread(Recorder, of_all.path, of_all.header, on_failure=on_failure)
        except RecordingError as problem:
            self._fail_all(str(problem))

    def sign(self, person: str) -> Sign:
        """What a page of this person shows."""
        has_failed = self._of_all is not None and self._of_all.has_failed
        problem = _CANNOT_WRITE if has_failed and person not in self._told else ""
        made = self._made.get(person) or Sign()
        return replace(
            made,
            is_recording=person in self._own or self._elsewhere.get(person) is not None,
            is_of_all=self._of_all is not None and not has_failed,
            problem=made.problem or problem,
        )

    async def start(self, person: str, header: Header) -> None:
        """Record what this person asks from now on; nothing changes where that is done already, here or elsewhere.

        Raises:
            RecordingError: the person has too many recordings, or none can be written.
        """
        async with self._change(person):
            if person in self._own or self._is_recorded_elsewhere(person):
                return
            try:
                own = await asyncio.to_thread(self._begin, person, header, asyncio.get_running_loop())
            except OSError as error:
                logger.warning("a recording cannot be written: %s", error.strerror)
                raise RecordingError(
                    msg("Nothing can be recorded: this page's server cannot write to its disk.")
                ) from error
            self._own[person] = own
            self._made.pop(person)

    async def stop(self, person: str) -> None:
        """Record no more of what this person asks; the recording is theirs to download, once it is written."""
        async with self._change(person):
            if (own := self._own.get(person)) is not None:
                await self._end(person, own)
            elif (path := self._elsewhere.pop(person)) is not None and path.exists():
                self._finish(person, path.stem, path, "")

    async def look(self, person: str) -> None:
        """Find a recording of the person's that was being made when a server ended."""
        if self._made.get(person) is not None:
            return
        left = await asyncio.to_thread(self._files.being_made, person)
        if self._recorder_of(person) is not None or self._is_recorded_elsewhere(person):
            return
        for path in left:
            self._finish(person, path.stem, path, _LEFT)

    def dismiss(self, person: str) -> None:
        """Take note that the person has seen to the recording that they made, which is kept for its time, and knows of
        what went wrong.
        """
        self._made.pop(person)
        if self._of_all is not None and self._of_all.has_failed:
            self._told.put(person, True, len(person))

    def client(self, client: Client, person: str, *, is_second: bool = False) -> Client:
        """`client`, recorded as far as its requests are for this person; `is_second` where they are those of the second
        arm of a comparison.
        """
        for recorder in filter(None, (self._recorder_of_all(), self._recorder_of(person))):
            client = client.through(partial(RecordingTransport, recorder=recorder, is_second=is_second))
        return client

    async def forget_all(self, person: str) -> None:
        """Record no more of what this person asks, and delete every recording of theirs.

        Raises:
            OSError: they cannot be deleted.
        """
        async with self._change(person):
            if (own := self._own.pop(person, None)) is not None:
                own.recorder.stop()
            self._elsewhere.pop(person)
            self._made.pop(person)
            await asyncio.to_thread(self._files.forget_all, person)

    async def close(self) -> None:
        """Close every file. Recordings of people that are being made are found by `look` when a server runs again."""
        recorders = [own.recorder for own in self._own.values()]
        if self._of_all is not None and self._of_all.recorder is not None:
            recorders.append(self._of_all.recorder)
        # First all are stopped, as a disk that stalls is waited for from then on.
        for recorder in recorders:
            recorder.stop()
        for recorder in recorders:
            await asyncio.to_thread(recorder.close)

    def _begin(self, person: str, header: Header, loop: asyncio.AbstractEventLoop) -> _Own:
        new_id, path = self._files.new(person, is_sent=False)

        def on_failure(_words: str) -> None:
            asyncio.run_coroutine_threadsafe(self._end_failed(person, new_id), loop)

        return _Own(new_id, path, Recorder(path, header, on_failure=on_failure, most_bytes=self._files.file_bytes))

    def _recorder_of(self, person: str) -> Recorder | None:
        own = self._own.get(person)
        if own is None:
            return None
        if not own.path.exists() and self._files.find(person, own.id) is not None:
            # Another process was told to stop it.
            del self._own[person]
            own.recorder.stop()
            return None
        return own.recorder

    def _is_recorded_elsewhere(self, person: str) -> bool:
        """Whether another process records what this person asks."""
        made = next(filter(is_being_recorded, self._files.being_made(person)), None)
        if made is None:
            self._elsewhere.pop(person)
            return False
        self._elsewhere.put(person, made, size_of((person, str(made)), _MADE_BYTES))
        return True

    def _recorder_of_all(self) -> Recorder | None:
        return self._of_all.recorder if self._of_all is not None and not self._of_all.has_failed else None

    def _change(self, person: str) -> asyncio.Lock:
        return self._changing.setdefault(person, asyncio.Lock())

    def _finish(self, person: str, recording_id: str, path: Path, problem: str) -> None:
        try:
            self._files.finish(path)
            made = Sign(made=recording_id, problem=problem)
        except OSError as error:
            logger.warning("a recording is gone: %s", error.strerror)
            made = Sign(problem=problem or _CANNOT_WRITE)
        self._made.put(person, made, size_of((person, made), _MADE_BYTES))

    async def _end_failed(self, person: str, recording_id: str) -> None:
        """End the recording of that id, which cannot be written any more, if it has not ended."""
        async with self._change(person):
            own = self._own.get(person)
            if own is not None and own.id == recording_id:
                await self._end(person, own)
        self.announce()

    async def _end(self, person: str, own: _Own) -> None:
        await asyncio.to_thread(own.recorder.close)
        if self._own.get(person) is not own:
            return
        del self._own[person]
        problem = _CANNOT_WRITE if own.recorder.has_failed else ""
        if own.recorder.is_full:
            most = in_words(self._files.file_bytes)
            problem = msg("The recording ended: it has {most}, and none may be larger.", most=most)
        self._finish(person, own.id, own.path, problem)

    def _fail_all(self, words: str) -> None:
        logger.error("%s", words)
        if self._of_all is not None:
            self._of_all.has_failed = True
        self.announce()
