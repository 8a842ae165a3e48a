"""The person behind a request.

A person is a digest of an id from the server itself or its proxy (see `middleware.identity`). It is not a credential:
input of a client is never compared with it, and headers, page states and logs do not have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PERSON: Final = "chat_ui.person"
"""The key of an ASGI scope under which only `chat_ui.server.middleware.identity` puts the person."""

NAMED: Final = "chat_ui.named"
"""The key of an ASGI scope that is True if an authenticating proxy or a sign-in named the person."""

SESSION: Final = "chat_ui.session"
"""The key of an ASGI scope with the digest of the person's session, if they signed in here."""

OPERATOR: Final = "chat_ui.operator"
"""The key of an ASGI scope that is True if the request had the operator's token."""


def is_operator(scope: Mapping[str, Any]) -> bool:
    """Whether a request or an ASGI scope had the operator's token."""
    return scope.get(OPERATOR) is True


def is_named(scope: Mapping[str, Any]) -> bool:
    """Whether an authenticating proxy or a sign-in named the person behind a request or an ASGI scope."""
    return scope.get(NAMED) is True


def session_of(scope: Mapping[str, Any]) -> str:
    """The digest of the session behind a request or an ASGI scope; empty for a person who did not sign in here."""
    return scope.get(SESSION) or ""


def person_of(scope: Mapping[str, Any]) -> str:
    """The person behind a request or an ASGI scope; empty for a browser without a cookie."""
    return scope.get(PERSON) or ""
