"""Recordings that answer in place of backends: which one does, and the client that is answered from it.

A recording is known by a name that the server gave it: one of the operator's files, or one of the person's own. No
request is sent: the client of a recording reads the file.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import httpx

from chat_ui.conversations.generations.ways import Asked, Instead, Way, Ways
from chat_ui.profiles.recording_files import RecordingFiles
from chat_ui.profiles.recording_people import Recorders
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest
from chat_ui.protocol.recently_used import ENTRY_BYTES, RecentlyUsed
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import Client
from chat_ui.recordings.player import FASTEST, SLOWEST, Player
from chat_ui.recordings.recording import RecordedExchange, Recording
from chat_ui.recordings.recording_format import RecordingError
from chat_ui.recordings.replaying_door import ReplayTransport

logger = logging.getLogger(__name__)

_OPEN_BYTES: Final = 16 * ENTRY_BYTES
"""Room for the indexes of so many recordings at once."""
_SPEEDS_BYTES: Final = 4 * 1024 * 1024
_GONE: Final = msg(
    "The recording is not here any more. Drop its file on the page once more if you have it, or choose another backend."
)


def label_of_file(path: Path) -> str:
    """The name by which the server knows a file of the operator's, the same in each process."""
    return base64.urlsafe_b64encode(hashlib.sha256(str(path).encode()).digest()[:16]).rstrip(b"=").decode()


def _is_whole(exchange: RecordedExchange) -> bool:
    """Whether an answer came, and came to its end."""
    return exchange.status == httpx.codes.OK and exchange.how == "end" and exchange.readings > 0


@dataclass(frozen=True, slots=True)
class OperatorRecordings:
    """The operator's recordings: `files` by the names that the server gave them, those that are backends on offer; and
    `instead`, the one that answers where a backend does not, by that backend's profile, with its file.
    """

    files: Mapping[str, Path]
    instead: Mapping[str, tuple[Path, Backend]]


class Replaying:
    """The clients of recordings, each with a player of its own, whose speed its person sets."""

    def __init__(self, files: RecordingFiles, of_operator: OperatorRecordings, recorders: Recorders) -> None:
        self._files = files
        self._of_operator = of_operator
        self._recorders = recorders
        self._open: RecentlyUsed[Path, tuple[tuple[int, ...], asyncio.Task[Recording]]] = RecentlyUsed(_OPEN_BYTES)
        self._speeds: RecentlyUsed[str, float] = RecentlyUsed(_SPEEDS_BYTES)
        self._playing: WeakValueDictionary[tuple[str, str], Player] = WeakValueDictionary()
        """The player of each person's conversation that a recording answers in."""

    async def ways(self, client: Client, backend: Backend, asked: Asked) -> Ways:
        """The ways to an answer, see `FindWays`.

        Raises:
            RecordingError: the recording is not there any more, or is none.
        """
        if backend.recording:
            recording = await self.open(backend.recording, asked.owner)
            return Ways(Way(self._client_of_answer(client, recording, asked), backend))
        first = Way(self._recorders.client(client, asked.owner, is_second=asked.is_second), backend)
        instead = self._of_operator.instead.get(backend.profile)
        if instead is None:
            return Ways(first)
        path, recorded = instead
        try:
            recording = await self._opened(path)
        except RecordingError as problem:
            logger.warning("%s cannot answer instead of a backend: %s", path, problem)
            return Ways(first)

        async def has(request: ChatRequest) -> bool:
            said = [{"role": message.role, "content": message.content} for message in request.messages]
            place = urlsplit(recorded.url).path
            return any(map(_is_whole, recording.matching("POST", place, {"messages": said})))

        replayed = self._client_of_answer(client, recording, asked, only=_is_whole)
        backend = replace(recorded, profile=backend.profile, name=backend.name)
        return Ways(first, Instead(replayed, backend, has))

    async def client_for(self, client: Client, backend: Backend, person: str, *, strict: bool = False) -> Client:
        """The client for further requests to a backend, such as for documents: recorded, or answered from a recording,
        where it is `strict` only if the recording has this very request.

        Raises:
            RecordingError: the recording is not there any more, or is none.
        """
        if not backend.recording:
            return self._recorders.client(client, person)
        path, _ = self._of_operator.instead.get(backend.profile, (None, None))
        if path is not None and label_of_file(path) == backend.recording:
            return self._client(client, await self._opened(path), strict=strict)
        return self._client(client, await self.open(backend.recording, person), strict=strict)

    async def open(self, label: str, person: str) -> Recording:
        """The recording of that name, if it is a backend of the operator's or this person's.

        Raises:
            RecordingError: it is not there any more, or is none.
        """
        path = self._of_operator.files.get(label) or self._files.find(person, label)
        if path is None:
            raise RecordingError(_GONE)
        return await self._opened(path)

    async def open_own(self, recording_id: str, person: str) -> Recording:
        """The recording of that id, if it is this person's own.

        Raises:
            RecordingError: it is not there any more, or is none.
        """
        path = self._files.find(person, recording_id)
        if path is None:
            raise RecordingError(_GONE)
        return await self._opened(path)

    def set_speed(self, person: str, speed: float) -> None:
        """Play what recordings answer this person at that multiple of the pace, also what is being played."""
        speed = min(max(speed, SLOWEST), FASTEST) if math.isfinite(speed) else 1.0
        self._speeds.put(person, speed, len(person))
        for (owner, _), player in list(self._playing.items()):
            if owner == person:
                player.speed = speed

    def skip(self, person: str, conversation: str) -> None:
        """Play the rest of the answer in this conversation of the person's at once."""
        player = self._playing.get((person, conversation))
        if player is not None:
            player.skip()

    def _client(self, client: Client, recording: Recording, *, strict: bool) -> Client:
        player = Player(speed=math.inf)
        return client.through(lambda _: ReplayTransport(recording, player, nth=1, strict=strict))

    def _client_of_answer(
        self,
        client: Client,
        recording: Recording,
        asked: Asked,
        *,
        only: Callable[[RecordedExchange], bool] = lambda _: True,
    ) -> Client:
        player = Player(speed=self._speeds.get(asked.owner) or 1.0)
        self._playing[asked.owner, asked.conversation] = player
        replay = partial(ReplayTransport, recording, player, nth=asked.number, only=only, in_second_arm=asked.is_second)
        return client.through(lambda _: replay())

    async def _opened(self, path: Path) -> Recording:
        try:
            facts = await asyncio.to_thread(path.stat)
        except OSError:
            raise RecordingError(_GONE) from None
        stamp = facts.st_ino, facts.st_size, facts.st_mtime_ns
        known = self._open.get(path)
        if known is None or known[0] != stamp or (known[1].done() and (known[1].cancelled() or known[1].exception())):
            known = stamp, asyncio.create_task(asyncio.to_thread(Recording.open, path), name="opening a recording")
            self._open.put(path, known, 0)
        return await asyncio.shield(known[1])
