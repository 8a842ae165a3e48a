"""Recordings that answer in place of backends.

A recording is known by the server's name for the operator's file. Requests are not sent: the client of a recording
reads the file.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2

from chat_ui.conversations.generations.targets import Asked, Fallback, Target, Targets
from chat_ui.protocol.backends.backend import Backend, ChatRequest
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.recordings.recording import RecordedExchange, Recording
from chat_ui.protocol.recordings.replay_transport import ReplayTransport
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient

logger = logging.getLogger(__name__)

_GONE: Final = msg("The recording is not available any more. Choose another backend.")


def label_of_file(path: Path) -> str:
    """The server's name for a file of the operator's, the same in each process."""
    return base64.urlsafe_b64encode(hashlib.sha256(str(path).encode()).digest()[:16]).rstrip(b"=").decode()


def _is_complete(exchange: RecordedExchange) -> bool:
    """Whether an answer came, and came to its end."""
    return exchange.status == httpx2.codes.OK and exchange.how == "end" and exchange.readings > 0


@dataclass(frozen=True, slots=True)
class OperatorRecordings:
    """The operator's recordings: `files` on offer as backends, by the server's names; and `fallback`, the recording
    that answers in place of a failing backend, by that backend's profile, with its file.
    """

    files: Mapping[str, Path]
    fallback: Mapping[str, tuple[Path, Backend]]


class Replaying:
    """The clients of recordings, and those of other backends."""

    def __init__(self, of_operator: OperatorRecordings) -> None:
        self.through: Callable[[AsyncClient, bool], AsyncClient] = lambda client, _is_second: client
        """Makes the client of a live backend from another one; the flag marks the second column of a comparison."""
        self._of_operator = of_operator
        self._open: dict[Path, tuple[tuple[int, ...], asyncio.Task[Recording]]] = {}

    async def targets(self, client: AsyncClient, backend: Backend, asked: Asked) -> Targets:
        """The targets of a question, see `FindTargets`.

        Raises:
            RecordingError: the recording is gone, or invalid.
        """
        if backend.recording:
            recording = await self._named(backend.recording)
            return Targets(Target(self._client_of_answer(client, recording, asked), backend))
        first = Target(self.through(client, asked.is_second), backend)
        fallback = self._of_operator.fallback.get(backend.profile)
        if fallback is None:
            return Targets(first)
        path, recorded = fallback
        try:
            recording = await self._opened(path)
        except RecordingError as problem:
            logger.warning("the recording %s cannot be used as a fallback: %s", path, problem)
            return Targets(first)

        async def has(request: ChatRequest) -> bool:
            said = [{"role": message.role, "content": message.content} for message in request.messages]
            place = urlsplit(recorded.url).path
            return any(map(_is_complete, recording.matching("POST", place, {"messages": said})))

        replayed = self._client_of_answer(client, recording, asked, only=_is_complete)
        backend = replace(recorded, profile=backend.profile, name=backend.name)
        return Targets(first, Fallback(replayed, backend, has))

    async def client_for(self, client: AsyncClient, backend: Backend) -> AsyncClient:
        """The client for further requests to a backend, such as for documents: recorded, or answered from a recording.

        Raises:
            RecordingError: the recording is gone, or invalid.
        """
        if not backend.recording:
            return self.through(client, False)
        path, _ = self._of_operator.fallback.get(backend.profile, (None, None))
        is_instead = path is not None and label_of_file(path) == backend.recording
        recording = await (self._opened(path) if path is not None and is_instead else self._named(backend.recording))
        return client.with_transport(lambda _: ReplayTransport(recording, speed=math.inf, nth=1))

    async def _named(self, label: str) -> Recording:
        path = self._of_operator.files.get(label)
        if path is None:
            raise RecordingError(_GONE)
        return await self._opened(path)

    def _client_of_answer(
        self,
        client: AsyncClient,
        recording: Recording,
        asked: Asked,
        *,
        only: Callable[[RecordedExchange], bool] = lambda _: True,
    ) -> AsyncClient:
        return client.with_transport(
            lambda _: ReplayTransport(recording, nth=asked.number, only=only, in_second_column=asked.is_second)
        )

    async def _opened(self, path: Path) -> Recording:
        try:
            facts = await asyncio.to_thread(path.stat)
        except OSError:
            raise RecordingError(_GONE) from None
        stamp = facts.st_ino, facts.st_size, facts.st_mtime_ns
        known = self._open.get(path)
        if known is None or known[0] != stamp or (known[1].done() and (known[1].cancelled() or known[1].exception())):
            known = stamp, asyncio.create_task(asyncio.to_thread(Recording.open, path), name="opening a recording")
            self._open[path] = known
        return await asyncio.shield(known[1])
