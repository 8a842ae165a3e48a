"""The server's log: requests and answers by their ids, never the words of a question or an answer.

Libraries write down what they were given: Reflex the payload of an event that it does not know, engineio each packet,
httpx the address that it asked. The words of an error, and the lines of its traceback, can hold anything as well. So
every record tells an error by its type and place alone, and a record of a library that handles what people send has no
words of that library.
"""

from __future__ import annotations

import logging
import sys
import traceback
from contextvars import ContextVar
from pathlib import PurePath
from typing import Any, Final

from pythonjsonlogger.json import JsonFormatter

REQUEST_HEADER: Final = "x-request-id"
"""The header with the id of a request."""
request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that the running code works for, empty outside of one; tasks inherit it."""

_LOGGER: Final = "chat_ui"
_LONGEST_CHAIN: Final = 5
OF_PACKETS: Final = ("engineio.server", "socketio.server", "reflex.app")
"""Loggers that say something of each packet which cannot be read."""
_TALKATIVE: Final = (
    "reflex.app",
    "reflex.istate",
    "reflex.middleware",
    "reflex.state",
    "reflex.utils.telemetry",
    "reflex.utils.token_manager",
    "reflex_base.event",
    "reflex_base.registry",
    "aiosqlite",
    "alembic",
    "asyncio",
    "engineio",
    "h11",
    "httpcore",
    "httpx",
    "markdown_it",
    "opentelemetry",
    "python_multipart",
    "redis",
    "socketio",
    "sqlalchemy",
)
"""Loggers, with those below them, that may log what people send, or what is sent for them."""


class _Seldom(logging.Filter):
    """Lets a record a second through: what cannot be read of a socket comes as fast as a client sends it."""

    def __init__(self) -> None:
        super().__init__()
        self._last = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        is_due = record.created - self._last >= 1
        if is_due:
            self._last = record.created
        return is_due


class _WithRequestId(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


def told(error: BaseException) -> str:
    """An error by its type and place, and those of the errors behind it, without a word that they say."""
    chain: list[str] = []
    behind: BaseException | None = error
    while behind is not None and len(chain) < _LONGEST_CHAIN:
        frames = traceback.extract_tb(behind.__traceback__)
        places = [frame for frame in frames if f"/{_LOGGER}/" in frame.filename] or frames
        chain.append(" at ".join((type(behind).__name__, *map(_place, places[-1:]))))
        behind = behind.__cause__ or (None if behind.__suppress_context__ else behind.__context__)
    return ", from ".join(chain)


def _place(frame: traceback.FrameSummary) -> str:
    return f"{'/'.join(PurePath(frame.filename).parts[-2:])}:{frame.lineno}"


def _record(*arguments: Any, **named: Any) -> logging.LogRecord:
    """A record as the standard library makes it, without the words of its error, and without those of a library that
    handles what people send.
    """
    record = logging.LogRecord(*arguments, **named)
    if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
        record.exc_text = told(record.exc_info[1])
    record.exc_info = None
    if any(record.name == library or record.name.startswith(f"{library}.") for library in _TALKATIVE):
        record.msg, record.args = f"{record.name} tells of something at {record.filename}:{record.lineno}", ()
    return record


def configure_logs(level: str, *, as_json: bool) -> None:
    """Write what the app logs from `level` on to the standard error, one line each: words, or an object of JSON; and
    have what its libraries log hold nothing of what people send.
    """
    logging.setLogRecordFactory(_record)
    for name in OF_PACKETS:
        logging.getLogger(name).addFilter(_Seldom())
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_WithRequestId())
    if as_json:
        fields = "{asctime}{levelname}{name}{message}{request_id}"
        names = {"asctime": "time", "levelname": "level", "name": "logger"}
        handler.setFormatter(JsonFormatter(fields, style="{", rename_fields=names))
    else:
        handler.setFormatter(logging.Formatter("{asctime} {levelname} {message} {request_id}", style="{"))
    logger = logging.getLogger(_LOGGER)
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(level.upper())
