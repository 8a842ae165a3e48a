"""The settings that a deployment of azure-search-openai-demo tells at `GET /config`, and its sign-in at `/auth_setup`.

Source: `config` in its `app/backend/app.py`, and `get_auth_setup_for_client` in `core/authentication.py`, at 8e2eea9b
(June 2026). Other versions lack some of the keys.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import without_stream
from chat_ui.protocol.detection.advice import Login
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.reading.json_text import read_as_object
from chat_ui.protocol.translatable import Translatable, msg
from chat_ui.protocol.transport.probe import Probe

_SWITCHES: Final = frozenset({
    "showMultimodalOptions", "showSemanticRankerOption", "showQueryRewritingOption", "showReasoningEffortOption",
    "streamingEnabled", "showVectorOption", "showUserUpload", "showLanguagePicker", "showSpeechInput",
    "showSpeechOutputBrowser", "showSpeechOutputAzure", "showChatHistoryBrowser", "showChatHistoryCosmos",
    "showAgenticRetrievalOption", "ragSearchTextEmbeddings", "ragSearchImageEmbeddings", "ragSendTextSources",
    "ragSendImageSources", "webSourceEnabled", "sharepointSourceEnabled",
})  # fmt: skip
_EFFORTS: Final = frozenset({"defaultReasoningEffort", "defaultRetrievalReasoningEffort"})
_CHOICES: Final = "reasoningEffortOptions"
KEYS: Final = frozenset({*_SWITCHES, *_EFFORTS, _CHOICES})
_FEWEST: Final = 3
"""Keys by which an object is taken for these settings."""
_LONGEST: Final = 40
_AUTHORITY: Final = re.compile(r"https://[\w.:/~-]{1,292}", re.ASCII)
_NAME: Final = re.compile(r"[\w.:/~-]{1,300}", re.ASCII)
"""A scope, or an ID. All are shown in lines for a file of settings."""


def config_urls(url: str) -> tuple[str, ...]:
    """The addresses of the settings of a backend at `url`: beside its chat, or for a bare host at both usual places."""
    parts = urlsplit(without_stream(url))
    path = parts.path.rstrip("/")
    if path and not path.endswith("/chat"):
        return ()
    paths = (f"{path.removesuffix('chat')}config",) if path else ("/config", "/api/config")
    return tuple(urlunsplit((parts.scheme, parts.netloc, place, "", "")) for place in paths)


def read_config(probe: Probe) -> tuple[JsonObject | None, Translatable | None]:
    """The usable settings in a response, None if it has none; and a remark on what was left out, if any."""
    if probe.status is None or probe.status >= 400:
        return None, None
    address, body = without_query(probe.url), bytearray(probe.body.strip())
    value = read_as_object(body, 0, len(body)) if probe.status == 200 else None
    if value is None:
        return None, msg("The response of {address} is not a deployment's settings and was left out.", address=address)
    told = {key: one for key, one in value.items() if key in KEYS}
    if len(told) < _FEWEST:
        return None, None
    usable = {key: one for key, one in told.items() if _is_usable(key, one)}
    if all(key in usable or told[key] is None for key in told):
        return usable, None
    return usable, msg("Some settings at {address} have an unknown form and were left out.", address=address)


def read_login(setup: JsonObject) -> Login | None:
    """The sign-in in a response; None without a login, whose other values then have no meaning, or in another form."""
    match setup:
        case {
            "useLogin": True,
            "msalConfig": {"auth": {"authority": str(authority), "clientId": str(client)}},
            "tokenRequest": {"scopes": [str(scope), *_]},
            **others,
        } if _AUTHORITY.fullmatch(authority) and _NAME.fullmatch(client) and _NAME.fullmatch(scope):
            return Login(authority, client, scope, is_required=others.get("enableUnauthenticatedAccess") is not True)
    return None


def _is_usable(key: str, value: Json) -> bool:
    if key in _SWITCHES:
        return isinstance(value, bool)
    if key in _EFFORTS:
        return _is_name(value)
    return isinstance(value, list) and all(map(_is_name, value))


def _is_name(value: Json) -> bool:
    """Whether it is short; a deployment without an effort tells an empty one."""
    return isinstance(value, str) and len(value) <= _LONGEST and value.isprintable()
