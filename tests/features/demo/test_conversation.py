from chat_ui.features.demo.answering import STARTER_QUESTIONS, find
from chat_ui.features.demo.retrieval import Index
from tests.features.demo.asking import ask
from tests.features.demo.questions import ANSWERED, FOLLOWED, UNANSWERED

QUOTED = {
    "What is the Airspeed of an unladen swallow?": "“What is the Airspeed of an unladen swallow?”",
    "Show me a cut streamShow me a rate limit": "“Show me a cut streamShow me a rate limit”",
    "zebras\n and  unicorns": "“zebras and unicorns”",
    "zebra" * 100: "zebr…”",
}


def test_the_right_passage_is_cited_among_the_first_three(index: Index) -> None:
    first = 0
    for question, source in ANSWERED:
        finding = find(index, question, None, 3)
        sources = [hit.passage.id for hit in finding.hits]
        assert source in sources, question
        assert f"[{source}]" in finding.text, question
        first += sources[0] == source
    assert first >= 0.9 * len(ANSWERED)


def test_an_unanswerable_question_is_told_so_and_cites_nothing(index: Index) -> None:
    for question, quoted in {**dict.fromkeys(UNANSWERED), **QUOTED}.items():
        finding = find(index, question, None, 3)
        assert finding.text.startswith("I found nothing about"), question
        assert (quoted or question) in finding.text
        assert ("[" in finding.text, finding.hits, len(finding.followups)) == (False, (), 3), question


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
        assert "| Iceland | 80 | 40 | 220 |" in second["message"]["content"]
        assert "| Portugal | 46 | 23 | 130 |" in third["message"]["content"]


def test_foreign_session_state_is_ignored(demo: str) -> None:
    for state in ("not ours", "bm90IGpzb24=", 17, {"a": 1}, "WzFd"):
        answer = ask(f"{demo}/chat", "When is payday?", sessionState=state).objects[0]
        assert "25th of each month" in answer["message"]["content"], state


def test_a_starter_question_shows_two_or_three_sources_and_follow_ups(index: Index) -> None:
    assert len(STARTER_QUESTIONS) == 4
    for question in STARTER_QUESTIONS:
        for top in (3, 5):
            quoted = {scored.unit.passage.id for scored in find(index, question, None, top).quoted}
            assert 2 <= len(quoted) <= 3, question
        for followup in find(index, question, None, 3).followups:
            finding = find(index, followup, question, 3)
            assert finding.hits, followup
            assert finding.followups, followup


def test_every_authors_question_is_answered_from_its_passage(index: Index) -> None:
    expected = [(section.question, passage.id) for passage in index.passages for section in passage.sections]
    for question, source in expected:
        if question:
            assert source in [hit.passage.id for hit in find(index, question, None, 3).hits], question
    long = ("a" * 200_000, " ".join(map(str, range(40_000))))
    for question in ('"', "AND OR NOT", "leave* NEAR(", "'; DROP TABLE passage; --", "🌊", *long):
        assert find(index, question, None, 3).text
