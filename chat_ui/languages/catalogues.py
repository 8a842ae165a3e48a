"""The languages of the page: one catalogue in the form of gettext for each, `LANGUAGE.po` beside this module.

A catalogue says what a page and its server say, with English as the keys. What else a language needs (its name, its
direction, numbers, dates, which count takes which plural) comes from CLDR by Babel.
"""

from __future__ import annotations

import gettext
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.core import get_global, parse_locale
from babel.messages.pofile import PoFileError, read_po
from babel.numbers import format_decimal

from chat_ui.protocol.translatable import Value, english_number, filled

MACHINE: Final = "machine translation"
"""A translator's comment on a message that a machine has translated and no reader has confirmed."""
_HERE: Final = Path(__file__).parent
_PAGE: Final = ("chat_ui/components/", "chat_ui/pages/")
_COUNTS: Final = (*range(1, 1001), 1_000_000)
"""Counts among which each plural form of each language is met, but for one of nothing alone."""
_MOST_TAGS: Final = 10
_SCRIPT: Final = 4
"""Letters of the name of a script."""


@dataclass(frozen=True, slots=True)
class Sayings:
    """What is said in a language: `messages` by their English, each as its plural forms, or as one form.

    `forms` has the place among the plural forms for each of CLDR's plural categories. `of_page` are the messages that
    the page's own scripts say. `unconfirmed` is the share of the messages, 0 to 1, that a machine has translated and no
    reader has confirmed.
    """

    messages: Mapping[str, Sequence[str]]
    forms: Mapping[str, int]
    of_page: frozenset[str]
    unconfirmed: float


@dataclass(frozen=True)
class Language:
    """A language, whose catalogue is in a `file`, but for English; it is read once, when something is first said."""

    tag: str
    locale: Locale
    file: Path | None

    @property
    def name(self) -> str:
        """The language's own name for itself."""
        name = self.locale.get_display_name(self.locale) or self.tag
        return name[:1].upper() + name[1:]

    @property
    def direction(self) -> str:
        """`ltr` or `rtl`."""
        return self.locale.text_direction

    @cached_property
    def sayings(self) -> Sayings:
        """What the catalogue holds.

        Raises:
            ValueError: it is no catalogue.
        """
        return (
            Sayings({}, {"one": 0, "other": 1}, frozenset(), 0) if self.file is None else _read(self.file, self.locale)
        )

    @property
    def is_read(self) -> bool:
        """Whether something can be said at once: to read a catalogue takes some tenths of a second."""
        return self.file is None or "sayings" in vars(self)

    def read(self) -> None:
        """Read the catalogue.

        Raises:
            ValueError: it is no catalogue.
        """
        _ = self.sayings

    def said(self, message: str, values: Mapping[str, Value], plural: str = "", count: int = 1) -> str:
        """A message in this language; in English where the language does not have it."""
        forms = self.sayings.messages.get(message)
        if forms is None:
            template = plural if plural and count != 1 else message
        elif plural:
            last = len(forms) - 1
            template = forms[min(self.sayings.forms.get(self.locale.plural_form(count), last), last)]
        else:
            template = forms[0]
        return filled(template, values, self.number)

    def number(self, number: float, decimals: int | None = None) -> str:
        """A number as the language writes it, with the digits of citations; with at most three decimals, or with so
        many.
        """
        if self.file is not None:
            written = None if decimals is None else f"#,##0.{'0' * decimals}" if decimals else "#,##0"
            return format_decimal(number, format=written, locale=self.locale)
        return english_number(number) if decimals is None else f"{number:,.{decimals}f}"


ENGLISH: Final = Language("en", Locale.parse("en"), None)
"""What everything is written in."""


def offered(folder: Path | None = None) -> Mapping[str, Language]:
    """The languages that there are, by their tags (BCP 47), English first; `folder` may hold further catalogues, which
    come before those of the same name here.

    Raises:
        ValueError: there is no such folder, a file's name is no language, or one in the folder is no catalogue.
    """
    if folder and not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
    added = {file.stem: file for file in (folder.glob("*.po") if folder else ())}
    for file in added.values():
        language_of(file).read()
    files = {file.stem: file for file in _HERE.glob("*.po")} | added
    others = sorted(map(language_of, files.values()), key=lambda language: language.name.casefold())
    return {language.tag: language for language in (ENGLISH, *others)}


@cache
def language_of(file: Path | None) -> Language:
    """The language of a catalogue, by the name of its file; English without one.

    Raises:
        ValueError: the name is no language.
    """
    if file is None:
        return ENGLISH
    try:
        locale = Locale.parse(file.stem)
    except (ValueError, UnknownLocaleError) as error:
        raise ValueError(f"{file.name}: {error}") from error
    return Language(str(locale).replace("_", "-"), locale, file)


def _read(file: Path, locale: Locale) -> Sayings:
    try:
        catalogue = read_po(BytesIO(file.read_bytes()), locale=locale, abort_invalid=True)
    except (PoFileError, OSError, UnicodeError) as error:
        raise ValueError(f"{file.name}: {error}") from error
    form_of = gettext.c2py(catalogue.plural_expr)
    forms = {locale.plural_form(count): form_of(count) for count in reversed(_COUNTS)}
    # Where CLDR counts nothing with one, a catalogue may not.
    forms.setdefault(locale.plural_form(0), form_of(0))
    named = [
        (message.id if isinstance(message.id, str) else message.id[0], message) for message in catalogue if message.id
    ]
    messages = {
        key: (message.string,) if isinstance(message.string, str) else tuple(message.string)
        for key, message in named
        if not message.fuzzy and message.string and all(message.string)
    }
    of_page = (key for key, message in named if any(place.startswith(_PAGE) for place, _ in message.locations))
    unconfirmed = sum(MACHINE in message.user_comments for _, message in named) / max(1, len(named))
    return Sayings(messages, forms, frozenset(of_page) & messages.keys(), unconfirmed)


def chosen(tags: Sequence[str], languages: Mapping[str, Language]) -> Language | None:
    """The first of the languages that one of these tags (BCP 47), in their order, is spoken by; None where none is.

    A tag names a language without its script or its region as well: `zh-CN` is `zh-Hans`, and `de-AT` is `de`.
    """
    for tag in tags[:_MOST_TAGS]:
        for name in _names(tag):
            if name in languages:
                return languages[name]
    return None


def _names(tag: str) -> Sequence[str]:
    try:
        language, territory, script, *_ = parse_locale(tag.strip().replace("_", "-"), sep="-")
    except ValueError:
        return ()
    usual = _likely_script(language)
    found = script or _likely_script(f"{language}_{territory}") or usual
    alone = (language,) if found == usual else ()
    return (f"{language}-{territory}", f"{language}-{found}", *alone)


def _likely_script(tag: str) -> str:
    parts = get_global("likely_subtags").get(tag, "").split("_")[1:]
    return next((part for part in parts if len(part) == _SCRIPT), "")


def preferred(accept_language: str) -> Sequence[str]:
    """The tags of an `Accept-Language` header, the most wanted first (RFC 9110, 12.5.4)."""
    weighted = []
    for part in accept_language.split(",")[:_MOST_TAGS]:
        tag, _, weight = part.strip().partition(";")
        try:
            wanted = float(weight.strip().removeprefix("q=")) if weight.strip() else 1.0
        except ValueError:
            continue
        if tag.strip() not in ("", "*") and wanted > 0:
            weighted.append((wanted, tag.strip()))
    return [tag for _, tag in sorted(weighted, key=lambda pair: -pair[0])]
