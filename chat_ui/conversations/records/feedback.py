"""What a person thinks of an answer: a rating, reasons, a comment, and citations that they doubt."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Final

from chat_ui.conversations.records.answer_json import number, objects, string, strings
from chat_ui.protocol.events import Json, JsonObject

LONGEST_COMMENT: Final = 2_000
"""Characters."""
MOST_DOUBTED: Final = 50
"""Citations of one answer that can be doubted."""
LONGEST_NAME: Final = 2_000
"""Characters of the label and of the claim of a doubted citation that are kept."""
_HIGHEST_INDEX: Final = 1_000_000


class TooManyDoubtsError(Exception):
    """As many citations of an answer are doubted as can be."""


class TakenBackError(Exception):
    """The rating, or the doubt, is not there to which this would be added."""


class OtherCommentError(Exception):
    """There is another comment than those that may be replaced: `comment`."""

    def __init__(self, comment: str) -> None:
        super().__init__(comment)
        self.comment = comment


class Rating(StrEnum):
    """What an answer is in the eyes of its reader."""

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
    """A citation whose passage does not say what it is cited for.

    `use` is its index among the citations in the text, from 0; `label` is the source's name, `claim` the sentence that
    the citation stands for, and `data_point` the index of the source, None where it was not found.
    """

    use: int
    label: str
    claim: str
    data_point: int | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person thinks of an answer; nothing of it has to be there. Only a bad answer has reasons. `given_at` is
    when it was changed last, in seconds since 1970, UTC.
    """

    rating: Rating | None = None
    reasons: tuple[Reason, ...] = ()
    comment: str = ""
    doubted: tuple[DoubtedCitation, ...] = ()
    given_at: float = 0.0

    def __bool__(self) -> bool:
        return self.rating is not None or bool(self.doubted)

    def rated(self, rating: Rating | None) -> Feedback:
        """The same with another rating; None takes the rating back with its reasons and its comment."""
        return replace(
            self,
            rating=rating,
            reasons=self.reasons if rating is Rating.BAD else (),
            comment="" if rating is None else self.comment,
        )

    def because(self, reason: Reason) -> Feedback:
        """The same with one more reason.

        Raises:
            TakenBackError: the answer is not rated as bad.
        """
        if self.rating is not Rating.BAD:
            raise TakenBackError
        return replace(self, reasons=(*self.without(reason).reasons, reason))

    def without(self, reason: Reason) -> Feedback:
        """The same without that reason."""
        return replace(self, reasons=tuple(one for one in self.reasons if one is not reason))

    def commented(self, comment: str, over: Collection[str] | None = None) -> Feedback:
        """The same with another comment on the answer, in place of one of those that it is written `over`; of any one
        with None.

        Raises:
            TakenBackError: the answer is not rated.
            OtherCommentError: another comment is there.
        """
        if self.rating is None:
            raise TakenBackError
        _check(self.comment, comment, over)
        return replace(self, comment=comment)

    def doubting(self, citation: DoubtedCitation) -> Feedback:
        """The same with this citation doubted; the comment of one that is doubted already stays.

        Raises:
            TooManyDoubtsError: so many are doubted already.
        """
        if any(one.use == citation.use for one in self.doubted):
            return self
        if len(self.doubted) >= MOST_DOUBTED:
            raise TooManyDoubtsError
        return replace(self, doubted=tuple(sorted((*self.doubted, citation), key=lambda one: one.use)))

    def commented_on(self, use: int, comment: str, over: Collection[str] | None = None) -> Feedback:
        """The same with another comment on the doubt about the citation of this index, as in `commented`.

        Raises:
            TakenBackError: it is not doubted.
            OtherCommentError: another comment is there.
        """
        doubt = next((one for one in self.doubted if one.use == use), None)
        if doubt is None:
            raise TakenBackError
        _check(doubt.comment, comment, over)
        doubted = (replace(one, comment=comment) if one is doubt else one for one in self.doubted)
        return replace(self, doubted=tuple(doubted))

    def trusting(self, use: int) -> Feedback:
        """The same without a doubt about the citation of this index."""
        return replace(self, doubted=tuple(one for one in self.doubted if one.use != use))


def _check(former: str, comment: str, over: Collection[str] | None) -> None:
    if over is not None and former not in (comment, *over):
        raise OtherCommentError(former)


def feedback_to_json(feedback: Feedback) -> dict[str, Json]:
    """Feedback as it is kept and exported."""
    return {
        "rating": feedback.rating,
        "reasons": list(feedback.reasons),
        "comment": feedback.comment,
        "doubted": [asdict(one) for one in feedback.doubted],
        "given_at": feedback.given_at,
    }


def feedback_from_json(value: JsonObject) -> Feedback:
    """Feedback that was kept, or that a file holds; a rating and reasons of another version are passed over.

    Raises:
        ValueError: a part of it has another shape.
    """
    ratings = {one.value: one for one in Rating}
    reasons = {one.value: one for one in Reason}
    doubted = {one.use: one for one in map(_doubted, objects(value, "doubted")[:MOST_DOUBTED])}
    known = dict.fromkeys(reasons[name] for name in strings(value, "reasons") if name in reasons)
    rating = ratings.get(string(value, "rating") or "")
    return Feedback(
        rating=rating,
        reasons=tuple(known),
        comment=(string(value, "comment") or "")[:LONGEST_COMMENT],
        doubted=tuple(sorted(doubted.values(), key=lambda one: one.use)),
        given_at=number(value, "given_at") or 0.0,
    ).rated(rating)


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
