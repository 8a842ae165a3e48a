"""Negation and permission: words that a sentence shares with a passage, with a `not` between them in one of the two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from chat_ui.features.claims.reading import Reading

_LEAST: Final = 4
_LEAST_DENSE: Final = 6
"""The least shared words in a row, with the ends of a sentence; of Chinese and Japanese, characters."""
_NEAR: Final = 3
"""The words before a `not` that may not be relative or conditional."""
_MOST: Final = 50
"""Places of two words in a row that are compared."""
_END: Final = ""
_BREAK: Final = ","
_MODAL: Final = "may"
_MARKS: Final = {"may": "may", "must": "must", "forbid": "not may", "free": "not must"}
Span = tuple[int, int]


@dataclass(slots=True)
class _Words:
    """The words of a text, each with its mark: the `not` before it, and the modal that it is. All modals are one word.

    An end of a sentence is a word too.
    """

    words: list[str] = field(default_factory=lambda: [_END])
    marks: list[str] = field(default_factory=lambda: [""])
    spans: list[Span] = field(default_factory=lambda: [(0, 0)])
    """The place of each word, with its `not`."""
    places: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """The places of two words in a row, by the second."""

    def place(self, at: int) -> Span:
        """The place of a mark, or of the two words without one between them."""
        return self.spans[at] if self.marks[at] else (self.spans[at - 1][0], self.spans[at][1])

    def is_denied(self, start: int, end: int, *stops: str) -> bool:
        """Whether a `not` is outside of some words, between the stops before and after them."""
        low = next(at for at in range(start, -1, -1) if self.words[at] in stops)
        high = next(at for at in range(end - 1, len(self.words)) if self.words[at] in stops)
        return any("not" in mark for mark in self.marks[low + 1 : start + 1] + self.marks[end : high + 1])


def _words_of(reading: Reading) -> _Words:
    if "compared" not in reading.kept:
        found = reading.kept["compared"] = _Words()
        denied: Span | None = None
        for match in reading.words.compared.finditer(reading.low + "\n"):
            kind, (start, end) = match.lastgroup or "", match.span()
            if kind == "neg" and found.words[-1] == _MODAL and not denied:
                found.marks[-1] = "not " + found.marks[-1]
                found.spans[-1] = found.spans[-1][0], end
            elif kind == "neg":
                denied = start, end
            elif kind != "skip":
                word = {"word": match.group(), "end": _END, "cut": _BREAK}.get(kind, _MODAL)
                last = end if word != _END else denied[1] if denied else start
                found.places.setdefault((found.words[-1], word), []).append(len(found.words))
                found.words.append(word)
                found.marks.append(("not " * bool(denied) + _MARKS.get(kind, "")).replace("not not ", ""))
                found.spans.append((denied[0] if denied else start, last))
                denied = None
    known: _Words = reading.kept["compared"]
    return known


def conflicts(sentence: Reading, passages: Sequence[Reading]) -> Iterator[tuple[Span, int, Span]]:
    """The places of another `not` or modal in a sentence and in a passage, with the passage's index.

    The words before and after are the same in both, and no passage has them as the sentence has.
    """
    ours, others = _words_of(sentence), [_words_of(one) for one in passages]
    for at in range(1, len(ours.words)):
        pair = ours.words[at - 1], ours.words[at]
        places = [(index, place) for index, one in enumerate(others) for place in one.places.get(pair, ())[:_MOST]]
        if _BREAK in pair or any(_agree(ours.marks[at], others[index].marks[place]) for index, place in places):
            continue
        for index, place in places:
            if _is_one_claim(ours, at, others[index], place, sentence):
                yield ours.place(at), index, others[index].place(place)
                break


def _agree(one: str, two: str) -> bool:
    return one == two or ("not" in one and "not" in two)


def _is_one_claim(ours: _Words, at: int, theirs: _Words, place: int, sentence: Reading) -> bool:
    """Whether two texts share enough words around a place, and have no other `not` near it.

    Near it are the clause of the sentence and the whole sentence of the passage.
    """
    before, after = _shared(ours, theirs, at - 1, place - 1, -1), _shared(ours, theirs, at, place, 1)
    least = _LEAST_DENSE if sentence.words.is_dense else _LEAST
    near = ours.words[max(0, at - _NEAR) : at] + theirs.words[max(0, place - _NEAR) : place]
    return (
        before + after >= least
        and (after > 1 or ours.words[at] == _END)
        and sentence.words.relative.isdisjoint(near)
        and not ours.is_denied(at - before, at + after, _END, _BREAK)
        and not theirs.is_denied(place - before, place + after, _END)
    )


def _shared(ours: _Words, theirs: _Words, at: int, place: int, step: int) -> int:
    """The words in a row that two texts share from a place on, in one sentence and with the same marks."""
    count = 0
    while (word := ours.words[at]) == theirs.words[place] and word != _BREAK:
        if ours.marks[at] != theirs.marks[place] and (count or step < 0):
            break
        count += 1
        if word == _END:
            break
        at, place = at + step, place + step
    return count


def is_denied(reading: Reading, clause: int) -> bool:
    """Whether the sentence of a clause has a negation."""
    clauses, ends = reading.sentence_of(clause), [*reading.clauses, len(reading.low)]
    matches = reading.words.compared.finditer(reading.low, ends[clauses.start], ends[clauses.stop])
    return any(match.lastgroup in {"neg", "forbid"} for match in matches)
