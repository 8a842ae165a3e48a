"""A built document in the language that it is sent in.

The build leaves a mark where the page says something: a list in JSON, between two characters of private use, with the
message, its values and, for a message about a count, its plural and the count. The words take its place.
"""

from __future__ import annotations

import json
import re
from html import escape, unescape
from typing import Final

from chat_ui.languages import page_words
from chat_ui.languages.language import Language

CATALOGUE: Final = "catalogue"
"""The id of the element that holds, as JSON, what the page's scripts say in the document's language."""
_MARK: Final = re.compile("\ue000(.*?)\ue001")
_LANGUAGE: Final = re.compile(r'(<html [^>]*?)lang="en"')
_HEAD_END: Final = "</head>"


def in_language(document: str, language: Language, later: str) -> str:
    """The document with everything that the page says in this language, and with its catalogue for the scripts.

    `later` is the address of the folder that has what is said by scripts that load when they are needed.
    """
    body = _MARK.sub(lambda found: escape(_said(unescape(found[1]), language)), document)
    body = _LANGUAGE.sub(rf'\1lang="{language.tag}" dir="{language.direction}"', body, count=1)
    return body.replace(_HEAD_END, f"{_catalogue(language, later)}{_HEAD_END}", 1)


def _said(mark: str, language: Language) -> str:
    message, values, *plural = json.loads(mark)
    return language.said(message, values, *plural)


def _catalogue(language: Language, later: str) -> str:
    if not language.sayings.messages:
        return ""
    words = page_words.at_once(language, later).replace("<", "\\u003c")
    return f'<script id="{CATALOGUE}" type="application/json">{words}</script>'
