"""The recording of what the page asks of backends."""

from __future__ import annotations

import asyncio
import logging
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
from chat_ui.protocol.recordings.recording_format import Header, header_for
from chat_ui.protocol.transport.client import Client
from chat_ui.settings import Settings

logger = logging.getLogger(__name__)


def recording_of_all(chosen: Settings, profiles: Sequence[Profile]) -> tuple[Path, Header] | None:
    """The file that everything is recorded to, with its header, which describes the first backend that is asked; None
    where nothing is recorded.

    Raises:
        UnusableSettingsError: recordings answer everything.
    """
    if chosen.record is None:
        return None
    live = next((one for one in profiles if not isinstance(one, RecordedProfile)), None)
    if live is None:
        raise UnusableSettingsError("CHAT_UI_RECORD: there is no backend to record, since a recording answers.")
    return chosen.record, header_for(replace(live.backend(), name=live.name), live.kind)


class PageRecorder:
    """Records what is asked to a file, which begins with a header where it is new; without a file, records nothing.
    Several processes cannot write one file.
    """

    def __init__(self, to: tuple[Path, Header] | None = None) -> None:
        self._to = to
        self._recorder: Recorder | None = None

    @asynccontextmanager
    async def recording(self) -> AsyncIterator[None]:
        """Record within the context. A failure is logged, and nothing more is recorded."""
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

    def client(self, client: Client, is_second: bool) -> Client:
        """`client`, recorded; `is_second` where its requests are those of the second arm of a comparison."""
        if self._recorder is None:
            return client
        return client.through(partial(RecordingTransport, recorder=self._recorder, is_second=is_second))


def recorded_notice() -> str:
    return f'<p class="notice page-recorded">{escape(gettext("What is asked on this page is recorded"))}</p>'
