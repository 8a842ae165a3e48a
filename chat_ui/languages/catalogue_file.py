"""The file of a catalogue, in the form of gettext."""

from __future__ import annotations

import codecs
import gettext
from io import BytesIO
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.pofile import read_po

from chat_ui.languages.language import Sayings

MACHINE: Final = "A machine translated them; no reader has confirmed them yet."
"""The header's comment on a catalogue, until somebody who speaks the language has read it."""
_COUNTS: Final = (*range(1, 1001), 1_000_000)
"""Counts among which each plural form of each language is met, but for one of nothing alone."""


def read(file: Path, locale: Locale) -> Sayings:
    """What is said in the language of a catalogue.

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
