from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages import Catalog

from chat_ui.languages.language import MACHINE
from chat_ui.languages.messages import messages

ROOT: Final = Path(__file__).parents[2]


@cache
def template() -> Catalog:
    """Every message of the code, with its files and its comments for translators."""
    found = Catalog(project="chat-ui", charset="utf-8", header_comment="")
    for file, message, comments in messages():
        found.add(message, locations=[(f"chat_ui/{file}", 0)], auto_comments=comments)
    return found


def new_catalogue(language: str) -> Catalog:
    made = Catalog(
        locale=Locale.parse(language),
        header_comment=f"# Messages of chat-ui in {Locale.parse(language).get_display_name('en')}. {MACHINE}",
        project="chat-ui",
        version="1",
        msgid_bugs_address="the chat-ui project",
        last_translator="the chat-ui project",
        language_team="the chat-ui project",
        charset="utf-8",
        fuzzy=False,
    )
    made.update(template(), no_fuzzy_matching=True)
    return made
