"""Errors of signing in. Their messages are for the operator's log, without tokens or a provider's free text.

ChatUIError
└── ProviderError
    ├── ProviderUnavailableError
    └── GrantRefusedError
"""

import re

from chat_ui.protocol.errors import ChatUIError


class ProviderError(ChatUIError):
    """The provider's answer cannot be used."""


class ProviderUnavailableError(ProviderError):
    """The provider does not answer at the moment."""


class GrantRefusedError(ProviderError):
    """The provider refused a grant; `code` is the `error` of RFC 6749, 4.1.2.1 or 5.2."""

    def __init__(self, code: str) -> None:
        self.code = code if re.fullmatch(r"[a-z_]{1,60}", code) else "an unknown error"
        super().__init__(f"The provider refused the grant: {self.code}.")
