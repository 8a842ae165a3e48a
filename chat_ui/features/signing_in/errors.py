"""Errors of signing in. Their messages are for the operator's log, without tokens or a provider's free text.

ChatUIError
└── ProviderError
    ├── ProviderUnavailableError
    └── GrantRefusedError
"""

from chat_ui.protocol.errors import ChatUIError


class ProviderError(ChatUIError):
    """The provider's answer cannot be used."""


class ProviderUnavailableError(ProviderError):
    """The provider does not answer at the moment."""


class GrantRefusedError(ProviderError):
    """The token endpoint refused a code or a refresh token; `code` is the `error` of RFC 6749, 5.2."""

    def __init__(self, code: str) -> None:
        super().__init__(f"The provider refused the grant: {code}.")
        self.code = code
