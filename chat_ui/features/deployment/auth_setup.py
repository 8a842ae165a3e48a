"""The sign-in that a deployment of azure-search-openai-demo tells at `GET /auth_setup`.

Source: `get_auth_setup_for_client` in its `app/backend/core/authentication.py` at 8e2eea9b. Without a login, its values
have no meaning. Its server refuses people without a token unless `enableUnauthenticatedAccess` is true.
"""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.detection.advice import Login
from chat_ui.protocol.reading.json_text import read_as_object
from chat_ui.protocol.transport.probe import Probe

_LONGEST: Final = 300
_USABLE: Final = re.compile(r"[\w.:/~-]+", re.ASCII)
"""An authority and a scope, which are shown in lines for a file of settings."""


def read_login(probe: Probe) -> Login | None:
    """The sign-in in a response; None without a login, or in another form."""
    body = bytearray(probe.body)
    match read_as_object(body, 0, len(body)) if probe.status == 200 else None:
        case {
            "useLogin": True,
            "msalConfig": {"auth": {"authority": str(authority)}},
            "tokenRequest": {"scopes": [str(scope), *_]},
            **others,
        } if authority.startswith("https://") and _is_usable(authority) and _is_usable(scope):
            return Login(authority, scope, is_required=others.get("enableUnauthenticatedAccess") is not True)
    return None


def _is_usable(value: str) -> bool:
    return len(value) <= _LONGEST and _USABLE.fullmatch(value) is not None
