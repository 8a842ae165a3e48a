"""What the server writes down of its work: requests and answers by their ids, never what was asked or answered."""

from __future__ import annotations

import logging
import sys
from contextvars import ContextVar
from typing import Final

from pythonjsonlogger.json import JsonFormatter

REQUEST_HEADER: Final = "x-request-id"
"""The header with the id of a request."""
request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that the running code works for, empty outside of one; tasks inherit it."""

_LOGGER: Final = "chat_ui"


class _WithRequestId(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


def configure_logs(level: str, *, as_json: bool) -> None:
    """Write what the app logs from `level` on to the standard error, one line each: words, or an object of JSON."""
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
