"""The recording of the page's requests to backends."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

from chat_ui.backends.profile import Profile, RecordedProfile
from chat_ui.errors import UnusableSettingsError
from chat_ui.languages.translation import gettext
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import Header, header_for
from chat_ui.protocol.transport.client import AsyncClient

logger = logging.getLogger(__name__)


def expect_recordable(path: Path, processes: int) -> None:
    """Check that `path` can be created or is a recording to extend.

    Raises:
        UnusableSettingsError: it is neither, or several processes would write it.
    """
    if processes > 1:
        raise UnusableSettingsError("Several workers cannot write one recording. Remove --record or --workers.")
    try:
        if path.exists() and path.stat().st_size:
            Recording.open(path)
        elif not os.access(path if path.exists() else path.parent, os.W_OK):
            raise UnusableSettingsError(f"{path} cannot be written. Name another file to record to.")
    except (RecordingError, OSError) as problem:
        raise UnusableSettingsError(f"Cannot record to {path}: {problem}") from None


def recording_of_all(path: Path | None, profiles: Sequence[Profile]) -> tuple[Path, Header] | None:
    """The file at `path` and its header, which describes the first live backend; None without a path.

    Raises:
        UnusableSettingsError: all backends are recordings.
    """
    if path is None:
        return None
    live = next((one for one in profiles if not isinstance(one, RecordedProfile)), None)
    if live is None:
        raise UnusableSettingsError(
            "CHAT_UI_RECORD needs a live backend, and all backends are recordings. Set CHAT_UI_BACKEND_URL."
        )
    return path, header_for(replace(live.backend(), name=live.name), live.kind)


class PageRecorder:
    """Records requests to a file, with a header if it is new; without a file, records nothing. Several processes cannot
    write the same file.
    """

    def __init__(self, to: tuple[Path, Header] | None = None) -> None:
        self._to = to
        self._recorder: Recorder | None = None

    @asynccontextmanager
    async def recording(self) -> AsyncIterator[None]:
        """Record within the context. A failure is logged, and ends the recording."""
        if self._to is not None:
            path, header = self._to
            try:
                self._recorder = await asyncio.to_thread(Recorder, path, header, on_failure=logger.error)
            except RecordingError as problem:
                logger.error("%s", problem)  # noqa: TRY400 - its message says everything
        try:
            yield
        finally:
            if self._recorder is not None:
                self._recorder.close()

    def client(self, client: AsyncClient, is_second: bool) -> AsyncClient:
        """`client`, recorded; `is_second` for requests of a comparison's second column."""
        if self._recorder is None:
            return client
        return client.with_transport(partial(RecordingTransport, recorder=self._recorder, is_second=is_second))


def recorded_notice() -> str:
    return f'<p class="notice page-recorded">{escape(gettext("Questions on this page are recorded"))}</p>'
