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
    """A file holds no questions, or a line of it is none; the message names the line."""


class RunFolderError(ChatUIError, ValueError):
    """A folder cannot be used; the message says why and what to do."""


class BackendUnavailableError(ChatUIError):
    """The backend does not answer, or asks to be left alone for long; what was not asked was not written."""

    def __init__(self, error: ErrorInfo) -> None:
        super().__init__(error.message)
        self.error = error
