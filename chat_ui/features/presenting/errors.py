"""Errors of presenting.

ChatUIError
└── ScriptError (ValueError)
"""

from chat_ui.protocol.errors import ChatUIError


class ScriptError(ChatUIError, ValueError):
    """A script cannot be used; the message says at which line or step, and why. It is translatable."""
