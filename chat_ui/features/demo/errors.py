"""Errors of the demo backend.

ChatUIError
├── BadRequestError (ValueError)
├── WordingError
└── StreamCutError
"""

from __future__ import annotations

from chat_ui.protocol.errors import ChatUIError
from chat_ui.protocol.events import JsonObject


class BadRequestError(ChatUIError, ValueError):
    """A request that cannot be answered, with the HTTP `status` and the words for the person; `body` is sent in their
    place where there is one.
    """

    def __init__(
        self, message: str, status: int = 400, code: str = "invalid_request", body: JsonObject | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.body = body


class WordingError(ChatUIError):
    """The model worded no answer; `message` says why, for a person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StreamCutError(ChatUIError):
    """Raised by the source of a stream to end it in the middle: the body gets no proper end."""
