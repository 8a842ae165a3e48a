"""Where the person behind a request is found.

A person is a digest of what the server itself gave out or was told by its proxy (see `middleware.identity`). It is no
credential: nothing that a client sends is ever compared with it, and it is in no header, no page's state and no log.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PERSON: Final = "chat_ui.person"
"""The key of an ASGI scope under which `chat_ui.server.middleware.identity`, and nothing else, puts the person."""

NAMED: Final = "chat_ui.named"
"""The key of an ASGI scope that is True where an authenticating proxy named the person."""

OPERATOR: Final = "chat_ui.operator"
"""The key of an ASGI scope that is True where the request had the operator's token."""


def is_operator(scope: Mapping[str, Any]) -> bool:
    """Whether a request or an ASGI scope had the operator's token."""
    return scope.get(OPERATOR) is True


def is_named(scope: Mapping[str, Any]) -> bool:
    """Whether an authenticating proxy named the person behind a request or an ASGI scope."""
    return scope.get(NAMED) is True


def person_of(scope: Mapping[str, Any]) -> str:
    """The person behind a request or an ASGI scope; empty while a browser has no cookie."""
    return scope.get(PERSON) or ""
