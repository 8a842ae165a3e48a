"""The languages of the page: one catalogue in the form of gettext for each, `LANGUAGE.po` beside this module.

A catalogue says what a page and its server say, with English as the keys. What else a language needs (its name, its
direction, numbers, dates, which count takes which plural) comes from CLDR by Babel.
"""

from __future__ import annotations

import codecs
import gettext
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.core import get_global, parse_locale
from babel.messages.pofile import read_po

from chat_ui.languages.language import ENGLISH, Language, Sayings

_HERE: Final = Path(__file__).parent
_MOST_TAGS: Final = 10
_SCRIPT: Final = 4
"""Letters of the name of a script."""
MACHINE: Final = "A machine translated them; no reader has confirmed them yet."
"""The header's comment on a catalogue, until somebody who speaks the language has read it."""
_COUNTS: Final = (*range(1, 1001), 1_000_000)
"""Counts among which each plural form of each language is met, but for one of nothing alone."""


def offered(folder: Path | None = None) -> Mapping[str, Language]:
    """The languages that there are, by their tags (BCP 47), English first; `folder` may hold further catalogues, which
    come before those of the same language here.

    Raises:
        ValueError: there is no such folder, a file's name is no language, or one in the folder is no catalogue.
    """
    if folder and not folder.is_dir():
        raise ValueError(f"there is no folder {folder}")
    added = [language_of(file) for file in sorted(folder.glob("[!.]*.po")) if file.is_file()] if folder else []
    for language in added:
        language.read()
    known = {language.tag: language for language in (ENGLISH, *map(language_of, _HERE.glob("*.po")), *added)}
    first = known.pop(ENGLISH.tag)
    others = sorted(known.values(), key=lambda language: language.name.casefold())
    return {language.tag: language for language in (first, *others)}


def language_of(file: Path) -> Language:
    """The language of a catalogue, by the name of its file.

    Raises:
        ValueError: the name is no language.
    """
    try:
        locale = Locale.parse(file.stem.replace("-", "_"))
    except (ValueError, UnknownLocaleError) as error:
        raise ValueError(f"{file.name}: {error}") from error
    return Language(str(locale).replace("_", "-"), file)


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


def read(file: Path, locale: Locale) -> Sayings:
    """The translations of a catalogue.

    Raises:
        ValueError: it is no catalogue, or cannot be read.
    """
    try:
        return _read(file.read_bytes().removeprefix(codecs.BOM_UTF8), locale)
    except Exception as error:  # what Babel makes of a broken catalogue is of many kinds
        raise ValueError(f"{file.name}: {error}") from error


def _read(data: bytes, locale: Locale) -> Sayings:
    catalogue = read_po(BytesIO(data), locale=locale, abort_invalid=True)
    form_of = gettext.c2py(catalogue.plural_expr)
    forms = {locale.plural_form(count): form_of(count) for count in reversed(_COUNTS)}
    # Where CLDR counts nothing with one, a catalogue may not.
    forms.setdefault(locale.plural_form(0), form_of(0))
    messages = {
        message.id if isinstance(message.id, str) else message.id[0]: (
            (message.string,) if isinstance(message.string, str) else tuple(message.string)
        )
        for message in catalogue
        if message.id and not message.fuzzy and message.string and all(message.string)
    }
    return Sayings(messages, forms, by_machine=MACHINE in catalogue.header_comment)
