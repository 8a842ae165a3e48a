"""What the page is told of a conversation."""

from __future__ import annotations

import pytest

from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.records.records import FALLEN_BACK, AnswerHead, Status, remark_on
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import (
    FINISH_LENGTH,
    FINISH_REASON,
    NO_END,
    REFUSED,
    ErrorInfo,
    JsonObject,
    Warning,  # noqa: A004
)
from chat_ui.state.views import answer_view, has_several_backends

FIRST = {"url": "http://a.example/chat", "profile": "own:1", "name": "First"}


def named(*asked_of: JsonObject) -> list[str]:
    """The names that are shown beside answers of these backends."""
    conversation = Conversation("ann")
    conversation.turns = [
        Turn(f"Question {place}", place, generations=[AnswerHead(str(place), 1, Status.FINISHED, asked_of=one)])
        for place, one in enumerate(asked_of, start=1)
    ]
    several = has_several_backends(conversation)
    return [answer_view(turn, "/answers", names_backend=several).backend for turn in conversation.turns]


def test_a_backend_is_not_named_where_all_answers_are_its_own():
    assert named(FIRST, {**FIRST, "name": "First, renamed", "url": "http://a.example/other"}) == ["", ""]


@pytest.mark.parametrize(
    ("asked_of", "name"),
    [
        ({"url": "http://b.example/chat", "profile": "own:2", "name": "Second"}, "Second"),
        ({"url": "http://b.example/chat", "profile": "given:Handbook"}, "Handbook"),
        ({"url": "http://b.example:8000/chat", "profile": "own:2"}, "b.example:8000"),
        ({"url": "http://b.example/chat"}, "b.example"),
        ({"url": "http://[b/chat", "name": ["not", "a", "name"]}, "a backend without a name"),
        ({}, "a backend without a name"),
        ({"name": "x" * 1000, "profile": "own:2"}, "x" * 100),
    ],
)
def test_each_answer_names_its_backend_where_there_are_several(asked_of: JsonObject, name: str):
    assert named(FIRST, asked_of) == ["First", name]


@pytest.mark.parametrize(
    ("status", "error", "notice", "can_continue"),
    [
        (Status.FINISHED, "", "", False),
        (Status.FAILED, "It broke. Try again in 3 seconds.", "", False),
        (Status.STOPPED, "", "You stopped this answer.", False),
        (Status.INTERRUPTED, "", "This answer was interrupted: the server that was writing it stopped.", True),
        (Status.CUT_OFF, "", "This answer was cut off: the connection to the backend ended before", True),
    ],
)
def test_how_an_answer_ended_is_told_in_words(status: Status, error: str, notice: str, can_continue: bool):
    info = None if status in (Status.FINISHED, Status.CUT_OFF) else ErrorInfo("It broke.", retry_after=3.0)
    turn = Turn("Question", 1, generations=[AnswerHead("a", 1, status, error=info)])
    view = answer_view(turn, "/answers")
    assert (view.address, view.live, view.can_continue) == ("/answers/a", False, can_continue)
    assert view.error == error
    assert view.notice.startswith(notice)
    assert bool(view.notice) is bool(notice)


def test_what_was_cut_off_says_by_what():
    remark = Warning("cut_off", "its length")
    turn = Turn("Question", 1, generations=[AnswerHead("a", 1, Status.CUT_OFF, remark=remark)])
    assert "cut off: its length." in answer_view(turn, "/answers").notice


@pytest.mark.parametrize(
    ("status", "ending"),
    [
        (Status.CUT_OFF, ""),
        (Status.STOPPED, " You stopped this answer."),
        (Status.INTERRUPTED, " This answer was interrupted:"),
        (Status.FINISHED, ""),
    ],
)
def test_a_recorded_answer_is_told_as_one_and_not_gone_on_with_however_it_ended(status: Status, ending: str):
    why = Warning(FALLEN_BACK, "the backend failed.")
    remark = remark_on(Answer(warnings=(Warning("cut_off", "its length"), Warning(REFUSED, "no"), why)))
    at, asked_of = "2025-11-20T09:30:02+00:00", {"profile": "given:Live"}
    head = AnswerHead("a", 1, status, remark=remark, recorded_at=at, asked_of=asked_of)
    view = answer_view(Turn("Question", 1, generations=[head]), "/answers")
    assert view.notice.startswith("Answered from the recording of ")
    assert f": the backend failed.{ending}" in view.notice
    assert (view.can_continue, view.is_instead) == (False, True)


def test_a_refusal_is_told_as_one():
    remark = Warning(REFUSED, "the model refused to answer")
    turn = Turn("Question", 1, generations=[AnswerHead("a", 1, Status.FINISHED, remark=remark)])
    assert answer_view(turn, "/answers").notice.startswith("The model refused to answer this question.")


@pytest.mark.parametrize("code", [NO_END, FINISH_REASON])
def test_an_answer_that_is_not_whole_says_why_and_offers_the_rest(code: str):
    remark = remark_on(Answer("One", complete=False, warnings=(Warning(code, "the reason"),)))
    view = answer_view(Turn("Q", 1, generations=[AnswerHead("a", 1, Status.CUT_OFF, remark=remark)]), "/answers")
    assert "cut off: the reason." in view.notice
    assert view.can_continue


@pytest.mark.parametrize("code", [FINISH_REASON, FINISH_LENGTH])
def test_an_answer_that_may_not_be_whole_says_why(code: str):
    remark = remark_on(Answer("One", warnings=(Warning(code, "the reason"),)))
    view = answer_view(Turn("Q", 1, generations=[AnswerHead("a", 1, Status.FINISHED, remark=remark)]), "/answers")
    assert (view.notice, view.can_continue) == ("This answer may not be whole: the reason.", code == FINISH_LENGTH)


def test_follow_up_questions_say_their_language_where_it_is_not_the_pages():
    german = ("Wie oft werden sie gewartet?", "Wer streicht sie im Winter?")
    for followups, language in ((german, "de"), (("How often are they looked after?",), ""), ((), "")):
        head = AnswerHead("1", 1, Status.FINISHED, followups=followups)
        assert answer_view(Turn("Q", 1, generations=[head]), "/answers").followups_language == language
