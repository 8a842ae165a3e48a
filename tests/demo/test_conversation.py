"""Questions that lean on the one before, questions without an answer, and questions that are offered."""

from __future__ import annotations

import pytest

from chat_ui.demo.answering import STARTER_QUESTIONS, find
from chat_ui.demo.retrieval import Index
from tests.demo.asking import ask
from tests.demo.questions import ANSWERED, FOLLOWED, UNANSWERED


@pytest.mark.parametrize(("question", "source"), ANSWERED)
def test_the_right_passage_is_among_the_first_three_and_cited(index: Index, question: str, source: str) -> None:
    finding = find(index, question, None, 3)
    assert source in [hit.passage.id for hit in finding.hits]
    assert f"[{source}]" in finding.text


def test_nine_in_ten_questions_find_the_right_passage_first(index: Index) -> None:
    first = [find(index, question, None, 1).hits[0].passage.id == source for question, source in ANSWERED]
    assert sum(first) >= 0.9 * len(ANSWERED)


@pytest.mark.parametrize("question", UNANSWERED)
def test_a_question_without_an_answer_is_told_so_and_cites_nothing(index: Index, question: str) -> None:
    finding = find(index, question, None, 3)
    assert finding.text.startswith("I have found nothing about")
    assert "[" not in finding.text
    assert finding.hits == ()
    assert len(finding.followups) == 3


@pytest.mark.parametrize(("before", "question", "source"), FOLLOWED)
def test_a_question_that_leans_on_the_one_before_is_understood(
    index: Index, before: str, question: str, source: str
) -> None:
    finding = find(index, question, before, 3)
    assert finding.hits[0].passage.id == source
    assert finding.query.previous_terms


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("When is payday?", "FAQ.html#payday"),
        ("How many days of parental leave are there?", "Leave_Policy.pdf#page=2"),
    ],
)
def test_a_new_subject_does_not_lean_on_the_one_before(index: Index, question: str, source: str) -> None:
    finding = find(index, question, "Who pays for glasses?", 3)
    assert finding.query.previous_terms == ()
    assert finding.hits[0].passage.id == source


@pytest.mark.parametrize(("path", "key"), [("/c/chat", "sessionState"), ("/b/chat", "session_state")])
def test_session_state_sent_back_tells_what_a_short_question_means(demo: str, path: str, key: str) -> None:
    first = ask(demo + path, "What is the per diem in Norway?").objects[0]
    second = ask(demo + path, "And in Iceland?", **{key: first[key]}).objects[0]
    third = ask(demo + path, "And in Portugal?", **{key: second[key]}).objects[0]
    assert "| Iceland | 80 | 40 | 220 |" in second["message"]["content"]
    assert "| Portugal | 46 | 23 | 130 |" in third["message"]["content"]


@pytest.mark.parametrize("state", ["not ours", "bm90IGpzb24=", 17, {"a": 1}, "WzFd"])
def test_session_state_of_somebody_else_is_passed_over(demo: str, state: object) -> None:
    answer = ask(f"{demo}/chat", "When is payday?", sessionState=state).objects[0]
    assert "25th of each month" in answer["message"]["content"]


def test_starter_questions_are_answered(index: Index) -> None:
    assert len(STARTER_QUESTIONS) == 4
    assert all(find(index, question, None, 3).hits for question in STARTER_QUESTIONS)


@pytest.mark.parametrize("top", [3, 5])
@pytest.mark.parametrize("question", STARTER_QUESTIONS)
def test_a_starter_question_shows_off_two_or_three_sources(index: Index, question: str, top: int) -> None:
    quoted = {scored.unit.passage.id for scored in find(index, question, None, top).quoted}
    assert 2 <= len(quoted) <= 3


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("What is the Airspeed of an unladen swallow?", "“What is the Airspeed of an unladen swallow?”"),
        ("Show me a cut streamShow me a rate limit", "“Show me a cut streamShow me a rate limit”"),
        ("zebras\n and  unicorns", "“zebras and unicorns”"),
        ("zebra" * 100, "zebr…”"),
    ],
)
def test_what_was_not_found_is_quoted_as_it_was_asked(index: Index, question: str, quoted: str) -> None:
    finding = find(index, question, None, 3)
    assert finding.text.startswith("I have found nothing about")
    assert quoted in finding.text


@pytest.mark.parametrize("question", STARTER_QUESTIONS)
def test_follow_up_questions_lead_to_answers_that_lead_on(index: Index, question: str) -> None:
    for followup in find(index, question, None, 3).followups:
        finding = find(index, followup, question, 3)
        assert finding.hits, followup
        assert finding.followups, followup


def test_every_question_an_author_expects_is_answered_from_its_own_passage(index: Index) -> None:
    missed = [
        section.question
        for passage in index.passages
        for section in passage.sections
        if section.question
        and passage.id not in [hit.passage.id for hit in find(index, section.question, None, 3).hits]
    ]
    assert missed == []


@pytest.mark.parametrize(
    "question",
    [
        '"',
        "AND OR NOT",
        "leave* NEAR(",
        "'; DROP TABLE passage; --",
        "🌊",
        "a" * 200_000,
        " ".join(map(str, range(40_000))),
    ],
    ids=["quote", "operators", "stars", "statement", "emoji", "one long word", "many words"],
)
def test_no_question_breaks_the_search(index: Index, question: str) -> None:
    assert find(index, question, None, 3).text
