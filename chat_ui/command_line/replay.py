"""`replay`: a backend that answers from a recording."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Final

from chat_ui.command_line.loopback import PassingOn, serve_until_stopped
from chat_ui.command_line.ports import PortNotFreeError
from chat_ui.command_line.terminal.output import shown
from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_format import RecordingError
from chat_ui.recordings.replaying_door import RECORDED_ORIGIN, ReplayTransport

STOPPED: Final = 0
UNUSABLE: Final = 2


def replay(options: argparse.Namespace) -> int:
    """Serve until it is stopped, and give the exit status: 2 where it cannot be served."""
    try:
        recording = Recording.open(options.file)
        transport = ReplayTransport(
            recording, speed=options.speed, longest_pause=options.longest_pause, strict=options.strict
        )
        app = PassingOn(RECORDED_ORIGIN, transport.handle_async_request)
        asyncio.run(serve_until_stopped(app, options.port, lambda origin: _welcome(recording, origin)))
    except (RecordingError, PortNotFreeError) as problem:
        print(shown(str(problem), sys.stderr), file=sys.stderr)
        return UNUSABLE
    return STOPPED


def _welcome(recording: Recording, origin: str) -> str:
    backend, count = recording.header.backend, len(recording.exchanges)
    path = backend.path.partition("?")[0]
    named = f" of {backend.name or backend.address}" if backend.name or backend.address else ""
    exchanges = "1 exchange" if count == 1 else f"{count} exchanges"
    return f"{exchanges}{named}, recorded at {recording.header.created_at}, can be asked at {origin}{path}"
