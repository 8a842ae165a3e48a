"""A person's feedback on an answer: a rating, reasons, a comment, and doubted citations."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Final

from chat_ui.conversations.records.answer_json import number, objects, string, strings
from chat_ui.errors import TooManyDoubtsError
from chat_ui.protocol.events import Json, JsonObject

LONGEST_COMMENT: Final = 2_000
MOST_DOUBTED: Final = 50
LONGEST_NAME: Final = 2_000
"""Characters of the label and of the claim of a doubted citation that are kept."""
_HIGHEST_INDEX: Final = 1_000_000


class Rating(StrEnum):
    """A reader's rating of an answer."""

    GOOD = "good"
    BAD = "bad"


class Reason(StrEnum):
    """Why an answer is bad."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    UNSUPPORTED = "unsupported"
    """A source does not say it."""
    OUTDATED = "outdated"
    TONE = "tone"


@dataclass(frozen=True, slots=True)
class DoubtedCitation:
    """A citation whose passage does not support it.

    `use` is its index among the citations in the text, from 0; `label` is the source's name, and `claim` the sentence
    of the citation. `data_point` is the index of the source, None if missing.
    """

    use: int
    label: str
    claim: str
    data_point: int | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's feedback on an answer, possibly empty. Reasons are kept only for bad answers, and a comment only for
    rated ones. `given_at` is the last change, in seconds since 1970, UTC.
    """

    rating: Rating | None = None
    reasons: tuple[Reason, ...] = ()
    comment: str = ""
    doubted: tuple[DoubtedCitation, ...] = ()
    given_at: float = 0.0

    def __post_init__(self) -> None:
        if self.rating is not Rating.BAD:
            object.__setattr__(self, "reasons", ())
        if self.rating is None:
            object.__setattr__(self, "comment", "")

    def __bool__(self) -> bool:
        return self.rating is not None or bool(self.doubted)

    def doubting(self, *citations: DoubtedCitation) -> Feedback:
        """The same with these citations doubted, in place of earlier doubts about them.

        Raises:
            TooManyDoubtsError: too many would be doubted.
        """
        doubted = {one.use: one for one in (*self.doubted, *citations)}
        if len(doubted) > MOST_DOUBTED:
            raise TooManyDoubtsError
        return replace(self, doubted=tuple(doubted[use] for use in sorted(doubted)))

    def trusting(self, uses: Collection[int]) -> Feedback:
        """The same without doubts about the citations of these indices."""
        return replace(self, doubted=tuple(one for one in self.doubted if one.use not in uses))


def feedback_to_json(feedback: Feedback) -> dict[str, Json]:
    """Feedback for the store and for exports."""
    return {
        "rating": feedback.rating,
        "reasons": list(feedback.reasons),
        "comment": feedback.comment,
        "doubted": [asdict(one) for one in feedback.doubted],
        "given_at": feedback.given_at,
    }


def feedback_from_json(value: JsonObject) -> Feedback:
    """Feedback from the store or a file; a rating and reasons of another version are passed over.

    Raises:
        ValueError: a part of it has another shape.
    """
    ratings = {one.value: one for one in Rating}
    reasons = {one.value: one for one in Reason}
    doubted = {one.use: one for one in map(_doubted, objects(value, "doubted")[:MOST_DOUBTED])}
    known = dict.fromkeys(reasons[name] for name in strings(value, "reasons") if name in reasons)
    return Feedback(
        rating=ratings.get(string(value, "rating") or ""),
        reasons=tuple(known),
        comment=(string(value, "comment") or "")[:LONGEST_COMMENT],
        doubted=tuple(sorted(doubted.values(), key=lambda one: one.use)),
        given_at=number(value, "given_at") or 0.0,
    )


def _doubted(value: JsonObject) -> DoubtedCitation:
    use, point = _index(value, "use"), _index(value, "data_point")
    return DoubtedCitation(
        use=use or 0,
        label=(string(value, "label") or "")[:LONGEST_NAME],
        claim=(string(value, "claim") or "")[:LONGEST_NAME],
        data_point=point,
        comment=(string(value, "comment") or "")[:LONGEST_COMMENT],
    )


def _index(value: JsonObject, key: str) -> int | None:
    found = number(value, key)
    return int(found) if found is not None and 0 <= found <= _HIGHEST_INDEX else None
