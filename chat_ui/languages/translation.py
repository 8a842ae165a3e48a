"""The language that a request, or an event of a page, is answered in, and what is said in it."""

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
    """The language of what is being answered; English outside of that."""
    return _current.get()


def speak(language: Language) -> None:
    """Answer in this language from here on, in this task and in those that it begins."""
    _current.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def gettext(message: str, /, **values: Value) -> str:
    """A message in the current language, with the values of its `{names}`.

    Text that `msg` or `plural_msg` made brings its values with it.
    """
    if isinstance(message, Translatable):
        return translated(message)
    return current_language().said(message, _translated(values))


def ngettext(message: str, plural: str, count: int, /, **values: Value) -> str:
    """A message about a `count` of things, which is `{count}` in it."""
    return current_language().said(message, _translated({"count": count, **values}), plural, count)


def gettext_html(message: str, /, **html: str) -> str:
    """HTML of a message in the current language, in which each `{name}` is the HTML of that name."""
    return filled(escape(current_language().said(message, {})), html, str)


def quoted_html(names: Sequence[str]) -> str:
    """HTML of names in a row, HTML each, with the quotation marks and the commas of the current language."""
    quoted = [gettext_html("“{name}”", name=name) for name in names]
    return reduce(lambda some, more: gettext_html("{some}, {more}", some=some, more=more), quoted) if quoted else ""


def translated(text: str) -> str:
    """Text in the current language where `msg` or `plural_msg` made it; any other as it is, such as a backend's."""
    if not isinstance(text, Translatable):
        return text
    return current_language().said(text.message, _translated(text.values), text.plural, text.quantity)


def _translated(values: Mapping[str, Value]) -> Mapping[str, Value]:
    return {name: _in_place(value) for name, value in values.items()}


def _in_place(value: Value) -> Value:
    """What stands in a message: words of others keep their order in a sentence that is read from right to left."""
    if isinstance(value, Translatable):
        return translated(value)
    if isinstance(value, str) and current_language().direction == "rtl" and any(map(str.isalpha, value)):
        return f"{_ISOLATE}{value}{_END_OF_ISOLATE}"
    return value


def in_day(moment: str, *, with_year: bool = False) -> str:
    """The day of a moment (ISO 8601) in the current language and this machine's time zone, with its year where that is
    asked for or is not this one; empty where it is no moment.
    """
    try:
        day = datetime.fromisoformat(moment).astimezone()
    except (ValueError, OverflowError):
        return ""
    is_past = day.year != datetime.now().astimezone().year
    return current_language().day(day.date(), with_year=with_year or is_past)


def recorded_on(moment: str | None, *, with_year: bool = False) -> str:
    """The words that an answer was recorded, with the day of that moment as of `in_day`; empty where there is none."""
    day = in_day(moment or "", with_year=with_year)
    return gettext("Recorded on {day}", day=day) if day else ""


def in_digits(number: float, decimals: int) -> str:
    """A number in the current language, with exactly so many decimals."""
    return current_language().number(number, decimals)
