"""Recordings of exchanges with backends, by the page or a command, and answers from them."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chat_ui.command_line.arguments import add_certificate_and_policy, add_url, port, seconds
from chat_ui.feature import Command, Feature
from chat_ui.server.served import Paint, Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services
    from chat_ui.settings import Settings

_SLOWEST: Final = 0.25
_FASTEST: Final = 8.0


def _serve(services: Services) -> Served:
    from chat_ui.features.recordings.page_recorder import PageRecorder, recorded_notice, recording_of_all
    from chat_ui.features.recordings.settings import RecordingsSettings

    to = recording_of_all(RecordingsSettings.of(services.settings).record, services.backends.offer.operator_profiles)
    recorder = PageRecorder(to)
    services.backends.replaying.through = recorder.client
    return Served(
        running=recorder.recording,
        paint=lambda: Paint(parts={"recorded": recorded_notice() if to is not None else ""}),
    )


def _add_serve_options(serve: argparse.ArgumentParser) -> None:
    serve.add_argument(
        "--record", type=Path, metavar="FILE", help="record the page's requests to a new or existing file"
    )


def _check_serving(chosen: Settings, processes: int) -> None:
    from chat_ui.features.recordings.page_recorder import expect_recordable
    from chat_ui.features.recordings.settings import RecordingsSettings

    if (path := RecordingsSettings.of(chosen).record) is not None:
        expect_recordable(path, processes)


def _add_record_options(command: argparse.ArgumentParser) -> None:
    add_url(command)
    command.add_argument(
        "--to", type=Path, required=True, metavar="FILE", help="file to record to; an existing one is continued"
    )
    _add_port(command)
    add_certificate_and_policy(command)


def _add_replay_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=Path, metavar="FILE", help="recording")
    _add_port(command)
    command.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="X",
        help=f"playback speed from {_SLOWEST:g} to {_FASTEST:g} (default: 1)",
    )
    command.add_argument(
        "--longest-pause",
        type=seconds,
        default=math.inf,
        metavar="S",
        help="maximum length of a pause, in seconds",
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="return an error if path or place in the conversation differs from the recording",
    )


def _add_port(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--port", type=port, default=8001, metavar="N", help="port of 127.0.0.1 to listen on (default: 8001)"
    )


def _speed(text: str) -> float:
    words = f"must be a speed from {_SLOWEST:g} to {_FASTEST:g}"
    try:
        speed = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(words) from error
    if not _SLOWEST <= speed <= _FASTEST:
        raise argparse.ArgumentTypeError(words)
    return speed


def _record(options: argparse.Namespace) -> int:
    from chat_ui.features.recordings.loopback import record

    return record(options)


def _replay(options: argparse.Namespace) -> int:
    from chat_ui.features.recordings.loopback import replay

    return replay(options)


FEATURE = Feature(
    name="recordings",
    settings="RecordingsSettings",
    add_serve_options=_add_serve_options,
    check_serving=_check_serving,
    serve=_serve,
    commands=(
        Command(
            name="record",
            help="run a recording proxy in front of a backend",
            add_options=_add_record_options,
            run=_record,
        ),
        Command(
            name="replay",
            help="run a backend that answers from a recording",
            add_options=_add_replay_options,
            run=_replay,
        ),
    ),
)
