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
    """An invalid request, with the HTTP `status` and the message; a non-empty `body` replaces it."""

    def __init__(
        self, message: str, status: int = 400, code: str = "invalid_request", body: JsonObject | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.body = body


class WordingError(ChatUIError):
    """The model's answer is missing; `message` has the reason, for a person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StreamCutError(ChatUIError):
    """Raised by the source of a stream to cut it: the body gets no proper end."""
