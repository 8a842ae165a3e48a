"""Recording what the page asks of backends to the operator's file."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from pathlib import Path

from chat_ui.protocol.transport.client import Client
from chat_ui.recordings.file_recorder import Recorder
from chat_ui.recordings.recording_door import RecordingTransport
from chat_ui.recordings.recording_format import Header, RecordingError

logger = logging.getLogger(__name__)


class PageRecorder:
    """Records what is asked to a file, which begins with a header where it is new; without a file, records nothing.
    Several processes cannot write one file.
    """

    def __init__(self, to: tuple[Path, Header] | None = None) -> None:
        self._to = to
        self._recorder: Recorder | None = None

    async def open(self) -> None:
        """Begin to record. A failure, now or later, is logged, and nothing more is recorded."""
        if self._to is not None:
            path, header = self._to
            try:
                self._recorder = await asyncio.to_thread(Recorder, path, header, on_failure=logger.error)
            except RecordingError as problem:
                logger.error("%s", problem)  # noqa: TRY400 - its message says everything

    def client(self, client: Client, *, is_second: bool = False) -> Client:
        """`client`, recorded; `is_second` where its requests are those of the second arm of a comparison."""
        if self._recorder is None:
            return client
        return client.through(partial(RecordingTransport, recorder=self._recorder, is_second=is_second))

    def close(self) -> None:
        """Close the file."""
        if self._recorder is not None:
            self._recorder.close()
