"""How a text was made, as JSON beside it, so that text which was kept is said in the language of who reads it.

What is read back may come from anywhere. It is believed only where it makes the very text that it stands beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeGuard

from chat_ui.languages.language import LARGEST
from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import Translatable, Value, fields_of

_LONGEST: Final = 8192
"""Characters of a text and of its messages."""
_LONGEST_NAME: Final = 40
_MOST_VALUES: Final = 16
_DEEPEST: Final = 24
"""Messages within each other."""


class _NotSaidError(Exception):
    """It is not how the text was made."""


def said_json(text: str) -> dict[str, Json]:
    """How `text` was made; empty where nobody knows."""
    return _message(text) if isinstance(text, Translatable) and len(text) <= _LONGEST else {}


def _message(text: Translatable) -> dict[str, Json]:
    said: dict[str, Json] = {"message": text.message}
    if text.values:
        said["values"] = {
            name: _message(value) if isinstance(value, Translatable) else value for name, value in text.values.items()
        }
    return {**said, "plural": text.plural, "quantity": text.quantity} if text.plural else said


def text_of(text: str, said: Json) -> str:
    """`text` as it was made, where `said` tells that."""
    if not isinstance(said, Mapping) or len(text) > _LONGEST:
        return text
    try:
        made = _Reader(len(text)).read(said)
    except _NotSaidError:
        return text
    return made if made == text else text


class _Reader:
    """Makes a text of at most `longest` characters, and no part of it that is longer. All parts together are as long as
    those of a text can be that stand in each other.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._left = _DEEPEST * (longest + 1)

    def read(self, said: Json, depth: int = 0) -> Translatable:
        """The text of a message.

        Raises:
            _NotSaidError: it is none, or too large.
        """
        if not isinstance(said, Mapping) or depth > _DEEPEST:
            raise _NotSaidError
        given, plural, quantity = said.get("values", {}), said.get("plural", ""), said.get("quantity", 1)
        if not isinstance(given, Mapping) or len(given) > _MOST_VALUES or not _is_number(quantity):
            raise _NotSaidError
        values = {_short(name, _LONGEST_NAME): self._value(value, depth + 1) for name, value in given.items()}
        message, plural = _short(said.get("message"), _LONGEST), _short(plural, _LONGEST)
        self._spend(plural if plural and quantity != 1 else message, values)
        return Translatable(message, values, plural, int(quantity))

    def _spend(self, template: str, values: Mapping[str, Value]) -> None:
        texts = (values.get(name, "") for name in fields_of(template))
        length = sum(len(text) for text in texts if isinstance(text, str))
        self._left -= length + 1
        if length > self._longest or self._left < 0:
            raise _NotSaidError

    def _value(self, value: Json, depth: int) -> Value:
        if isinstance(value, Mapping):
            return self.read(value, depth)
        return value if _is_number(value) else _short(value, self._longest)


def _short(text: Json, longest: int) -> str:
    if not isinstance(text, str) or len(text) > longest:
        raise _NotSaidError
    return text


def _is_number(value: Json) -> TypeGuard[int | float]:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) < LARGEST
