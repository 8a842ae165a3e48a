"""`record`: a server that passes on what any client asks of a backend, and records it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Final

from chat_ui.command_line.arguments import pinning
from chat_ui.command_line.loopback import PassingOn, serve_until_stopped
from chat_ui.command_line.ports import PortNotFreeError
from chat_ui.command_line.terminal.output import shown
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.dialects.registry import described
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.guard import Guard, origin_of
from chat_ui.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_format import RecordingError, header_for, path_of

STOPPED: Final = 0
UNUSABLE: Final = 2


def record(options: argparse.Namespace) -> int:
    """Serve until it is stopped, and give the exit status: 2 where it cannot be served, or not be recorded."""
    try:
        with Recorder(options.to, header_for(described(options.url)), on_failure=warn) as recorder:
            asyncio.run(_pass_on(options, recorder))
        count = len(Recording.open(options.to).exchanges)
    except (RecordingError, PortNotFreeError) as problem:
        warn(str(problem))
        return UNUSABLE
    print(shown(f"{'1 exchange is' if count == 1 else f'{count} exchanges are'} in {options.to}.", sys.stdout))
    return STOPPED


async def _pass_on(options: argparse.Namespace, recorder: Recorder) -> None:
    place = without_query(options.url)

    def welcome(origin: str) -> str:
        return f"Use {origin}{without_query(path_of(options.url))} in place of {place}: it is recorded to {options.to}."

    async with Client(guard=Guard(options.policy)) as client:
        http = pinning(client, options).through(lambda inner: RecordingTransport(inner, recorder)).http
        app = PassingOn(origin_of(options.url), lambda request: http.send(request, stream=True))
        await serve_until_stopped(app, options.port, welcome)


def warn(words: str) -> None:
    """Say on standard error what a recording lacks."""
    print(shown(words, sys.stderr), file=sys.stderr, flush=True)
