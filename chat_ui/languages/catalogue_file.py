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

MACHINE: Final = "machine translation"
"""A translator's comment on a message that a machine has translated and no reader has confirmed."""
LATER: Final = "said by scripts that load when they are needed"
"""The code's comment on a message that no script says before that."""
PAGE: Final = ("chat_ui/components/", "chat_ui/pages/")
"""Where the page's scripts are."""
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
    named = [
        (message.id if isinstance(message.id, str) else message.id[0], message) for message in catalogue if message.id
    ]
    messages = {
        key: (message.string,) if isinstance(message.string, str) else tuple(message.string)
        for key, message in named
        if not message.fuzzy and message.string and all(message.string)
    }
    of_page = {
        key: LATER in message.auto_comments
        for key, message in named
        if key in messages and any(place.startswith(PAGE) for place, _ in message.locations)
    }
    return Sayings(
        messages,
        forms,
        at_once=frozenset(key for key, is_later in of_page.items() if not is_later),
        later=frozenset(key for key, is_later in of_page.items() if is_later),
        unconfirmed=sum(MACHINE in message.user_comments for _, message in named) / max(1, len(named)),
    )
