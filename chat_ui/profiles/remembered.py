"""What a backend is called that gave an answer, by what is remembered of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from chat_ui.languages.translation import gettext
from chat_ui.profiles.personal_choices import own_id_of
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.rendering.html.links import OVERRIDES

_LONGEST_NAME: Final = 100
_NAMELESS: Final = msg("a backend without a name")


def backend_key(asked_of: JsonObject) -> str:
    """The same for two answers of one backend."""
    return str(asked_of.get("profile") or _host(asked_of))


def backend_name(asked_of: JsonObject) -> str:
    """Its name, else the host of its address."""
    name, profile = asked_of.get("name"), str(asked_of.get("profile") or "")
    known = name if isinstance(name, str) else ""
    of_operator = "" if own_id_of(profile) else profile.removeprefix("given:")
    return (known or of_operator or _host(asked_of) or gettext(_NAMELESS))[:_LONGEST_NAME].translate(OVERRIDES)


def origins_of(asked: Iterable[JsonObject]) -> frozenset[str]:
    return frozenset(origin_of(str(one.get("url") or "")) for one in asked) - {""}


def _host(asked_of: JsonObject) -> str:
    # It may come from an imported file.
    try:
        return urlsplit(str(asked_of.get("url") or "")).netloc.rpartition("@")[2]
    except ValueError:
        return ""
