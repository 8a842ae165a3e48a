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

_AUTHORITY: Final = re.compile(r"https://[\w.:/~-]{1,292}", re.ASCII)
_NAME: Final = re.compile(r"[\w.:/~-]{1,300}", re.ASCII)
"""A scope, or an ID. All are shown in lines for a file of settings."""


def read_login(probe: Probe) -> Login | None:
    """The sign-in in a response; None without a login, or in another form."""
    body = bytearray(probe.body)
    match read_as_object(body, 0, len(body)) if probe.status == 200 else None:
        case {
            "useLogin": True,
            "msalConfig": {"auth": {"authority": str(authority), "clientId": str(client)}},
            "tokenRequest": {"scopes": [str(scope), *_]},
            **others,
        } if _AUTHORITY.fullmatch(authority) and _NAME.fullmatch(client) and _NAME.fullmatch(scope):
            return Login(authority, client, scope, is_required=others.get("enableUnauthenticatedAccess") is not True)
    return None
