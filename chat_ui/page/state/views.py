"""The page's view of a conversation: its structure, never the text of its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any, Final

from chat_ui.backends.offer import backend_key, backend_name
from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import FALLEN_BACK, AnswerHead, Status
from chat_ui.languages.foreign_text import language_of
from chat_ui.languages.translation import gettext, in_day, recorded_on, translated
from chat_ui.page.state.decisions import LAPSED, problem_of, takes_decision
from chat_ui.protocol.events import FINISH_LENGTH, MAYBE_SHORT
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.http_errors import with_wait
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.server.services import services

_UNRATED: Final[Mapping[str, Rating]] = {}
QUESTION_SHOWN: Final = 2000
"""Characters of a question in the structure; a longer one is loaded when expanded."""


@dataclass
class AnswerView:
    id: str = ""
    address: str = ""
    status: str = ""
    live: bool = False
    error: str = ""
    notice: str = ""
    sources: int = 0
    pictures: int = 0
    revision: int = 0
    characters: int = 0
    sign_in: str = ""
    """The backend that did not accept the person's token, by the id of its profile."""
    failed: bool = False
    """Whether it ended with an error, or without text."""
    number: int = 1
    count: int = 1
    can_continue: bool = False
    backend: str = ""
    """The name of the answer's backend, if the conversation has several."""
    recorded: str = ""
    """The label and date of a recorded answer; empty for a live one."""
    is_instead: bool = False
    """Whether a recording answered instead of the backend."""
    waits: bool = False
    """Whether the agent waits for a decision, which the person can take."""
    can_send: bool = False
    """Whether the decision before it can be sent again."""
    rating: str = ""
    """The person's rating: good, bad or empty."""
    followups: list[str] = field(default_factory=list)
    followups_language: str = ""
    """Like `language_of`, for all together."""


@dataclass
class TurnView:
    id: str = ""
    conversation: str = ""
    question: str = ""
    question_is_cut: bool = False
    question_language: str = ""
    question_address: str = ""
    images: list[dict[str, Any]] = field(default_factory=list)
    """The address of each attached image or other file, with the fields of its `ImageName`."""
    version: int = 1
    versions: int = 1
    decides: str = ""
    """The id of the paused answer, for a decision in place of a question."""
    asked_at: float = 0.0
    answer: AnswerView = field(default_factory=AnswerView)


def has_several_backends(conversation: Conversation) -> bool:
    return len({backend_key(turn.generation.asked_of) for turn in conversation.turns}) > 1


def answer_view(
    turn: Turn,
    path: str,
    *,
    is_latest: bool = True,
    names_backend: bool = False,
    ratings: Mapping[str, Rating] = _UNRATED,
) -> AnswerView:
    """The structure of a turn's displayed answer. It `names_backend` if others came from another. Answers are served at
    `path`; `ratings` are by the id of the answer. Only the conversation's latest can continue.
    """
    head = turn.generation.head
    sign_in = _sign_in(head)
    problem = problem_of(head) if turn.decides else ""
    return AnswerView(
        id=head.id,
        address=f"{path}/{head.id}",
        status=head.status,
        live=not head.ended,
        error=_with(_error(head, sign_in), problem),
        notice=_with(_notice(head, is_latest=is_latest and not turn.decides), problem),
        sources=head.sources,
        pictures=head.pictures,
        revision=head.revision,
        characters=head.characters,
        sign_in=sign_in,
        failed=_error(head) != "" or not (head.characters or head.status in _UNFAILED),
        number=head.number,
        count=len(turn.generations),
        # The backend does not know a recorded text to continue.
        can_continue=is_latest and _has_rest(head) and not _is_instead(head) and not turn.decides,
        backend=backend_name(head.asked_of) if names_backend else "",
        recorded=recorded_on(head.recorded_at),
        is_instead=_is_instead(head),
        waits=takes_decision(head),
        can_send=is_latest and problem not in ("", LAPSED) and turn.generation is turn.generations[-1],
        rating=ratings.get(head.id, ""),
        # The chip must show exactly the text that it asks.
        followups=[question.translate(OVERRIDES) for question in head.followups],
        followups_language=language_of(" ".join(head.followups)),
    )


def turn_views(conversation: Conversation, first: int, path: str, images_path: str) -> list[TurnView]:
    """The structure of the turns from index `first` to the end; attached files are served at `images_path`."""
    several = has_several_backends(conversation)
    decided = {turn.decides for turn in conversation.turns}

    def view(turn: Turn) -> TurnView:
        versions = conversation.versions(turn)
        shown = TurnView(
            id=turn.id,
            conversation=conversation.id,
            question=turn.question[:QUESTION_SHOWN],
            question_is_cut=len(turn.question) > QUESTION_SHOWN,
            question_language=language_of(turn.question),
            question_address=f"{path}/{turn.generation.id}/question",
            images=[{"address": f"{images_path}/{image.id}", **asdict(image)} for image in turn.images],
            version=next(number for number, one in enumerate(versions, 1) if one is turn),
            versions=len(versions),
            decides=turn.decides or "",
            asked_at=turn.asked_at,
            answer=answer_view(
                turn,
                path,
                is_latest=turn is conversation.turns[-1],
                names_backend=several,
                ratings=conversation.ratings,
            ),
        )
        is_waiting = turn.generation.status is Status.WAITING and turn is not conversation.turns[-1]
        if is_waiting and turn.generation.id not in decided:
            shown.answer.notice = gettext("A later question dropped the request of this agent.")
        return shown

    return [view(turn) for turn in conversation.turns[first:]]


def shape_of(turns: Sequence[TurnView]) -> list[tuple[object, ...]]:
    """A value that changes whenever the page needs the turns again; the last answer is sent separately."""
    ended = [
        (turn.answer.status, turn.answer.error, turn.answer.notice, turn.answer.recorded, turn.answer.rating)
        for turn in turns[:-1]
    ]
    return [
        (turn.id, turn.answer.id, turn.answer.count, turn.versions, end)
        for turn, end in zip(turns, [*ended, ""], strict=False)
    ]


_NOTICES: Final = {
    Status.STOPPED: msg("You stopped this answer."),
    Status.INTERRUPTED: msg("This answer was interrupted: its server stopped. The text so far is kept."),
}
_UNFAILED: Final = (Status.RUNNING, Status.FINISHED, Status.WAITING)
_REFUSED: Final = msg("The model refused to answer. Try to rephrase the question.")
_ENDED_EARLY: Final = msg("the connection to the backend ended before the answer did")


def _with(words: str, problem: str) -> str:
    """The words of an end, with the `problem` of the decision before it."""
    if not (words and problem):
        return words
    return translated(problem) if problem == LAPSED else gettext("{problem} {advice}", problem=words, advice=problem)


def _has_rest(head: AnswerHead) -> bool:
    is_at_its_limit = head.remark is not None and head.remark.code == FINISH_LENGTH and head.status is Status.FINISHED
    return is_at_its_limit or head.status in (Status.CUT_OFF, Status.INTERRUPTED)


def _notice(head: AnswerHead, *, is_latest: bool) -> str:
    remark, ending = head.remark, translated(_NOTICES.get(head.status, ""))
    if _is_instead(head) and head.status not in (Status.RUNNING, Status.FAILED):
        why = _instead_of_the_backend(head)
        return gettext("{problem} {advice}", problem=why, advice=ending) if ending else why
    if head.status is Status.CUT_OFF:
        reason = remark.detail if remark is not None else _ENDED_EARLY
        if is_latest:
            return gettext(
                "This answer was cut off: {reason}. The text so far is kept. Continue to get the rest.", reason=reason
            )
        return gettext("This answer was cut off: {reason}. The text so far is kept.", reason=reason)
    if head.status is Status.FINISHED and remark is not None:
        if remark.code in MAYBE_SHORT:
            return gettext("This answer may be incomplete: {reason}.", reason=remark.detail)
        return translated(_REFUSED)
    return ending


def _instead_of_the_backend(head: AnswerHead) -> str:
    return gettext(
        "Answered from the recording of {day}: {reason}",
        day=in_day(head.recorded_at or ""),
        reason=head.remark.detail if head.remark is not None else "",
    )


def _is_instead(head: AnswerHead) -> bool:
    return head.remark is not None and head.remark.code == FALLEN_BACK


def _error(head: AnswerHead, sign_in: str = "") -> str:
    error = head.error
    if error is None or head.status in (Status.STOPPED, Status.INTERRUPTED):
        return ""
    if sign_in:
        name = backend_name(head.asked_of)
        return gettext("{backend} refused access. Sign in, or ask its operator for access.", backend=name)
    return translated(with_wait(error))


def _sign_in(head: AnswerHead) -> str:
    if head.error is None or head.error.status not in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ""
    profile = services().backends.offer.remembered_profile(head.asked_of)
    return str(head.asked_of["profile"]) if profile is not None and profile.pass_token else ""
