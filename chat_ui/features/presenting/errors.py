"""Errors of presenting.

ChatUIError
└── ScriptError (ValueError)
"""

from chat_ui.protocol.errors import ChatUIError


class ScriptError(ChatUIError, ValueError):
    """An unusable script; the translatable message has the line or step, and the reason."""
