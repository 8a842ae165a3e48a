"""The languages of the page: a gettext catalogue each, `LANGUAGE.po` beside this module.

A catalogue translates the English messages of a page and its server. Names, directions, numbers, dates and plural rules
of languages come from CLDR by Babel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.core import get_global, parse_locale

from chat_ui.languages.language import ENGLISH, Language

_HERE: Final = Path(__file__).parent
_MOST_TAGS: Final = 10
_SCRIPT: Final = 4
"""The length of a script's name."""


def offered(folder: Path | None = None) -> Mapping[str, Language]:
    """The available languages by their tags (BCP 47), English first; catalogues in `folder` override those here.

    Raises:
        ValueError: the folder is missing, a file's name is not a language, or a file is not a catalogue.
    """
    if folder and not folder.is_dir():
        raise ValueError(f"the folder {folder} does not exist")
    added = [language_of(file) for file in sorted(folder.glob("[!.]*.po")) if file.is_file()] if folder else []
    for language in added:
        language.read()
    known = {language.tag: language for language in (ENGLISH, *map(language_of, _HERE.glob("*.po")), *added)}
    first = known.pop(ENGLISH.tag)
    others = sorted(known.values(), key=lambda language: language.name.casefold())
    return {language.tag: language for language in (first, *others)}


def language_of(file: Path) -> Language:
    """The language that the name of a catalogue's file means.

    Raises:
        ValueError: the name is not a language.
    """
    try:
        locale = Locale.parse(file.stem.replace("-", "_"))
    except (ValueError, UnknownLocaleError) as error:
        raise ValueError(f"{file.name}: {error}") from error
    return Language(str(locale).replace("_", "-"), file)


def chosen(tags: Sequence[str], languages: Mapping[str, Language]) -> Language | None:
    """The first language that matches a tag (BCP 47), in the order of the tags, or None. A tag matches without its
    script or region too: `zh-CN` is `zh-Hans`, and `de-AT` is `de`.
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
    """The tags of an `Accept-Language` header, the most preferred first (RFC 9110, 12.5.4)."""
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
