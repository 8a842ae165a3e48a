"""From a conversation to a search query: which words count, and whether the question before counts too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text("utf-8").split())
"""Words without weight in a search: of English, some of Polish and German, and of every
document here."""

MAX_TERMS = 40

SYNONYMS: dict[str, list[str]] = {
    word: others.split(", ")
    for line in (Path(__file__).parent / "synonyms.txt").read_text("utf-8").splitlines()
    for word, _, others in [line.partition(": ")]
}
"""The words and phrases that the documents have for a word."""

SPELLED_OUT = {"aed": "defibrillator"}
"""Abbreviations that the Porter stemmer would take for a past participle."""

_WORD = re.compile(r"[^\W_]+")
_NUMBER_WANTED = re.compile(r"\b(how (many|much|long|fast|soon|often|far)|when|cost|price|rate|limit)", re.IGNORECASE)
_LEANS_ON_BEFORE = re.compile(
    r"^\s*(and|or|but|so|then|what about|how about|also|only|why)\b"
    r"|\b(it|its|they|them|their|that|those|these|this|(?<!is )(?<!are )there|he|she|same|else|ones?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Query:
    """A search: the words of a question, and of the question before where it leans on that.

    `question` is what was asked; `terms` and `previous_terms` are lower case, without stop words or
    repetition.
    """

    question: str
    terms: tuple[str, ...]
    previous_terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The query as one line, most recent words first."""
        return " ".join((*self.terms, *self.previous_terms))

    @property
    def wants_number(self) -> bool:
        return _NUMBER_WANTED.search(self.question) is not None


def content_terms(question: str) -> tuple[str, ...]:
    """The words of a question that a search is about, each once, in order, at most `MAX_TERMS`."""
    found = (word.lower() for word in _WORD.findall(question))
    words = (SPELLED_OUT.get(word, word) for word in found)
    terms = dict.fromkeys(word for word in words if word not in STOP_WORDS and len(word) > 1)
    return tuple(terms)[:MAX_TERMS]


def make_query(question: str, previous: str | None) -> Query:
    """The query for a question, given the one before it in the conversation.

    The previous words are added where the question points back (`And in Bergen?`, `Who approves that?`) or
    has no words of its own.
    """
    terms = content_terms(question)
    if previous is None or (terms and not _LEANS_ON_BEFORE.search(question)):
        return Query(question, terms)
    return with_previous(Query(question, terms), previous)


def with_previous(query: Query, previous: str) -> Query:
    before = tuple(term for term in content_terms(previous) if term not in query.terms)
    return Query(query.question, query.terms, before)


def alternatives(term: str) -> tuple[str, ...]:
    """A term and its synonyms in the documents, each a word or a phrase."""
    return (term, *SYNONYMS.get(term, ()))
