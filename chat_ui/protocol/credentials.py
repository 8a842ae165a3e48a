"""Credentials that a backend sends back: taken out of everything that is shown or kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from chat_ui.protocol.clean_text import MAX_DEPTH
from chat_ui.protocol.events import Json, JsonObject

_SHORTEST: Final = 6
"""Characters from which on a word of a header counts as a credential in an error: shorter ones stand in any text."""
_NAMES_SECRET: Final = re.compile(r"(?:key|password|secret|token|connection_?string)\Z", re.IGNORECASE)
_MAX_NESTING: Final = 16
IN_PROSE: Final = 16
"""Characters from which on it does in an answer, whose words are not to be lost."""


def secrets_in(headers: Mapping[str, str], shortest: int = _SHORTEST) -> tuple[str, ...]:
    """The words of the values of `headers` that may be credentials, the longest first."""
    words = {word for value in headers.values() for word in value.split() if len(word) >= shortest}
    return tuple(sorted(words, key=len, reverse=True))


def secrets_in_body(body: JsonObject) -> tuple[str, ...]:
    """The values in `body` whose names say that they are credentials, such as the key of a data source, the longest
    first.
    """
    return tuple(sorted(_named_secrets(body, 0), key=len, reverse=True))


def _named_secrets(value: Json, depth: int) -> set[str]:
    if depth > _MAX_NESTING:
        return set()
    if isinstance(value, Mapping):
        named = {
            entry
            for name, entry in value.items()
            if isinstance(entry, str) and len(entry) >= _SHORTEST and _NAMES_SECRET.search(name)
        }
        return named.union(*(_named_secrets(entry, depth + 1) for entry in value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return set().union(*(_named_secrets(entry, depth + 1) for entry in value))
    return set()


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """`text` with an ellipsis in place of each of `secrets`."""
    for secret in secrets:
        text = text.replace(secret, "…")
    return text


def object_without_secrets(value: JsonObject, secrets: Sequence[str]) -> JsonObject:
    """`value` with an ellipsis in place of each of `secrets` in its strings, names among them; what is nested too
    deeply to be kept is null.
    """
    return _object_without_secrets(value, secrets, 0)


def _object_without_secrets(value: JsonObject, secrets: Sequence[str], depth: int) -> JsonObject:
    return {without_secrets(key, secrets): _without_secrets(entry, secrets, depth + 1) for key, entry in value.items()}


def _without_secrets(value: Json, secrets: Sequence[str], depth: int) -> Json:
    if isinstance(value, str):
        return without_secrets(value, secrets)
    if not isinstance(value, Mapping | Sequence):
        return value
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        return _object_without_secrets(value, secrets, depth)
    return [_without_secrets(entry, secrets, depth + 1) for entry in value]


class SecretFilter:
    """Takes `secrets` out of a text that comes in pieces; an end that may become one of them is held back."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be told of the text with this piece."""
        if not self._secrets:
            return piece
        text = without_secrets(self._held + piece, self._secrets)
        end = min(_beginning(secret, text) for secret in self._secrets)
        self._held = text[end:]
        return text[:end]

    def close(self) -> str:
        """What was held back."""
        held, self._held = self._held, ""
        return held


def _beginning(secret: str, text: str) -> int:
    """Where the end of `text` begins that is also a beginning of `secret`; its length where there is none."""
    at = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(text[at:]):
            return at
        at = text.find(secret[0], at + 1)
    return len(text)
