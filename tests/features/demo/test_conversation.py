import re

from chat_ui.features.demo.answering import NO_ANSWER, STARTER_QUESTIONS, find
from chat_ui.features.demo.retrieval import Index, make_query
from tests.features.demo.asking import ask
from tests.features.demo.questions import ANSWERED, FOLLOWED, MISSED, QUESTION_SET, UNANSWERED
from tests.growth import cost_of


def test_the_right_passage_is_cited_among_the_first_three(index: Index) -> None:
    first = 0
    for question, source in ANSWERED:
        finding = find(index, question, None, 3)
        sources = [hit.passage.id for hit in finding.hits]
        assert source in sources, question
        assert f"[{source}]" in finding.text, question
        first += sources[0] == source
    assert first >= 0.9 * len(ANSWERED)


def first_claim(text: str) -> str:
    """The first sentence, or the first table."""
    if text.startswith("#"):
        return text.split("\n\n")[1]
    return re.split(r"(?<=\])\.|\n", text)[0]


def test_the_first_sentence_answers_a_question_and_follow_ups_stay_with_its_sources(index: Index) -> None:
    answered = [question for question in QUESTION_SET if question.truth]
    missed = set()
    for question in answered:
        finding = find(index, question.text, None, 3)
        claim = first_claim(finding.text)
        fact, *sources = re.split(r" ?\[|\]", question.truth)
        if fact not in claim or not any(f"[{source}]" in claim for source in filter(None, sources)):
            missed.add(question.text)
        shown = {hit.passage.document for hit in finding.hits}
        for followup in finding.followups:
            about = find(index, followup, None, 3)
            assert shown & {scored.unit.passage.document for scored in about.quoted}, (question.text, followup)
    assert len(answered) == 40
    assert missed <= MISSED


def test_an_unanswerable_question_is_told_so_and_gets_no_sources_and_no_follow_ups(index: Index) -> None:
    unanswered = [question.text for question in QUESTION_SET if not question.truth]
    assert len(unanswered) == 20
    for question in (*UNANSWERED, *unanswered):
        finding = find(index, question, None, 3)
        assert (finding.text, finding.hits, finding.followups) == (NO_ANSWER, (), ()), question


def test_a_follow_up_uses_the_question_before_unless_its_subject_is_new(index: Index) -> None:
    for before, question, source in FOLLOWED:
        finding = find(index, question, before, 3)
        assert (finding.hits[0].passage.id, bool(finding.query.previous_terms)) == (source, True), question
    for question, source in (
        ("When is payday?", "FAQ.html#payday"),
        ("How many days of parental leave are there?", "Leave_Policy.pdf#page=2"),
    ):
        finding = find(index, question, "Who pays for glasses?", 3)
        assert (finding.query.previous_terms, finding.hits[0].passage.id) == ((), source)


def test_returned_session_state_explains_a_short_question(demo: str) -> None:
    for path, key in (("/c/chat", "sessionState"), ("/b/chat", "session_state")):
        first = ask(demo + path, "What is the per diem in Norway?").objects[0]
        second = ask(demo + path, "And in Iceland?", **{key: first[key]}).objects[0]
        third = ask(demo + path, "And in Portugal?", **{key: second[key]}).objects[0]
        assert "| Iceland | 80 | 40 | 220 [" in second["message"]["content"]
        assert "| Portugal | 46 | 23 | 130 [" in third["message"]["content"]


def test_foreign_session_state_is_ignored(demo: str) -> None:
    for state in ("not ours", "bm90IGpzb24=", 17, {"a": 1}, "WzFd"):
        answer = ask(f"{demo}/chat", "When is payday?", sessionState=state).objects[0]
        assert "25th of each month" in answer["message"]["content"], state


def test_a_starter_begins_with_its_answer_and_the_last_has_none(index: Index) -> None:
    leave, plans, key, dog = (find(index, question, None, 3) for question in STARTER_QUESTIONS)
    assert "20 weeks of parental leave at full pay" in first_claim(leave.text)
    assert len(leave.hits) == 3
    *_, last = rows = first_claim(plans.text).split("\n")
    assert (len(rows), last.count(" | ")) == (11, 3)
    assert {row.count("[Health_Plans.pdf#page=1]") for row in rows[2:]} == {1}
    assert "extension 4499" in first_claim(key.text)
    assert {len(finding.followups) for finding in (leave, plans, key)} == {3}
    assert (dog.hits, dog.quoted, dog.followups) == ((), (), ())


def test_every_authors_question_is_answered_from_its_passage(index: Index) -> None:
    expected = [(section.question, passage.id) for passage in index.passages for section in passage.sections]
    for question, source in expected:
        if question:
            assert source in [hit.passage.id for hit in find(index, question, None, 3).hits], question
    long = ("a" * 200_000, " ".join(map(str, range(40_000))))
    for question in ('"', "AND OR NOT", "leave* NEAR(", "'; DROP TABLE passage; --", "🌊", *long):
        assert find(index, question, None, 3).text


def test_a_very_long_question_is_read_once_for_all_sentences(index: Index) -> None:
    question = "leave " * 50_000
    assert cost_of(lambda: find(index, question, None, 3)) < 10 * cost_of(lambda: make_query(question, None))
