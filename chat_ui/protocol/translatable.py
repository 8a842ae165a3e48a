"""English text that remembers its message and values, for translation.

The client speaks English. `msg` and `plural_msg` make all text for people: strings that also have the message and its
values. A page translates them when it shows them; a log and a command line take them as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Final, TypeAlias

Value: TypeAlias = "str | int | float"
"""A value in a message: a quantity as a number, a status or a port as a string, perhaps translatable itself."""
_FIELD: Final = re.compile(r"\{(\w+)\}")
_LAST: Final = re.compile(r"\{(\w+)\}\Z")
_STEP: Final = 1024


class Translatable(str):
    """English text, with its `message`, `plural`, the `quantity` that chose between them, and `values`."""

    __slots__ = ("message", "plural", "quantity", "values")
    message: str
    plural: str
    quantity: int
    values: Mapping[str, Value]

    def __new__(cls, message: str, values: Mapping[str, Value], plural: str = "", quantity: int = 1) -> Translatable:
        """The text of `message`, or of `plural` if given and the `quantity` is not one."""
        chosen = plural if plural and quantity != 1 else message
        text = super().__new__(cls, filled(chosen, values, english_number))
        text.message, text.plural, text.quantity, text.values = message, plural, quantity, values
        return text

    def __str__(self) -> str:
        """Itself: `str(error)` of an exception made with it is translatable too."""
        return self

    def filled_with(self, **values: Value) -> Translatable:
        """The same message; those of `values` that it names replace its own."""
        named = {name: value for name, value in values.items() if f"{{{name}}}" in self.message}
        return Translatable(self.message, {**self.values, **named}, self.plural, self.quantity)

    def __reduce__(self) -> tuple[type[Translatable], tuple[str, Mapping[str, Value], str, int]]:
        return Translatable, (self.message, self.values, self.plural, self.quantity)


def msg(message: str, /, **values: Value) -> Translatable:
    """Text in which each `{name}` of `message` is the value of that name."""
    return Translatable(message, values)


def plural_msg(message: str, plural: str, count: int, /, **values: Value) -> Translatable:
    """Text about a `count` of things: `message` for one, `plural` for any other count. `{count}` is the count."""
    return Translatable(message, {"count": count, **values}, plural, count)


def with_commas(texts: Iterable[str]) -> str:
    """Texts joined by commas, possibly empty."""
    found = list(texts)
    return reduce(lambda some, more: msg("{some}, {more}", some=some, more=more), found) if found else ""


def with_end(text: str, change: Callable[[str], str]) -> str:
    """`text` with its end changed: if a value ends a message, the value is changed, and never the message's words."""
    if not isinstance(text, Translatable):
        return change(text)
    ends = {found[1] for template in (text.message, text.plural) if template and (found := _LAST.search(template))}
    name = ends.pop() if len(ends) == 1 else ""
    last = text.values.get(name)
    if not isinstance(last, str):
        return text
    return Translatable(text.message, {**text.values, name: with_end(last, change)}, text.plural, text.quantity)


def with_each_text(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` made in the texts among its values; `text` itself if that changes nothing."""
    changed = change(text)
    if changed == text:
        return text
    if not isinstance(text, Translatable):
        return changed
    values = {
        name: with_each_text(value, change) if isinstance(value, str) else value for name, value in text.values.items()
    }
    again = Translatable(text.message, values, text.plural, text.quantity)
    return again if change(again) == again else changed


def fields_of(template: str) -> list[str]:
    """The name of each value in a template, as often as it occurs."""
    return _FIELD.findall(template)


def filled(template: str, values: Mapping[str, Value], number: Callable[[float], str]) -> str:
    """A template with its values; a name without a value stays."""

    def value(found: re.Match[str]) -> str:
        given = values.get(found[1], found[0])
        return given if isinstance(given, str) else number(given)

    return _FIELD.sub(value, template)


def english_number(number: float) -> str:
    """A number as English writes it, with at most three decimals: 1,234.5."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.3f}".rstrip("0").rstrip(".")


def size_in_words(size: int) -> Translatable:
    """`size` bytes as a person reads it: "8 MB", "1.5 GB"."""
    if size < _STEP:
        return plural_msg("{count} byte", "{count} bytes", size)
    if (kilobytes := round(size / _STEP, 1)) < _STEP:
        return msg("{size} KB", size=kilobytes)
    if (megabytes := round(size / _STEP**2, 1)) < _STEP:
        return msg("{size} MB", size=megabytes)
    return msg("{size} GB", size=round(size / _STEP**3, 1))
