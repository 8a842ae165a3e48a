"""Feedback as JSON Lines and CSV: its fields, its use in `evaluate`, and its safety in spreadsheets."""

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from chat_ui.conversations.records.feedback import DoubtedCitation, Feedback, Rating, Reason
from chat_ui.conversations.records.records import FeedbackEntry, GenerationRecord, Status
from chat_ui.features.evaluation.question_set import LONGEST, Question, parse_questions
from chat_ui.features.feedback.feedback_lines import COLUMNS, csv_head, csv_line, json_line
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.events import ErrorInfo, JsonObject

BACKEND = {"url": "https://me:pw@llm.example.com:8443/v1/chat?key=sk-1#x", "dialect": "auto", "name": "Handbook"}
POINTS = (DataPoint("1", "Buoys.pdf", "All are red."), DataPoint("Ropes.pdf", "Ropes.pdf", "Most are long."))
ANSWERED_AT, GIVEN_AT = "1970-01-01T00:00:00+00:00", "2025-11-24T16:00:00+00:00"
DOUBTED = (
    DoubtedCitation(0, "1", "Buoys are red.", data_point=0, comment="“Most”."),
    DoubtedCitation(3, "Gone.pdf", "They float.", data_point=None),
    DoubtedCitation(4, "Gone.pdf", "", data_point=9),
)
ANSWER = Answer(text="Buoys are red [1].", data_points=POINTS)


def given(
    question: str = "What colour are buoys?",
    answer: Answer | str = ANSWER,
    rating: Rating | None = Rating.GOOD,
    said_before: tuple[tuple[str, str], ...] = (),
    status: Status = Status.FINISHED,
    **feedback: Any,
) -> FeedbackEntry:
    answer = Answer(text=answer) if isinstance(answer, str) else answer
    overrides: JsonObject = {"top": 3, "who": "Zoë"}
    made = GenerationRecord("c.1", "c", "t", 1, status, answer, 0.0, 1.0, backend=BACKEND, overrides=overrides)
    return FeedbackEntry(Feedback(rating, given_at=1_764_000_000.75, **feedback), made, question, said_before)


def as_jsonl(all_given: Iterable[FeedbackEntry]) -> bytes:
    return "".join(map(json_line, all_given)).encode("utf-8", "replace")


def as_csv(all_given: Iterable[FeedbackEntry]) -> bytes:
    return (csv_head() + "".join(map(csv_line, all_given))).encode("utf-8", "replace")


def cells(data: bytes) -> list[dict[str, str]]:
    csv.field_size_limit(4 * LONGEST)
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def said(question: Question) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in question.messages]


def all_said(**more: Any) -> FeedbackEntry:
    reasons = (Reason.WRONG, Reason.TONE)
    return given(rating=Rating.BAD, reasons=reasons, comment="No.", doubted=DOUBTED, **more)


def test_a_line_has_everything_about_an_answer_and_no_name():
    line = json_line(all_said(said_before=(("Who?", "We."),)))
    assert line.endswith("}\n")
    messages = [("user", "Who?"), ("assistant", "We."), ("user", "What colour are buoys?")]
    assert json.loads(line) == {
        "question": "What colour are buoys?",
        "messages": [{"role": role, "content": content} for role, content in messages],
        "answer": "Buoys are red [1].",
        "status": "finished",
        "rating": "bad",
        "reasons": ["wrong", "tone"],
        "comment": "No.",
        "doubted": [
            {"use": 1, "label": "1", "claim": "Buoys are red.", "passage": "All are red.", "comment": "“Most”."},
            {"use": 4, "label": "Gone.pdf", "claim": "They float.", "comment": ""},
            {"use": 5, "label": "Gone.pdf", "claim": "", "comment": ""},
        ],
        "sources": [{"label": "1", "text": "All are red."}, {"label": "Ropes.pdf", "text": "Most are long."}],
        "backend": {"name": "Handbook", "url": "https://llm.example.com:8443/v1/chat", "dialect": "auto"},
        "options": {"top": 3, "who": "Zoë"},
        "answered_at": ANSWERED_AT,
        "given_at": GIVEN_AT,
    }


def test_a_spreadsheet_record_has_the_same_in_cells():
    data = as_csv([all_said()])
    assert data.startswith(b'\xef\xbb\xbf"question","truth","rating",')
    (row,) = cells(data)
    assert tuple(row) == COLUMNS
    assert row == {
        **dict.fromkeys(("truth", "recorded_at", "imported"), ""),
        "question": "What colour are buoys?",
        "rating": "bad",
        "reasons": "wrong, tone",
        "comment": "No.",
        "doubted": "[1] Buoys are red.: “Most”.\n[Gone.pdf] They float.\n[Gone.pdf]",
        "answer": "Buoys are red [1].",
        "sources": "1\nRopes.pdf",
        "backend": "Handbook",
        "options": '{"top": 3, "who": "Zoë"}',
        "answered_at": ANSWERED_AT,
        "given_at": GIVEN_AT,
    }


NASTY = {
    "lines and quotes": 'Who "pays",\nand;\twhy?\r\n\nReally?',
    "a BOM": "\ufeffWho\ufeff pays?",
    "line separators": "Who\u2028pays\u2029and\x85why?\x0b\x0c\x1c",
    "what is like NUL": "Who\N{REPLACEMENT CHARACTER}pays\N{SYMBOL FOR NULL}\\u0000 \\0?",
    "a lone surrogate": "Who\ud83d pays\udc4c?",
    "JSON": '{"question": "Who?"}',
    "a header": "question,truth",
    "told separator": "sep=;",
    "bidi": "\u202eWho\u202c \N{OK HAND SIGN} pays?",
}


def cleaned(text: str) -> str:
    """The text as a question: without control characters and half characters."""
    text = text.encode("utf-8", "replace").decode()
    return "".join(letter for letter in text if letter in "\t\n\x85" or letter >= " ").strip()


def test_evaluate_reads_each_question_and_truth_unchanged():
    for text in NASTY.values():
        everything = [
            given(text, text),
            given("Plain?", "Plain.", rating=Rating.BAD),
            given(text, text, said_before=((text, text),)),
        ]
        same = (cleaned(text), cleaned(text))
        for data, is_csv in ((as_jsonl(everything), False), (as_csv(everything), True), (as_csv(everything), False)):
            found = parse_questions(data, is_csv=is_csv).questions
            assert [(one.text.strip(), one.truth) for one in found] == [same, ("Plain?", ""), same]
        last = parse_questions(as_jsonl(everything)).questions[2]
        said_by = ["user", "assistant", "user"]
        assert [(role, words.strip()) for role, words in said(last)] == [(role, cleaned(text)) for role in said_by]


def test_only_a_good_answer_is_a_truth():
    failed = replace(ANSWER, error=ErrorInfo("It broke.", status=500))
    everything = [
        given(),
        given(rating=Rating.BAD),
        given(rating=None, doubted=(DoubtedCitation(0, "1", "Buoys are red."),)),
        given(answer=""),
        given(answer=replace(failed, text=""), status=Status.FAILED, rating=Rating.BAD),
        given(),
    ]
    for data in (as_jsonl(everything), as_csv(everything)):
        assert [one.truth for one in parse_questions(data).questions] == [ANSWER.text, "", "", "", "", ANSWER.text]
    told = [json.loads(line) for line in as_jsonl(everything).splitlines()]
    assert [one.get("error") for one in told] == [None, None, None, None, "It broke.", None]
    assert ["truth" in one for one in told] == [True, False, False, False, False, True]
    assert [one["status"] for one in told[3:5]] == ["finished", "failed"]


def test_turns_without_an_answer_are_left_out_of_the_history():
    before = (("One?", "First."), ("Two?", ""), ("Three?", " \n"), ("Four?", "Fourth."))
    (found,) = parse_questions(as_jsonl([given("Five?", said_before=before)])).questions
    assert [words for _, words in said(found)] == ["One?", "First.", "Four?", "Fourth.", "Five?"]
    assert "messages" not in json.loads(json_line(given(said_before=(("Two?", ""),))))


def test_a_long_history_is_cut_to_the_limit_of_evaluate():
    long = "a" * (LONGEST - 10)
    everything = [
        given("q" * (LONGEST + 5), "t" * (LONGEST + 1)),
        given("q" * LONGEST, "t" * LONGEST, said_before=(("Who?", "We."),)),
        given("Why?", said_before=(("Old?", "Old."), (long, "We."), ("New?", "N"))),
        given("Why?", said_before=(("Old?", "Old."), (long[:-5], "We."), ("New", "N"))),
    ]
    found = parse_questions(as_jsonl(everything)).questions
    assert [len(one.text) for one in found] == [LONGEST, LONGEST, 4, 4]
    assert [len(one.truth) for one in found] == [0, LONGEST, len(ANSWER.text), len(ANSWER.text)]
    assert [len(one.messages) for one in found] == [1, 1, 3, 5]
    assert [len(one.text) for one in parse_questions(as_csv(everything)).questions] == [LONGEST, LONGEST, 4, 4]
    (found,) = parse_questions(as_csv([given("=" * LONGEST, "+" * LONGEST)])).questions
    assert (len(found.text), found.text[:2], len(found.truth)) == (LONGEST, "'=", 0), "a spreadsheet would run it"
    assert len(json.loads(as_jsonl(everything).splitlines()[0])["answer"]) == LONGEST + 1


RUN = {
    '=HYPERLINK("http://x")': '\'=HYPERLINK("http://x")',
    **{f"{sign}1": f"'{sign}1" for sign in "+-@＝＋－＠"},
    **{f"{before}=1": f"{before}'=1" for before in ("\t", "\r", "\n", "a;", "a\t", "a\n")},
    'a; "=1': "a;' \"=1",
}


def test_no_cell_is_a_formula_for_any_separator():
    for cell, harmless in RUN.items():
        doubted = (DoubtedCitation(0, cell, cell),)
        answer = Answer(text=cell, data_points=(DataPoint(cell, cell, cell),))
        one = given(cell, answer, comment=cell, doubted=doubted)
        (row,) = cells(as_csv([one]))
        assert (row["question"], row["truth"], row["comment"], row["sources"]) == (harmless,) * 4
        for separator in ",;\t":
            for fields in csv.reader(io.StringIO(as_csv([one]).decode("utf-8-sig"), newline=""), delimiter=separator):
                assert [one for one in fields if one.lstrip(' "').startswith(tuple("=+-@＝＋－＠"))] == []
        (found,) = parse_questions(as_jsonl([one])).questions
        assert (found.text.strip(), found.truth) == (cleaned(cell), cleaned(cell))


def test_a_question_without_words_is_accepted():
    everything = [given(""), given(" \n"), given("\x07", said_before=(("Who?", "We."),)), given("Why?")]
    for data in (as_jsonl(everything), as_csv(everything)):
        assert [one.text for one in parse_questions(data).questions] == ["…", "…", "…", "Why?"]
