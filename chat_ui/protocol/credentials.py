"""Credentials that a backend sends back: taken out of everything that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

_SHORTEST: Final = 6
"""Characters from which on a word of a header counts as a credential: shorter ones stand in any text."""


def secrets_in(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The words of the values of `headers` that may be credentials."""
    return tuple(word for value in headers.values() for word in value.split() if len(word) >= _SHORTEST)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """`text` with an ellipsis in place of each of `secrets`."""
    for secret in secrets:
        text = text.replace(secret, "…")
    return text
