from typing import Any

from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.records.records import FALLEN_BACK, AnswerHead, Status, remark_on
from chat_ui.page.state.views import AnswerView, answer_view, has_several_backends, turn_views
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import FINISH_LENGTH, FINISH_REASON, NO_END, REFUSED, AnswerWarning, ErrorInfo, JsonObject

FIRST = {"url": "http://a.example/chat", "profile": "own:1", "name": "First"}


def named(*asked_of: JsonObject) -> list[str]:
    """The names beside answers of these backends."""
    conversation = Conversation("ann")
    conversation.turns = [
        Turn(f"Question {place}", place, generations=[AnswerHead(str(place), 1, Status.FINISHED, asked_of=one)])
        for place, one in enumerate(asked_of, start=1)
    ]
    several = has_several_backends(conversation)
    return [answer_view(turn, "/answers", names_backend=several).backend for turn in conversation.turns]


def test_each_answer_names_its_backend_where_there_are_several():
    assert named(FIRST, {**FIRST, "name": "First, renamed", "url": "http://a.example/other"}) == ["", ""]
    url = "http://b.example:8000/chat"
    for asked_of, name in (
        ({"url": url, "profile": "own:2", "name": "Second"}, "Second"),
        ({"url": url, "profile": "given:Handbook"}, "Handbook"),
        ({"url": url, "profile": "own:2"}, "b.example:8000"),
        ({"url": "http://[b/chat", "name": ["not", "a", "name"]}, "a backend without a name"),
        ({}, "a backend without a name"),
        ({"name": "x" * 1000, "profile": "own:2"}, "x" * 100),
    ):
        assert named(FIRST, asked_of) == ["First", name]


def view_of(status: Status, **facts: Any) -> AnswerView:
    """The page's view of an answer with these facts."""
    return answer_view(Turn("Question", 1, generations=[AnswerHead("a", 1, status, **facts)]), "/answers")


def test_the_end_of_an_answer_is_told_in_words():
    broke = ErrorInfo("It broke.", retry_after=3.0)
    for view, error, notice, can_continue in (
        (view_of(Status.FINISHED), "", "", False),
        (view_of(Status.FAILED, error=broke), "It broke. Try again in 3 seconds.", "", False),
        (view_of(Status.STOPPED, error=broke), "", "You stopped this answer.", False),
        (view_of(Status.INTERRUPTED, error=broke), "", "This answer was interrupted: its server stopped", True),
        (view_of(Status.CUT_OFF), "", "This answer was cut off: the connection to the backend ended before", True),
    ):
        assert (view.address, view.live, view.can_continue, view.error) == ("/answers/a", False, can_continue, error)
        assert view.notice.startswith(notice)
        assert bool(view.notice) is bool(notice)


def test_only_the_latest_answer_offers_its_rest():
    conversation = Conversation("ann")
    conversation.turns = [Turn("Question", 1, generations=[AnswerHead(name, 1, Status.CUT_OFF)]) for name in "ab"]
    conversation.versions = lambda turn: [turn]
    views = [view.answer for view in turn_views(conversation, 0, "/answers", "/images")]
    assert [(view.can_continue, "Continue" in view.notice) for view in views] == [(False, False), (True, True)]
    assert all("The text so far is kept." in view.notice for view in views)


def test_an_answer_with_an_error_or_without_text_failed():
    assert view_of(Status.FAILED, error=ErrorInfo("It broke."), characters=3).failed
    assert view_of(Status.STOPPED).failed
    assert not view_of(Status.STOPPED, characters=3).failed
    assert not any(view_of(status).failed for status in (Status.RUNNING, Status.FINISHED))


def test_a_recorded_answer_is_labelled_and_never_continued():
    why = AnswerWarning(FALLEN_BACK, "the backend failed.")
    remark = remark_on(Answer(warnings=(AnswerWarning("cut_off", "its length"), AnswerWarning(REFUSED, "no"), why)))
    recorded = {"recorded_at": "2025-11-20T09:30:02+00:00", "asked_of": {"profile": "given:Live"}, "remark": remark}
    said = {Status.STOPPED: " You stopped this answer.", Status.INTERRUPTED: " This answer was interrupted:"}
    for status, ending in {Status.CUT_OFF: "", Status.FINISHED: "", **said}.items():
        view = view_of(status, **recorded)
        assert view.notice.startswith("Answered from the recording of ")
        assert f": the backend failed.{ending}" in view.notice
        assert (view.can_continue, view.is_instead) == (False, True)


def test_an_incomplete_or_refused_answer_says_why():
    cut = view_of(Status.CUT_OFF, remark=AnswerWarning("cut_off", "its length"))
    assert "cut off: its length." in cut.notice
    refused = view_of(Status.FINISHED, remark=AnswerWarning(REFUSED, "the model refused to answer"))
    assert refused.notice.startswith("The model refused to answer. Try")
    for code in (NO_END, FINISH_REASON):
        remark = remark_on(Answer("One", complete=False, warnings=(AnswerWarning(code, "the reason"),)))
        view = view_of(Status.CUT_OFF, remark=remark)
        assert ("cut off: the reason." in view.notice, view.can_continue) == (True, True)
    for code in (FINISH_REASON, FINISH_LENGTH):
        view = view_of(Status.FINISHED, remark=remark_on(Answer("One", warnings=(AnswerWarning(code, "the reason"),))))
        assert (view.notice, view.can_continue) == ("This answer may be incomplete: the reason.", code == FINISH_LENGTH)


def test_follow_up_questions_have_a_language_if_it_is_not_the_pages():
    german = ("Wie oft werden sie gewartet?", "Wer streicht sie im Winter?")
    for followups, language in ((german, "de"), (("How often are they looked after?",), ""), ((), "")):
        assert view_of(Status.FINISHED, followups=followups).followups_language == language
