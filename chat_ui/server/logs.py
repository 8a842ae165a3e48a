"""The server's log: requests and answers by their ids, never the words of a question or an answer.

Libraries log their data: Reflex the payload of an unknown event, engineio each packet, httpx2 the address of a request.
The message of an error and the lines of its traceback can have any content as well. So a record names an error only by
type and place. A record of a library that handles people's data has only the words in the library's source, read from
its file, without values.
"""

from __future__ import annotations

import ast
import linecache
import logging
import re
import sys
import traceback
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final

from pythonjsonlogger.json import JsonFormatter

REQUEST_HEADER: Final = "x-request-id"
"""The header with the id of a request."""
request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the current request, else empty; tasks inherit it."""

_LOGGER: Final = "chat_ui"
_LONGEST_CHAIN: Final = 5
REPEATING_LOGGERS: Final = ("asyncio", "engineio.server", "socketio.server", "reflex.app")
"""Loggers with a record for each unreadable packet, or for each failed task."""
_SAME_SECONDS: Final = 60
_ORDINARY: Final = ("Attempting to send delta to disconnected client",)
"""The beginnings of warnings about ordinary events, such as a closed page."""
_OF_ASYNCIO: Final = (
    "Task exception was never retrieved",
    "Future exception was never retrieved",
    "Unhandled exception in event loop",
    "Exception in callback",
)
"""The beginnings of asyncio's own messages."""
_VERBOSE: Final = (
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
    "httpcore2",
    "httpx2",
    "markdown_it",
    "opentelemetry",
    "python_multipart",
    "redis",
    "socketio",
    "sqlalchemy",
)
"""Loggers, with those below them, that may log data of people."""
_CALL: Final = re.compile(r"(?i)[\w.]*log\w*(?:\([^()]*\))?\.(?:debug|info|warning|error|exception|critical)\(")
_MOST_LINES: Final = 20
_VALUE: Final = "…"
_PLACEHOLDER: Final = re.compile(r"%(?:\(\w+\))?[-#0 +]*[\d*]*(?:\.\d+)?[a-zA-Z]|{[^{}]*}")


class _OncePerPlace(logging.Filter):
    """Passes a record of the same line of code, about an error of the same type and place, once a minute: packets come
    as fast as a client sends them. Ordinary ones are dropped.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, int, str | None], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        subject = record.pathname, record.lineno, record.exc_text
        is_due = record.created - self._last.get(subject, 0.0) >= _SAME_SECONDS
        if is_due:
            self._last[subject] = record.created
        return is_due and not words_at(record.pathname, record.lineno).startswith(_ORDINARY)


class _WithRequestId(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


def type_and_place(error: BaseException) -> str:
    """The type and the place of an error and of its causes, without their messages."""
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
    """A record without the message of its error, and without values of a library that handles people's data."""
    record = logging.LogRecord(*arguments, **named)
    if isinstance(record.exc_info, tuple) and record.exc_info[1] is not None:
        record.exc_text = type_and_place(record.exc_info[1])
    record.exc_info = None
    if any(record.name == library or record.name.startswith(f"{library}.") for library in _VERBOSE):
        words = words_at(record.pathname, record.lineno) or next(filter(str(record.msg).startswith, _OF_ASYNCIO), "")
        place = f"{record.filename}:{record.lineno}"
        record.msg, record.args = f"{record.name}: {words or 'a message of values alone'} ({place})", ()
    return record


def configure_logs(level: str, *, as_json: bool) -> None:
    """Write the app's records from `level` on, and warnings of its libraries, to standard error, a line each: words, or
    a JSON object. Records of its libraries are free of people's data.
    """
    logging.setLogRecordFactory(_record)
    for name in REPEATING_LOGGERS:
        logging.getLogger(name).addFilter(_OncePerPlace())
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_WithRequestId())
    if as_json:
        fields = "{asctime}{levelname}{name}{message}{request_id}"
        names = {"asctime": "time", "levelname": "level", "name": "logger"}
        handler.setFormatter(JsonFormatter(fields, style="{", rename_fields=names))
    else:
        handler.setFormatter(logging.Formatter("{asctime} {levelname} {message} {request_id}", style="{"))
    if not logging.root.handlers:
        logging.root.addHandler(handler)
    logger = logging.getLogger(_LOGGER)
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(level.upper())


@lru_cache(maxsize=512)
def words_at(path: str, line: int) -> str:
    """The words of the logging call at this line of a file; else empty."""
    source = "".join(linecache.getlines(path)[line - 1 : line - 1 + _MOST_LINES])
    if (begin := _CALL.search(source.partition("\n")[0])) is None:
        return ""
    for end in re.compile(r"\)").finditer(source, begin.end()):
        with suppress(SyntaxError):
            match ast.parse(source[begin.start() : end.end()], mode="eval").body:
                case ast.Call(args=[message, *_]):
                    return " ".join(_words(message).split())
    return ""


def _words(message: ast.expr) -> str:
    match message:
        case ast.Constant(value=str(words)):
            return _PLACEHOLDER.sub(_VALUE, words)
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else _VALUE for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _words(left) + _words(right)
        case ast.BinOp(left=left, op=ast.Mod()):
            return _words(left)
        case ast.Call(func=ast.Attribute(value=ast.Constant() as words, attr="format")):
            return _words(words)
    return ""
