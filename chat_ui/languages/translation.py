"""The current language of a request or an event, and its messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import reduce
from html import escape
from typing import Final

from chat_ui.languages.language import ENGLISH, Language
from chat_ui.protocol.translatable import Translatable, Value, filled

_ISOLATE: Final = "\u2068"
_END_OF_ISOLATE: Final = "\u2069"
_current: Final[ContextVar[Language]] = ContextVar("language", default=ENGLISH)


def current_language() -> Language:
    """The language of the current request or event; English outside of both."""
    return _current.get()


def speak(language: Language) -> None:
    """Set the language of this task and of the tasks that it starts."""
    _current.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def gettext(message: str, /, **values: Value) -> str:
    """A message in the current language, with the values of its `{names}`. Results of `msg` and `plural_msg` carry
    their values.
    """
    if isinstance(message, Translatable):
        return translated(message)
    return current_language().said(message, _translated(values))


def ngettext(message: str, plural: str, count: int, /, **values: Value) -> str:
    """A message with plural forms, in which `{count}` is `count`."""
    return current_language().said(message, _translated({"count": count, **values}), plural, count)


def gettext_html(message: str, /, **html: str) -> str:
    """The message as HTML in the current language; the `{names}` are replaced by HTML."""
    return filled(escape(current_language().said(message, {})), html, str)


def quoted_html(names: Sequence[str]) -> str:
    """HTML of a list of names, themselves HTML, with quotation marks and commas of the current language."""
    quoted = [gettext_html("“{name}”", name=name) for name in names]
    return reduce(lambda some, more: gettext_html("{some}, {more}", some=some, more=more), quoted) if quoted else ""


def translated(text: str) -> str:
    """The translation of a text of `msg` or `plural_msg`; any other text, such as a backend's, unchanged."""
    if not isinstance(text, Translatable):
        return text
    return current_language().said(text.message, _translated(text.values), text.plural, text.quantity)


def _translated(values: Mapping[str, Value]) -> Mapping[str, Value]:
    return {name: _in_place(value) for name, value in values.items()}


def _in_place(value: Value) -> Value:
    """A value within a message; a text of another direction keeps its order."""
    if isinstance(value, Translatable):
        return translated(value)
    if isinstance(value, str) and current_language().direction == "rtl" and any(map(str.isalpha, value)):
        return f"{_ISOLATE}{value}{_END_OF_ISOLATE}"
    return value


def in_day(moment: str, *, with_year: bool = False) -> str:
    """The day of a moment (ISO 8601) in the current language and this machine's time zone; empty for any other text.
    The year is added `with_year`, or if it is not the current year.
    """
    try:
        day = datetime.fromisoformat(moment).astimezone()
    except (ValueError, OverflowError):
        return ""
    is_past = day.year != datetime.now().astimezone().year
    return current_language().day(day.date(), with_year=with_year or is_past)


def recorded_on(moment: str | None, *, with_year: bool = False) -> str:
    """The label of a recorded answer, with the day of `moment` like `in_day`; empty without a moment."""
    day = in_day(moment or "", with_year=with_year)
    return gettext("Recorded on {day}", day=day) if day else ""


def in_digits(number: float, decimals: int) -> str:
    """A number in the current language, with exactly `decimals` decimals."""
    return current_language().number(number, decimals)
