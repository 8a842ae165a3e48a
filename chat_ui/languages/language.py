"""A language of the page: its messages, numbers and dates.

Babel is imported only when needed; English does without.
"""

from __future__ import annotations

import asyncio
import codecs
import gettext
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chat_ui.protocol.translatable import Value, english_number, filled

if TYPE_CHECKING:
    from babel import Locale

MACHINE: Final = "A machine translated them; no reader has confirmed them yet."
"""The header's comment on a catalogue until a speaker of the language has reviewed it."""
_COUNTS: Final = (*range(1, 1001), 1_000_000)
"""Counts that cover each plural form of each language, except a form only for zero."""
LARGEST: Final = 10**15
"""The largest number that Babel formats without rounding or failing."""


@dataclass(frozen=True, slots=True)
class Translations:
    """The translations of a language: `messages` by their English, each as its plural forms or as one form. `forms`
    maps CLDR's plural categories to indices of plural forms. `by_machine` marks an unreviewed translation.
    """

    messages: Mapping[str, Sequence[str]]
    forms: Mapping[str, int]
    by_machine: bool = False


@dataclass(frozen=True)
class Language:
    """A language by its tag (BCP 47). Its catalogue `file`, missing for English, is read at first use."""

    tag: str
    file: Path | None

    @cached_property
    def _locale(self) -> Locale:
        from babel import Locale  # noqa: PLC0415 - see above

        return Locale.parse(self.tag, sep="-")

    @cached_property
    def name(self) -> str:
        name = self._locale.get_display_name(self._locale) or self.tag
        return name[:1].upper() + name[1:]

    @cached_property
    def direction(self) -> str:
        return self._locale.text_direction

    @cached_property
    def translations(self) -> Translations:
        """The translations of the catalogue.

        Raises:
            ValueError: the file is not a catalogue, or cannot be read.
        """
        if self.file is None:
            return Translations({}, {"one": 0, "other": 1})
        return _read_catalogue(self.file, self._locale)

    def read(self) -> None:
        """Read the catalogue.

        Raises:
            ValueError: the file is not a catalogue, or cannot be read.
        """
        _ = self.translations

    async def get_ready(self) -> None:
        """Read the catalogue once, in a thread, as it takes some tenths of a second.

        Raises:
            ValueError: the file is not a catalogue, or cannot be read.
        """
        if self.file is not None and "translations" not in vars(self):
            await asyncio.to_thread(self.read)

    def said(self, message: str, values: Mapping[str, Value], plural: str = "", count: int = 1) -> str:
        """A message in this language, with English as the fallback."""
        forms = self.translations.messages.get(message)
        if forms is None:
            template = plural if plural and count != 1 else message
        elif plural:
            last = len(forms) - 1
            template = forms[min(self.translations.forms.get(self._locale.plural_form(count), last), last)]
        else:
            template = forms[0]
        return filled(template, values, self.number)

    def number(self, number: float, decimals: int | None = None) -> str:
        """A number in this language, in the digits of citations, with `decimals` or at most three decimals."""
        if self.file is None or not abs(number) < LARGEST:
            return english_number(number) if decimals is None else f"{number:,.{decimals}f}"
        from babel.numbers import format_decimal  # noqa: PLC0415 - see above

        written = None if decimals is None else f"#,##0.{'0' * decimals}" if decimals else "#,##0"
        return format_decimal(number, format=written, locale=self._locale)

    def day(self, day: date, *, with_year: bool) -> str:
        """A day with its month in words, such as “20 November”."""
        if self.file is None:
            return f"{day.day} {day:%B %Y}" if with_year else f"{day.day} {day:%B}"
        from babel.dates import format_date, format_skeleton  # noqa: PLC0415 - see above

        if with_year:
            return format_date(day, "long", self._locale)
        return format_skeleton("MMMMd", day, locale=self._locale)


ENGLISH: Final = Language("en", None)
"""The language of the source texts."""


def _read_catalogue(file: Path, locale: Locale) -> Translations:
    try:
        return _sayings(file.read_bytes().removeprefix(codecs.BOM_UTF8), locale)
    except Exception as error:  # Babel raises errors of many kinds
        raise ValueError(f"{file.name}: {error}") from error


def _sayings(data: bytes, locale: Locale) -> Translations:
    from babel.messages.pofile import read_po  # noqa: PLC0415 - see above

    catalogue = read_po(BytesIO(data), locale=locale, abort_invalid=True)
    form_of = gettext.c2py(catalogue.plural_expr)
    forms = {locale.plural_form(count): form_of(count) for count in reversed(_COUNTS)}
    # A catalogue may lack CLDR's form for zero.
    forms.setdefault(locale.plural_form(0), form_of(0))
    messages = {
        message.id if isinstance(message.id, str) else message.id[0]: (
            (message.string,) if isinstance(message.string, str) else tuple(message.string)
        )
        for message in catalogue
        if message.id and not message.fuzzy and message.string and all(message.string)
    }
    return Translations(messages, forms, by_machine=MACHINE in catalogue.header_comment)
