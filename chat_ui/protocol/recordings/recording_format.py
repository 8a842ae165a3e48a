r"""The format of a recording: JSON Lines in UTF-8, written as it happens and readable by a person.

The first line is the header. `address` is the origin of the backend:

    {"format": "chat-ui-recording", "version": 1, "created_at": "2026-11-20T09:30:00Z", "backend": {"name": "Plans",
    "address": "https://plans.example", "path": "/chat", "kind": "", "dialect": "auto", "stream": true, "model": null}}

Each exchange has a line at the time of its status and headers, or of its end without them (`status` is null). `path`
includes the query. `place` counts the questions of the conversation, if the request tells. `answered` is the time of
the status in seconds since the request:

    {"exchange": 1, "at": "2026-11-20T09:30:02Z", "method": "POST", "path": "/chat/stream", "question": "Who pays?",
    "place": 1, "request": {…}, "status": 200, "headers": {"content-type": "application/jsonl"}, "answered": 0.101}

Then come the readings of its body: seconds since the request, the kind `text` (UTF-8) or `base64`, and the data. The
last line of an exchange gives its end (`ENDINGS`) and, if known, the reason:

    [0.213, "text", "{\"delta\": {\"content\": \"The \"}}\n"]
    [4.2, "end", ""]

A fourth element is the number of an exchange other than that of the last exchange line. Readers pass over unknown or
unreadable names, kinds and lines, so the file of a killed process is usable up to its last line. A higher `version` is
for changes that former readers would get wrong.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Final, Literal, TypeAlias, cast, get_args
from urllib.parse import urlsplit

import msgspec

from chat_ui.protocol.answers.redaction import Secrets, url_without_secrets, without_secrets
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.events import Json, recorded_date

FORMAT: Final = "chat-ui-recording"
VERSION: Final = 1
How: TypeAlias = Literal["end", "cut", "reset", "stopped"]
ENDINGS: Final = get_args(How)
"""The end of an exchange: its whole answer; a closed or missing connection; a reset; or a caller that left."""
NOTHING_CAME: Final = "nothing came"
"""The reason of a stopped exchange whose caller no longer waited."""
NO_CONNECTION: Final = "no connection"
LONGEST_HEADER: Final = 64 * 1024
LONGEST_PATH: Final = 8 * 1024
"""Characters of a path that is written and read."""
_LONGEST_TIME: Final = 24 * 60 * 60.0
_PATH: Final = re.compile(rf"/[^\s\x00-\x1f\x7f\ud800-\udfff]{{0,{LONGEST_PATH - 1}}}")
SECOND: Final = "second"
"""The `arm` of an exchange that was asked in the second column of a comparison."""


class _Row(msgspec.Struct, array_like=True):
    seconds: float
    kind: str
    data: str
    exchange: int | None = None


_ROWS: Final = msgspec.json.Decoder(_Row)


class RecordedBackend(msgspec.Struct, frozen=True):
    """The recorded backend: its name for people, its origin and path without credentials, its name in `KNOWN_BACKENDS`
    (else empty), and the form of its requests and answers.
    """

    name: str = ""
    address: str = ""
    path: Annotated[str, msgspec.Meta(pattern="^/")] = "/"
    kind: str = ""
    dialect: str = "auto"
    stream: bool = True
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """The first line; `created_at` is in ISO 8601."""

    created_at: str
    backend: RecordedBackend = field(default_factory=RecordedBackend)

    @property
    def line(self) -> bytes:
        """The line of the file, with its end."""
        made_of: dict[str, Json] = {"format": FORMAT, "version": VERSION, "created_at": self.created_at}
        return json_line({**made_of, "backend": msgspec.structs.asdict(self.backend)})


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the beginning of its answer, see the module. `request` is its body: JSON, text, or None if
    unreadable; `is_second` marks the second column of a comparison.
    """

    number: int
    at: str
    method: str
    path: str
    question: str | None = None
    place: int | None = None
    request: Json = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    answered: float = 0.0
    is_second: bool = False

    @property
    def line(self) -> bytes:
        """The line of the file, with its end."""
        return json_line(
            {
                "exchange": self.number,
                "at": self.at,
                "method": self.method,
                "path": self.path,
                "question": self.question,
                "place": self.place,
                **({"arm": SECOND} if self.is_second else {}),
                "request": self.request,
                "status": self.status,
                "headers": dict(self.headers),
                "answered": _rounded(self.answered),
            }
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """Bytes of a body that came at once, `seconds` after the request; `exchange` is None for the last begun one."""

    seconds: float
    data: bytes
    exchange: int | None = None

    @property
    def line(self) -> bytes:
        """The line of the file, with its end."""
        try:
            kind, text = "text", self.data.decode()
        except UnicodeDecodeError:
            kind, text = "base64", base64.b64encode(self.data).decode()
        return _array_line(self.seconds, kind, text, self.exchange)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of an exchange, and its reason if known; `exchange` is None for the last begun one."""

    seconds: float
    how: How
    why: str = ""
    exchange: int | None = None

    @property
    def line(self) -> bytes:
        """The line of the file, with its end."""
        return _array_line(self.seconds, self.how, self.why, self.exchange)


def path_of(url: str) -> str:
    """Path and query of `url`, without credentials in the query."""
    parts = urlsplit(url_without_secrets(url))
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def now() -> str:
    """This moment, as recordings write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def header_for(backend: Backend, kind: str = "") -> Header:
    """The header of a recording of `backend`, made now, without credentials; `kind` is of `KNOWN_BACKENDS`."""
    secrets = Secrets(backend.headers, backend.url, backend.extra_body).in_recordings
    parts = urlsplit(backend.url)
    described = RecordedBackend(
        name=backend.name,
        address=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
        path=without_secrets(path_of(backend.url), secrets),
        kind=kind,
        dialect=backend.dialect,
        stream=backend.stream,
        model=backend.model,
    )
    return Header(now(), described)


def header_in(line: bytes) -> Header:
    """The header in the first line of a file; an invalid date and an unreadable backend are empty.

    Raises:
        RecordingError: it is not a header, or of a newer version.
    """
    value = _json(line)
    if not isinstance(value, Mapping) or value.get("format") != FORMAT:
        raise RecordingError("This file is not a recording: its first line does not say that it is one.")
    version = _complete(value.get("version"))
    if version is None:
        raise RecordingError("This recording has no format version.")
    if version > VERSION:
        raise RecordingError(
            f"This recording has version {version} of the format, and this program reads version {VERSION}. Open it "
            "with a newer version of the program."
        )
    try:
        backend = msgspec.convert(value.get("backend"), RecordedBackend)
    except msgspec.ValidationError:
        backend = RecordedBackend()
    return Header(_moment(value.get("created_at")), backend)


def exchange_in(line: bytes) -> Exchange | None:
    """The exchange in a line, else None. An invalid date is empty."""
    value = _json(line)
    if not isinstance(value, Mapping):
        return None
    number, method, path = _complete(value.get("exchange")), str(value.get("method")), str(value.get("path"))
    if number is None or not _PATH.fullmatch(path) or not re.fullmatch(r"[A-Z]{1,20}", method):
        return None
    status, question, headers = _complete(value.get("status")), value.get("question"), value.get("headers")
    return Exchange(
        number=number,
        at=_moment(value.get("at")),
        method=method,
        path=path,
        question=question if isinstance(question, str) else None,
        place=_complete(value.get("place")),
        request=value.get("request"),
        status=status if status is not None and status in range(200, 600) else None,
        headers={name.lower(): one for name, one in headers.items() if isinstance(one, str)}
        if isinstance(headers, Mapping)
        else {},
        answered=_time(value.get("answered")),
        is_second=value.get("arm") == SECOND,
    )


def reading_or_ending_in(line: bytes) -> Reading | Ending | None:
    """The reading or the end in a line, else None."""
    try:
        row = _ROWS.decode(line)
        seconds = _time(row.seconds)
        if row.kind in ENDINGS:
            return Ending(seconds, cast("How", row.kind), row.data, row.exchange)
        if row.kind == "text":
            return Reading(seconds, row.data.encode(), row.exchange)
        if row.kind == "base64":
            return Reading(seconds, base64.b64decode(row.data, validate=True), row.exchange)
    # msgspec and base64 raise them too.
    except (ValueError, RecursionError):
        return None
    return None


def json_line(value: Json) -> bytes:
    """`value` as a line; halves of characters, which UTF-8 cannot write, are escaped."""
    try:
        return f"{json.dumps(value, ensure_ascii=False)}\n".encode()
    except UnicodeEncodeError:
        return f"{json.dumps(value)}\n".encode()


def _array_line(seconds: float, kind: str, data: str, exchange: int | None) -> bytes:
    return json_line([_rounded(seconds), kind, data, *([] if exchange is None else [exchange])])


def _rounded(seconds: float) -> float:
    return round(seconds, 4)


def _json(line: bytes) -> Json:
    try:
        value: Json = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value


def _moment(value: Json) -> str:
    return (recorded_date(value) if isinstance(value, str) else None) or ""


def _complete(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53 else None


def _time(value: Json) -> float:
    """Seconds of a day at most; 0 if `value` is not a time."""
    return float(min(value, _LONGEST_TIME)) if isinstance(value, int | float) and value >= 0 else 0.0
