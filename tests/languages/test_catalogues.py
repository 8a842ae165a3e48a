"""Each catalogue translates every message of the code with the same values."""

import re
from collections import Counter
from gettext import c2py
from io import BytesIO

import pytest
from babel.messages import Catalog
from babel.messages.catalog import Message
from babel.messages.pofile import read_po

from chat_ui.languages.catalogues import offered
from chat_ui.languages.messages import KEYWORDS, PLACES_OF_SCRIPTS
from tools.languages.__main__ import FOLDER, updated
from tools.languages.extraction import ROOT, template

SCRIPTS = [file for place in PLACES_OF_SCRIPTS for file in (ROOT / "chat_ui").glob(f"{place}/*.js*")]
FILES = sorted(FOLDER.glob("*.po"))
_FIELD = re.compile(r"\{(\w+)\}")
_CALL = re.compile(rf"(?<![\w.])(?:{'|'.join(KEYWORDS)})\(\s*[\"']")


@pytest.fixture(scope="module")
def catalogues() -> dict[str, Catalog]:
    return {file.stem: read_po(BytesIO(file.read_bytes()), locale=file.stem, abort_invalid=True) for file in FILES}


@pytest.fixture(scope="module")
def said(catalogues: dict[str, Catalog]) -> list[tuple[str, Message]]:
    """Each message of each catalogue, with its language."""
    return [(language, message) for language, catalogue in catalogues.items() for message in catalogue if message.id]


def forms(message: Message) -> list[tuple[str, str]]:
    """The English of each form of the translation, with that form."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    return [(message.id[1], form) for form in message.string]


def test_the_thirteen_languages_are_there():
    assert set(offered()) == {"en", "ar", "da", "de", "es", "fr", "it", "ja", "nl", "pl", "pt", "tr", "zh-Hans"}


def test_each_catalogue_matches_the_code():
    # `python -m tools.languages` updates it.
    assert [file.name for file in FILES if file.read_bytes() != updated(file)] == []


def test_every_message_is_translated_in_every_form(catalogues: dict[str, Catalog], said: list[tuple[str, Message]]):
    assert [
        (language, message.id)
        for language, message in said
        if message.fuzzy
        or not all(form.strip() for _, form in forms(message))
        or (message.pluralizable and len(message.string) != catalogues[language].num_plurals)
    ] == []


def test_a_translation_has_the_values_of_its_english(said: list[tuple[str, Message]]):
    wrong = []
    for language, message in said:
        for english, form in forms(message):
            wanted, found = Counter(_FIELD.findall(english)), Counter(_FIELD.findall(form))
            # “One of them” names the count in words.
            if found != wanted and not (message.pluralizable and found + Counter(count=wanted["count"]) == wanted):
                wrong.append((language, english, form))
    assert wrong == []


def test_a_plural_form_for_zero_names_the_count(catalogues: dict[str, Catalog], said: list[tuple[str, Message]]):
    form_of = {language: c2py(catalogue.plural_expr) for language, catalogue in catalogues.items()}
    assert [
        (language, message.id)
        for language, message in said
        if message.pluralizable and form_of[language](0) == form_of[language](1) and re.search(r"\b1\b", message.id[0])
        if "{count}" not in message.string[form_of[language](1)]
    ] == []


def test_white_space_and_marks_around_a_message_match_its_english(said: list[tuple[str, Message]]):
    def around(text: str) -> tuple[str, str, int]:
        return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :], text.count("\n")

    pairs = [(language, *pair) for language, message in said for pair in forms(message)]
    assert [pair for pair in pairs if around(pair[1]) != around(pair[2])] == []


def test_a_message_has_no_private_or_direction_characters(said: list[tuple[str, Message]]):
    private = re.compile("[\ue000-\uf8ff\u202a-\u202e\u2066-\u2069\ufeff]")
    assert [(language, form) for language, one in said for _, form in forms(one) if private.search(form)] == []


def test_messages_are_not_made_within_template_strings_unseen_by_babel():
    within = re.compile(rf"\$\{{(?:{'|'.join(KEYWORDS)})\(")
    assert [file.name for file in SCRIPTS if within.search(file.read_text(encoding="utf-8"))] == []


def test_babel_finds_every_call_that_makes_a_message():
    files = [*(ROOT / "chat_ui").rglob("*.py"), *SCRIPTS]
    comment = re.compile(r"^\s*(?://|#|\*).*$", re.MULTILINE)
    calling = {file for file in files if _CALL.search(comment.sub("", file.read_text(encoding="utf-8")))}
    found = {place for message in template() for place, _ in message.locations}
    assert {str(file.relative_to(ROOT)) for file in calling} == found
