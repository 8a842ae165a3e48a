"""What the page's scripts say: few bytes with the document, the others where they are needed."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_ui.languages import page_words
from chat_ui.languages.catalogue_file import PAGE
from chat_ui.languages.catalogues import offered
from chat_ui.languages.language import ENGLISH, Language
from tests.languages.extraction import KEYWORDS, ROOT, template

FOLDER = "/api/languages"
MOST_BYTES = 5500
"""Bytes, packed, by which the first load in another language than English is larger."""
COMPONENTS = ROOT / "chat_ui/components"
LATER = COMPONENTS / "languages/later.js"
_IMPORTED = re.compile(r'^(?:import|export) (?:[^;"]*? from )?"(\.[^"]+)";', re.MULTILINE)
_NEEDED = re.compile(r'(?<!\{ )(?<!: )\bimport\("(\.[^"]+)"\)')
_SAYS = re.compile(rf"(?<![\w.])(?:{'|'.join(KEYWORDS)})\(")

each_language = pytest.mark.parametrize(
    "language", [language for language in offered().values() if language is not ENGLISH], ids=lambda one: one.tag
)


def scripts() -> Iterator[Path]:
    yield from COMPONENTS.rglob("*.js*")


def targets(script: Path, how: re.Pattern[str]) -> set[Path]:
    """The scripts of ours that a script imports."""
    found = {(script.parent / name).resolve() for name in how.findall(script.read_text(encoding="utf-8"))}
    return {file for file in found if file.suffix in (".js", ".jsx")}


def reached(begins: set[Path]) -> set[Path]:
    """These scripts, and those that load with them."""
    found, left = set(begins), list(begins)
    while left:
        new = targets(left.pop(), _IMPORTED) - found
        found |= new
        left += new
    return found


def at_first() -> set[Path]:
    """The scripts that load with the page: those that its Python names, and what they import."""
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "chat_ui").rglob("*.py"))
    return reached({script for script in scripts() if f'"{script.relative_to(COMPONENTS).as_posix()}"' in code})


def when_needed() -> set[Path]:
    """The scripts that load only with what a script asks for while it runs."""
    begins = {target for script in scripts() for target in targets(script, _NEEDED)}
    return reached(begins) - at_first()


def messages_of_page() -> set[str]:
    """The English of every message that scripts of the page say."""
    return {
        message.id if isinstance(message.id, str) else message.id[0]
        for message in template()
        if any(place.startswith(PAGE) for place, _ in message.locations)
    }


def test_each_script_loads_with_the_page_or_when_it_is_needed():
    assert at_first() | when_needed() == set(scripts())
    assert {file.name for file in when_needed()} > {"dialogs.js", "palette.jsx", "json_tree.js", "archive.jsx"}


def test_a_script_that_loads_when_it_is_needed_waits_for_its_words_and_no_other_does():
    speaking = {script for script in when_needed() if _SAYS.search(script.read_text(encoding="utf-8"))} - {LATER}
    waiting = {script for script in scripts() if LATER in targets(script, _IMPORTED)}
    assert waiting == speaking


@each_language
def test_the_first_load_is_little_larger(language: Language):
    assert len(gzip.compress(page_words.at_once(language, FOLDER).encode())) <= MOST_BYTES


@each_language
def test_everything_the_page_says_is_there_once(language: Language):
    said = language.sayings
    assert said.at_once | said.later == messages_of_page()
    assert said.at_once & said.later == frozenset()
    first, later = json.loads(page_words.at_once(language, FOLDER)), json.loads(page_words.later(language))
    for words, messages in ((first, said.at_once), (later, said.later)):
        keys = [words["keys"][start : start + 4] for start in range(0, len(words["keys"]), 4)]
        found = dict(zip(keys, words["said"], strict=True))
        expected = {page_words.key(message): list(said.messages[message]) for message in messages}
        assert {key: [forms] if isinstance(forms, str) else forms for key, forms in found.items()} == expected
    assert first["later"] == f"{FOLDER}/{language.tag}.json?{page_words.version(language)}"


def test_no_two_messages_of_the_page_have_the_same_key():
    messages = messages_of_page()
    assert len({page_words.key(message) for message in messages}) == len(messages)


@pytest.mark.parametrize(("message", "key"), [("", "HJ1E"), ("Send", "jhQ9"), ("… 🙂 “a”", "6p60")])
def test_a_key_is_the_one_that_the_page_computes(message: str, key: str):
    assert page_words.key(message) == key
