"""The catalogues: each has every message of the code, said whole, with the same values in it."""

from __future__ import annotations

import re
from collections import Counter
from gettext import c2py
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.catalog import Message
from babel.messages.pofile import read_po

from chat_ui.languages.catalogues import offered
from chat_ui.languages.messages import KEYWORDS
from tools.languages.__main__ import FOLDER, updated
from tools.languages.extraction import ROOT, template

FILES = sorted(FOLDER.glob("*.po"))
_FIELD = re.compile(r"\{(\w+)\}")
_CALL = re.compile(rf"(?<![\w.])(?:{'|'.join(KEYWORDS)})\(\s*[\"']")

each_catalogue = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def read(file: Path) -> Catalog:
    return read_po(BytesIO(file.read_bytes()), locale=file.stem, abort_invalid=True)


def forms(message: Message) -> list[tuple[str, str]]:
    """The English that each form of the translation stands for, with that form."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    return [(message.id[1], form) for form in message.string]


def test_the_ten_languages_are_there():
    assert set(offered()) == {"en", "de", "fr", "es", "pt", "it", "pl", "ja", "zh-Hans", "ar"}


@each_catalogue
def test_a_catalogue_is_as_the_code_is(file: Path):
    # `python -m tools.languages` brings it up to date.
    assert file.read_bytes() == updated(file)


@each_catalogue
def test_every_message_is_said_in_every_form(file: Path):
    catalogue = read(file)
    left = [
        message.id
        for message in catalogue
        if message.id
        and (
            message.fuzzy
            or not all(form.strip() for _, form in forms(message))
            or (message.pluralizable and len(message.string) != catalogue.num_plurals)
        )
    ]
    assert left == []


@each_catalogue
def test_the_values_of_a_message_are_those_of_its_english(file: Path):
    wrong = []
    for message in read(file):
        for english, form in forms(message) if message.id else ():
            wanted, found = Counter(_FIELD.findall(english)), Counter(_FIELD.findall(form))
            # “One of them” names the count in words.
            if found != wanted and not (message.pluralizable and found + Counter(count=wanted["count"]) == wanted):
                wrong.append((english, form))
    assert wrong == []


@each_catalogue
def test_a_form_that_is_also_said_of_none_names_the_count(file: Path):
    catalogue = read(file)
    form_of = c2py(catalogue.plural_expr)
    wrong = [
        message.string[form_of(1)]
        for message in catalogue
        if message.id and message.pluralizable and form_of(0) == form_of(1) and re.search(r"\b1\b", message.id[0])
        if "{count}" not in message.string[form_of(1)]
    ]
    assert wrong == []


@each_catalogue
def test_what_surrounds_a_message_is_that_of_its_english(file: Path):
    def around(text: str) -> tuple[str, str, int]:
        return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :], text.count("\n")

    wrong = [
        (english, form)
        for message in read(file)
        if message.id
        for english, form in forms(message)
        if around(english) != around(form)
    ]
    assert wrong == []


@each_catalogue
def test_no_message_holds_what_a_page_would_take_for_something_else(file: Path):
    private = re.compile("[\ue000-\uf8ff\u202a-\u202e\u2066-\u2069\ufeff]")
    wrong = [form for message in read(file) if message.id for _, form in forms(message) if private.search(form)]
    assert wrong == []


def test_no_message_is_made_within_a_template_string_where_babel_does_not_look():
    within = re.compile(rf"\$\{{(?:{'|'.join(KEYWORDS)})\(")
    scripts = (ROOT / "chat_ui/components").rglob("*.js*")
    assert [file.name for file in scripts if within.search(file.read_text(encoding="utf-8"))] == []


def test_babel_finds_every_call_that_makes_a_message():
    counted = Counter()
    for file in [*(ROOT / "chat_ui").rglob("*.py"), *(ROOT / "chat_ui/components").rglob("*.js*")]:
        code = re.sub(r"^\s*(?://|#|\*).*$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if _CALL.search(code):
            counted[str(file.relative_to(ROOT))] = 1
    found = {place for message in template() for place, _ in message.locations}
    assert set(counted) == found
