"""The detected language of an answer, a question or a passage.

Screen readers choose their voice by it, and browsers their font. CLD3, the detector of Chromium, examines the beginning
of the text in a fifth of a millisecond.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import gcld3

from chat_ui.languages.translation import current_language

BEGINNING: Final = 2_000
"""Characters of a text that the detector examines."""
FIRST_LOOK: Final = 100
"""Characters of a streaming text before its first detection."""
_LEAST_LETTERS: Final = 12
_FEW_LETTERS: Final = 40
_CERTAIN: Final = 0.9
_CERTAIN_OF_FEW: Final = 0.99
"""Minimum probabilities. At 100 characters, 0.9 was right in 25 languages, including closely related ones."""
_DENSE: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Characters of Chinese, Japanese and Korean: each counts as two letters."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_NO_PROSE: Final = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)|`[^`\n]+`|\$\$.*?\$\$|\$[^$\n]+\$|\[[^\[\]\n]*\]|<[^<>]*>",
    re.DOTALL | re.MULTILINE,
)
"""Code, formulas, citations and tags."""
_IN_CODE: Final = re.compile(r"[=_@\\{}<>/]")
"""Characters that mark a word as an address or a file's name."""
_SAME: Final = {"iw": "he", "no": "nb", "nn": "nb"}
_RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ps", "sd", "ur", "yi"})

_detector: Final = gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * BEGINNING)


def certain_language(text: str) -> str:
    """The language (BCP 47) of the beginning of `text`, or empty if uncertain."""
    return _language(text[:BEGINNING])


def language_of(text: str) -> str:
    """The language (BCP 47) of the beginning of `text`, or empty if uncertain or the current one."""
    found = certain_language(text)
    return "" if found == _named(current_language().tag) else found


def lang_attribute(text: str) -> str:
    """The `lang` attribute of text or HTML, after a space; empty like `language_of`."""
    language = language_of(text)
    return f' lang="{language}"' if language else ""


def attributes_of(text: str) -> str:
    """The attributes `lang` and `dir` of the element around text or HTML, after a space."""
    direction = "rtl" if certain_language(text) in _RIGHT_TO_LEFT else "auto"
    return f'{lang_attribute(text)} dir="{direction}"'


class StreamingLanguage:
    """The language of a streaming text, in `found` once `certain_language` detects it. Detection runs at `FIRST_LOOK`
    characters, at each doubling up to `BEGINNING` while uncertain, and at the end.
    """

    def __init__(self) -> None:
        self.found = ""
        self._beginning = ""
        self._next_look = FIRST_LOOK

    def feed(self, text: str, *, final: bool) -> None:
        """Append `text`; `final` marks the last."""
        if len(self._beginning) < BEGINNING:
            self._beginning += text[:BEGINNING]
        if final or (not self.found and len(self._beginning) >= self._next_look):
            self._next_look = 2 * len(self._beginning)
            self.found = certain_language(self._beginning)


@lru_cache(maxsize=512)
def _language(text: str) -> str:
    prose = " ".join(word for word in _NO_PROSE.sub(" ", text).split() if not _IN_CODE.search(word))
    # A repeated word adds no evidence.
    words = set(_WORD.findall(prose))
    letters = sum(map(len, words)) + len(_DENSE.findall(prose))
    if letters < _LEAST_LETTERS or all(map(_is_name, words)):
        return ""
    # Scripts are judged separately: names in Latin letters make Arabic look like Swedish.
    found, *_ = _detector.FindTopNMostFreqLangs(text=prose.encode("utf-8", "ignore"), num_langs=1)
    least = _CERTAIN if letters >= _FEW_LETTERS else _CERTAIN_OF_FEW
    # CLD3 guesses tags with a script, such as `ru-Latn`, for text in other languages.
    is_certain = found.probability >= least and "-" not in found.language
    return _named(found.language) if is_certain else ""


def _is_name(word: str) -> bool:
    """Whether the word may be part of a name, or a sign of one letter."""
    return word[0].isupper() or (len(word) == 1 and word.islower())


def _named(tag: str) -> str:
    language = tag.partition("-")[0].lower()
    return _SAME.get(language, language)
