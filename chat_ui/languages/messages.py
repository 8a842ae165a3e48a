"""The messages in the code, as Babel extracts them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from babel.messages.extract import extract_from_dir

PACKAGE: Final = Path(__file__).parents[1]
PLACES_OF_SCRIPTS: Final = ("page/**", "backends/**", "features/*/page/**")
METHODS: Final = [
    *((f"{place}.{kind}", "javascript") for place in PLACES_OF_SCRIPTS for kind in ("js", "jsx")),
    ("**.py", "python"),
]
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
"""Functions that mark messages, for Babel: in the protocol's client, on the server and on the page."""


def messages() -> Iterator[tuple[str, str | tuple[str, ...], list[str]]]:
    """Each use of a message: its file within the package, its English (with its plural), comments for translators."""
    for file, _, message, comments, _ in extract_from_dir(
        PACKAGE,
        method_map=METHODS,
        options_map={f"{place}.jsx": {"jsx": "true"} for place in PLACES_OF_SCRIPTS},
        keywords=KEYWORDS,
        comment_tags=["Translators:"],
        strip_comment_tags=True,
    ):
        yield file, message, comments
    for path in sorted(PACKAGE.rglob("*.py")):
        for message in _within_f_strings(path.read_text(encoding="utf-8")):
            yield path.relative_to(PACKAGE).as_posix(), message, []


def messages_of_page() -> Sequence[str]:
    """The English singular of each message in scripts of the page."""
    found = (message for file, message, _ in messages() if _is_of_page(file))
    return sorted({message if isinstance(message, str) else message[0] for message in found})


def _is_of_page(file: str) -> bool:
    """Whether a file is a script of the page, or Python that Reflex compiles to a script."""
    top, *folders = PurePosixPath(file).parts[:-1] or ("",)
    return ("page" in (top, *folders) or (top == "backends" and folders != [])) and not {"state", "routes"} & {*folders}


def _within_f_strings(code: str) -> Iterator[str | tuple[str, ...]]:
    """Messages within f-strings, which Babel does not read before Python 3.12."""
    strings = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.JoinedStr))
    for call in (node for string in strings for node in ast.walk(string) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        words = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if name in KEYWORDS and words:
            yield (words[0], words[1]) if KEYWORDS[name] else words[0]
