"""The messages of the app, as Babel finds them in its code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages import Catalog
from babel.messages.extract import extract_from_dir

from chat_ui.languages.catalogue_file import LATER, PAGE

ROOT: Final = Path(__file__).parents[2]
METHODS: Final = [("components/**.js", "javascript"), ("components/**.jsx", "javascript"), ("**.py", "python")]
OPTIONS: Final = {"components/**.jsx": {"jsx": "true"}}
KEYWORDS: Final = {
    "gettext": None,
    "gettext_html": None,
    "ngettext": (1, 2),
    "msg": None,
    "plural_msg": (1, 2),
    "t": None,
    "tn": (1, 2),
    "rich": None,
}
"""What makes a message: in the client of the protocol, on the server and on the page."""
COMMENT: Final = "Translators:"
_LATER_WORDS: Final = "languages/later.js"
"""The script that those import that load when they are needed."""


@cache
def template() -> Catalog:
    """Every message of the code, with the files it is in and what the code tells translators of it."""
    found = Catalog(project="chat-ui", charset="utf-8", header_comment="")
    for file, _, message, comments, _ in extract_from_dir(
        ROOT / "chat_ui",
        method_map=METHODS,
        options_map=OPTIONS,
        keywords=KEYWORDS,
        comment_tags=[COMMENT],
        strip_comment_tags=True,
    ):
        found.add(message, locations=[(f"chat_ui/{file}", 0)], auto_comments=comments)
    for file in sorted((ROOT / "chat_ui").rglob("*.py")):
        for message in _within_f_strings(file.read_text(encoding="utf-8")):
            found.add(message, locations=[(file.relative_to(ROOT).as_posix(), 0)])
    for one in found:
        one.locations = sorted(set(one.locations))
        in_page = [ROOT / place for place, _ in one.locations if place.startswith(PAGE)]
        if in_page and all(_LATER_WORDS in file.read_text(encoding="utf-8") for file in in_page):
            one.auto_comments.append(LATER)
    return found


def _within_f_strings(code: str) -> Iterator[str | tuple[str, str]]:
    """Messages that are made within f-strings, which Babel does not read before Python 3.12."""
    strings = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.JoinedStr))
    for call in (node for string in strings for node in ast.walk(string) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        words = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if name in KEYWORDS and words:
            yield (words[0], words[1]) if KEYWORDS[name] else words[0]


def new_catalogue(language: str) -> Catalog:
    """An empty catalogue of a language."""
    made = Catalog(
        locale=Locale.parse(language),
        header_comment=f"# What chat-ui says in {Locale.parse(language).get_display_name('en')}.",
        project="chat-ui",
        version="1",
        msgid_bugs_address="the chat-ui project",
        last_translator="see the comments on messages",
        language_team="the chat-ui project",
        charset="utf-8",
        fuzzy=False,
    )
    made.update(template(), no_fuzzy_matching=True)
    return made
