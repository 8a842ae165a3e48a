"""`recording`: what is in a recording, as a table on a terminal that is wide enough and as plain lines elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

from chat_ui.command_line.terminal.output import print_json, shown
from chat_ui.protocol.answers.secret_scan import scan
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import Json
from chat_ui.recordings.recording import RecordedExchange, Recording
from chat_ui.recordings.recording_edits import Suspicion, body_sizes, edited, suspicions
from chat_ui.recordings.recording_format import RecordingError

if TYPE_CHECKING:
    from rich.console import Console

NOTHING_SUSPICIOUS: Final = 0
SUSPICIOUS: Final = 1
UNUSABLE: Final = 2

_TABLE_COLUMNS: Final = 110
"""Columns of a terminal that a readable table needs."""
_ENDS: Final = {"end": "whole", "cut": "cut off", "reset": "reset", "stopped": "stopped"}


@dataclass(frozen=True, slots=True)
class Listing:
    """A recording, the bytes of its bodies by exchange, and what looks like a secret in it."""

    recording: Recording
    sizes: Mapping[int, int]
    suspicions: list[Suspicion]


def list_recording(options: argparse.Namespace) -> int:
    """Change what is to be changed, list what is there then, and give the exit status: 0, or 1 where something looks
    like a secret, or 2 where the file cannot be read or written.
    """
    try:
        path = _changed(options)
        listing = Listing(Recording.open(path), body_sizes(path), suspicions(path, scan))
    except RecordingError as problem:
        print(shown(str(problem), sys.stderr), file=sys.stderr)
        return UNUSABLE
    if options.json:
        print_json(_object(listing))
    elif sys.stdout.isatty() and get_terminal_size().columns >= _TABLE_COLUMNS:
        from rich.console import Console  # noqa: PLC0415

        show_table(listing, Console())
    else:
        for line in plain_lines(listing):
            print(shown(clean_text(line), sys.stdout))
    return SUSPICIOUS if listing.suspicions else NOTHING_SUSPICIOUS


def _changed(options: argparse.Namespace) -> Path:
    """The file to list, once what is to be changed in it is."""
    path: Path = options.file
    if options.without or options.rename is not None:
        edited(path, options.to, set(options.without), options.rename)
        return options.to or path
    if options.to is not None:
        raise RecordingError("Nothing is to be changed: --to goes with --without or --rename.")
    return path


def plain_lines(listing: Listing) -> Iterator[str]:
    """The recording, a line for each exchange and each suspicion."""
    yield _title(listing)
    for exchange in listing.recording.exchanges:
        yield " | ".join(("exchange", *_cells(listing, exchange)))
    for suspicion in listing.suspicions:
        yield " | ".join(("suspicious", *_suspicious(suspicion)))
    yield _verdict(listing)


def show_table(listing: Listing, console: Console) -> None:
    """The recording as a table on a terminal."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    def text(words: str, style: str = "") -> Text:
        return Text(shown(clean_text(words), console.file), style=style)

    console.print(text(_title(listing), "bold"))
    table = Table()
    for name in _COLUMNS:
        is_number = name in _NUMBERS
        table.add_column(name, justify="right" if is_number else "left", overflow="fold", no_wrap=name not in _WORDS)
    for exchange in listing.recording.exchanges:
        is_well = exchange.how == "end" and exchange.status is not None and exchange.status < 400
        number, at, *cells, end = _cells(listing, exchange)
        style = "green" if is_well else "yellow"
        table.add_row(text(number), text(_to_the_second(at)), *map(text, cells), text(end, style))
    console.print(table)
    if listing.suspicions:
        found = Table("Exchange", "Where", "Looks like", "Begins with")
        for suspicion in listing.suspicions:
            found.add_row(*map(text, _suspicious(suspicion)))
        console.print(found)
    console.print(text(_verdict(listing), "bold red" if listing.suspicions else "green"))


_COLUMNS: Final = ("", "When (UTC)", "Request", "Question", "Status", "Size", "Seconds", "End")
_NUMBERS: Final = {"", "Status", "Size", "Seconds"}
_WORDS: Final = {"Request", "Question", "End"}


def _cells(listing: Listing, exchange: RecordedExchange) -> tuple[str, ...]:
    return (
        str(exchange.number),
        exchange.at,
        f"{exchange.method} {exchange.path}",
        " ".join((exchange.question or "").split()),
        "none" if exchange.status is None else str(exchange.status),
        in_words(listing.sizes.get(exchange.number, 0)),
        f"{exchange.seconds:.2f}",
        f"{_ENDS[exchange.how]}{f': {exchange.why}' if exchange.why else ''}",
    )


def _to_the_second(at: str) -> str:
    """A date of ISO 8601 in UTC, as it is read most easily; itself where it is none, or the first or last there is."""
    try:
        return datetime.fromisoformat(at).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):
        return at


def _suspicious(suspicion: Suspicion) -> tuple[str, ...]:
    number = "" if suspicion.exchange is None else str(suspicion.exchange)
    return number, suspicion.part, suspicion.kind, f"{suspicion.beginning}…"


def _title(listing: Listing) -> str:
    header = listing.recording.header
    backend = header.backend
    named = " at ".join(part for part in (backend.name, f"{backend.address}{backend.path}") if part)
    return f"{named}, recorded from {header.created_at} on"


def _verdict(listing: Listing) -> str:
    if not listing.suspicions:
        return "Nothing in it looks like a secret."
    count = len(listing.suspicions)
    what = "1 place looks" if count == 1 else f"{count} places look"
    return f"{what} like a secret. Take such an exchange out with --without N before you pass the file on."


def _object(listing: Listing) -> dict[str, Json]:
    header = listing.recording.header
    return {
        "created_at": header.created_at,
        "backend": {
            "name": header.backend.name,
            "address": header.backend.address,
            "path": header.backend.path,
            "kind": header.backend.kind,
            "model": header.backend.model,
        },
        "exchanges": [
            {
                "exchange": one.number,
                "at": one.at,
                "method": one.method,
                "path": one.path,
                "question": one.question,
                "place": one.place,
                "status": one.status,
                "bytes": listing.sizes.get(one.number, 0),
                "seconds": one.seconds,
                "end": one.how,
                "why": one.why,
            }
            for one in listing.recording.exchanges
        ],
        "suspicions": [
            {"exchange": one.exchange, "part": one.part, "kind": one.kind, "beginning": one.beginning}
            for one in listing.suspicions
        ],
    }
