"""Errors of an evaluation.

ChatUIError
├── QuestionsError (ValueError)
├── RunFolderError (ValueError)
└── BackendUnavailableError
"""

from __future__ import annotations

from chat_ui.protocol.errors import ChatUIError
from chat_ui.protocol.events import ErrorInfo


class QuestionsError(ChatUIError, ValueError):
    """A file without questions, or with an invalid line, which the message names."""


class RunFolderError(ChatUIError, ValueError):
    """An unusable folder; the message has the reason and a remedy."""


class BackendUnavailableError(ChatUIError):
    """The backend is unreachable or asks for a long pause; unasked questions are not in the results."""

    def __init__(self, error: ErrorInfo) -> None:
        super().__init__(error.message)
        self.error = error
