"""The language of an answer, a question or a passage, where it is certain.

A screen reader chooses its voice by it, and a browser its letters. CLD3, the detector of Chromium, looks at the
beginning of the text, which takes a fifth of a millisecond.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import gcld3

from chat_ui.languages.translation import current_language

BEGINNING: Final = 2_000
"""Characters of a text that are looked at."""
FIRST_LOOK: Final = 100
"""Characters of a growing text at which its language is first looked for."""
_LEAST_LETTERS: Final = 12
_FEW_LETTERS: Final = 40
_CERTAIN: Final = 0.9
_CERTAIN_OF_FEW: Final = 0.99
"""Probabilities from which on a language is told. At 100 characters, 0.9 was right in 25 languages, close ones too."""
_DENSE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Characters of Chinese, Japanese and Korean: each says as much as two letters."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NO_PROSE: Final = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)|`[^`\n]+`|\$\$.*?\$\$|\$[^$\n]+\$|\[[^\[\]\n]*\]|<[^<>]*>",
    re.DOTALL | re.MULTILINE,
)
"""Code, formulas, citations and tags."""
_IN_CODE: Final = re.compile(r"[=_@\\{}<>/]")
"""A word with one of these is an address or the name of a file."""
_SAME: Final = {"iw": "he", "no": "nb", "nn": "nb"}
_RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ps", "sd", "ur", "yi"})

_detector: Final = gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * BEGINNING)


def certain_language(text: str) -> str:
    """The language (BCP 47) of the beginning of `text`; empty where it is uncertain."""
    return _language(text[:BEGINNING])


def language_of(text: str) -> str:
    """The language (BCP 47) of the beginning of `text`; empty where it is uncertain or the current one."""
    found = certain_language(text)
    return "" if found == _named(current_language().tag) else found


def lang_attribute(text: str) -> str:
    """The attribute, after a space, that says the language of `text`, or HTML; empty as of `language_of`."""
    language = language_of(text)
    return f' lang="{language}"' if language else ""


def attributes_of(text: str) -> str:
    """The attributes, after a space, of the element that holds `text`, or HTML: its language and its direction."""
    direction = "rtl" if certain_language(text) in _RIGHT_TO_LEFT else "auto"
    return f'{lang_attribute(text)} dir="{direction}"'


class StreamingLanguage:
    """The language of a text that grows: `found` is as of `certain_language` once that is certain.

    It is looked for when there are `FIRST_LOOK` characters, at each doubling of them up to `BEGINNING` while it is
    uncertain, and when the text has ended.
    """

    def __init__(self) -> None:
        self.found = ""
        self._beginning = ""
        self._next_look = FIRST_LOOK

    def feed(self, text: str, *, final: bool) -> None:
        """Append `text`, which is the last where it is `final`."""
        if len(self._beginning) < BEGINNING:
            self._beginning += text[:BEGINNING]
        if final or (not self.found and len(self._beginning) >= self._next_look):
            self._next_look = 2 * len(self._beginning)
            self.found = certain_language(self._beginning)


@lru_cache(maxsize=512)
def _language(text: str) -> str:
    prose = " ".join(word for word in _NO_PROSE.sub(" ", text).split() if not _IN_CODE.search(word))
    # A word says nothing more when it comes again.
    words = set(_WORD.findall(prose))
    letters = sum(map(len, words)) + len(_DENSE.findall(prose))
    if letters < _LEAST_LETTERS or all(map(_is_name, words)):
        return ""
    # Each script is judged apart: names in Latin letters make Arabic look like Swedish.
    found, *_ = _detector.FindTopNMostFreqLangs(text=prose.encode("utf-8", "ignore"), num_langs=1)
    least = _CERTAIN if letters >= _FEW_LETTERS else _CERTAIN_OF_FEW
    # Languages in the letters of another script are guessed for what is none of them.
    is_certain = found.probability >= least and "-" not in found.language
    return _named(found.language) if is_certain else ""


def _is_name(word: str) -> bool:
    """Whether it may be part of a name, of which no language can be told, or a sign of one letter."""
    return word[0].isupper() or (len(word) == 1 and word.islower())


def _named(tag: str) -> str:
    language = tag.partition("-")[0].lower()
    return _SAME.get(language, language)
