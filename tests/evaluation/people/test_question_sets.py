"""Files that people send and conversations of theirs, taken for sets of questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from chat_ui.conversations.records.answer_json import answer_to_json
from chat_ui.evaluation.people.person_runs import MOST_QUESTIONS, SENT, EvaluationError, KeptRun
from chat_ui.evaluation.people.question_sets import KeptTurn, take_file, take_turns
from chat_ui.evaluation.question_file import LONGEST, QuestionsError
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import StandIn, lines
from tests.conversations.keeping import ask, keeping
from tests.evaluation.made import REFUSED, by_question, saying
from tests.evaluation.people.made import below, runs_in, said, there, told

BOM = b"\xef\xbb\xbf"


def taken(folder: Path, data: bytes, name: str = "Set.jsonl", *, is_csv: bool = False) -> KeptRun:
    runs = runs_in(folder)
    run_id, place = runs.new("ann")
    (place / SENT).write_bytes(data)
    take_file(place, name, is_csv=is_csv)
    return there(runs, "ann", run_id)


def taken_turns(folder: Path, turns: Sequence[KeptTurn], name: str = "Talk") -> KeptRun:
    runs = runs_in(folder)
    run_id, place = runs.new("ann")
    take_turns(place, name, turns)
    return there(runs, "ann", run_id)


def answered(question: str, text: str, error: str = "") -> KeptTurn:
    """A turn as the store has it."""
    kept = answer_to_json(Answer(error=ErrorInfo(error) if error else None, complete=not error))
    return question, json.dumps(kept), text


TWO = [("Who pays?", "We [a.pdf]."), ("Why?", "")]


@pytest.mark.parametrize(
    ("data", "is_csv"),
    [
        (lines({"question": "Who pays?", "truth": "We [a.pdf]."}, {"question": "Why?", "truth": " "}), False),
        (BOM + b'{"question": "Who pays?", "truth": "We [a.pdf]."}\r\n\r\n{"question": "Why?"}\r\n', False),
        (b"question,truth\nWho pays?,We [a.pdf].\nWhy?,\n", False),
        (BOM + b'"truth";"question"\r\n"We [a.pdf].";"Who pays?"\r\n"";"Why?"\r\n', False),
        (b"sep=;\r\nQuestion;Truth\r\nWho pays?;We [a.pdf].\r\nWhy?;\r\n", True),
        (b"id\tquestion\ttruth\n1\tWho pays?\tWe [a.pdf].\n2\tWhy?\n", True),
    ],
)
def test_a_file_is_taken_however_its_questions_are_written(tmp_path: Path, data: bytes, is_csv: bool):
    kept = taken(tmp_path, data, is_csv=is_csv)
    assert told(kept) == TWO
    assert (kept.about.count, kept.about.with_truth) == (2, 1)


def test_a_field_between_quotation_marks_goes_over_lines(tmp_path: Path):
    data = b'question,truth\r\n"Who\r\npays, ""really""?","We\n[a.pdf]."\r\n'
    assert told(taken(tmp_path, data)) == [('Who\npays, "really"?', "We\n[a.pdf].")]


def test_questions_that_are_the_same_stay_questions_of_their_own(tmp_path: Path):
    kept = taken(tmp_path, lines(*[{"question": "Who?"}] * 2, {"question": "Who?", "truth": "We."}))
    assert told(kept) == [("Who?", ""), ("Who?", ""), ("Who?", "We.")]
    assert [one.number for one in kept.questions()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"question": "Who?"}\nWhy?\n', "Line 2 is not JSON."),
        (b'{"question": "Who?"}\n\n{"question": "Wh\\u0000y?"}\n', "Line 3 holds a NUL character."),
        (b"question\nWho?\nWh\0y?\n", "Line 3 holds a NUL character."),
        (b'question\n"Who\n\npays?"\n"Wh\0y?"\n', "Line 5 holds a NUL character."),
        (b"question,truth\nWho?,We.,And you.\n", "Line 2 has more fields"),
        (b"", "There is no question in it."),
        (b"PK\x03\x04", "This is not a text file."),
    ],
)
def test_what_is_no_question_is_named_by_its_line_and_nothing_is_found(tmp_path: Path, data: bytes, words: str):
    runs = runs_in(tmp_path)
    run_id, place = runs.new("ann")
    (place / SENT).write_bytes(data)
    with pytest.raises(QuestionsError) as refused:
        take_file(place, "Set.jsonl", is_csv=False)
    assert words in str(refused.value)
    assert runs.find("ann", run_id) is None
    assert below(place) == [SENT]


def test_a_name_is_short_and_on_one_line(tmp_path: Path):
    data = lines({"question": "Who?"})
    assert taken(tmp_path, data, " Größe \r\n\tof\x1b[2J \0it.jsonl ").about.name == "Größe of[2J it.jsonl"
    assert taken(tmp_path, data, "n" * 1_000).about.name == "n" * 120


def test_what_was_asked_in_a_conversation_goes_out_with_what_was_said_before(tmp_path: Path):
    turns = [
        answered("Who?", "We."),
        answered("Where?", "", "out of order"),
        answered("Why\x1b?", "Becau", "cut off"),
        ("When?", None, ""),
        answered("How?", "So."),
    ]
    kept = taken_turns(tmp_path, turns, "Who pays")
    whole = [
        ("user", "Who?"), ("assistant", "We."), ("user", "Where?"), ("user", "Why?"), ("assistant", "Becau"),
        ("user", "When?"), ("user", "How?"),
    ]  # fmt: skip
    assert said(kept) == [whole[:1], whole[:3], whole[:4], whole[:6], whole]
    assert (kept.about.name, kept.about.count, kept.about.with_truth) == ("Who pays", 5, 0)


@pytest.mark.parametrize("blank", ["", " \n\t", "\x00\x1b"])
def test_a_blank_question_is_left_out_with_its_answer(tmp_path: Path, blank: str):
    kept = taken_turns(tmp_path, [answered("Who?", "We."), answered(blank, "Ask me."), answered("Why?", "So.")])
    assert said(kept) == [[("user", "Who?")], [("user", "Who?"), ("assistant", "We."), ("user", "Why?")]]


@pytest.mark.parametrize("turns", [[], [answered(" ", "Ask me.")]])
def test_a_conversation_in_which_nothing_was_asked_is_none(tmp_path: Path, turns: list[KeptTurn]):
    with pytest.raises(EvaluationError, match="Nothing was asked"):
        taken_turns(tmp_path, turns)
    assert runs_in(tmp_path).all("ann") == []


LONG = "a" * (LONGEST // 10)


@pytest.mark.parametrize(
    "turns",
    [
        [answered("a" * (LONGEST + 1), "")],
        [answered("a" * (LONGEST - 1), ""), answered("aa", "")],
        [answered("Who?", "a" * LONGEST), answered("Why?", "So.")],
        [answered(LONG, "")] * 10,
    ],
    ids=["a long question", "long questions", "a long answer", "all that is sent"],
)
def test_a_conversation_that_is_too_long_is_refused_in_words(tmp_path: Path, turns: list[KeptTurn]):
    with pytest.raises(EvaluationError, match="This conversation is too long"):
        taken_turns(tmp_path, turns)
    assert runs_in(tmp_path).all("ann") == []


@pytest.mark.parametrize(
    "turns",
    [[answered("a" * LONGEST, "We.")], [answered("Who?", "a" * (LONGEST - 8)), answered("Why?", "a" * LONGEST)]],
    ids=["a long question", "a long answer"],
)
def test_a_conversation_may_be_as_long_as_one_question(tmp_path: Path, turns: list[KeptTurn]):
    kept = taken_turns(tmp_path, turns)
    assert len(kept.questions()) == len(turns)


def test_a_conversation_of_too_many_questions_is_refused_in_words(tmp_path: Path):
    with pytest.raises(EvaluationError, match="more than 1,000 questions"):
        taken_turns(tmp_path, [("?", None, "")] * (MOST_QUESTIONS + 1))


async def test_a_conversation_is_taken_as_its_person_sees_it(tmp_path: Path):
    replies = {"Who?": saying("We."), "Where?": REFUSED, "Why?": saying("So [plan.pdf#page=1].")}
    async with (
        StandIn(by_question(replies)).running() as stand_in,
        keeping(f"sqlite:///{tmp_path / 'chat.db'}") as conversations,
        Client() as client,
    ):
        talk = conversations.start("me")
        for question in replies:
            await ask(client, talk, stand_in, question).generation.wait_for_end()
        shown = await conversations.lists.shown("me", talk.id)
    assert shown is not None
    kept = taken_turns(tmp_path, shown[1])
    whole = [("user", "Who?"), ("assistant", "We."), ("user", "Where?"), ("user", "Why?")]
    assert said(kept) == [whole[:1], whole[:3], whole]


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a\u202elnosj.exe", "alnosj.exe"), (" \u200b ", "Questions"), ("", "Questions"), ("a\n b", "a b")],
)
def test_a_name_shows_its_letters_in_their_order_and_is_never_empty(tmp_path: Path, name: str, shown: str):
    (tmp_path / SENT).write_bytes(b'{"question": "Who?"}')
    take_file(tmp_path, name, is_csv=False)
    assert json.loads((tmp_path / "about.json").read_bytes())["name"] == shown


def test_a_question_counts_as_often_as_the_backend_is_asked_for_it(tmp_path: Path):
    asked = [{"role": "user", "content": "Who?"}] * (MOST_QUESTIONS + 1)
    answered = [{"role": role, "content": "So."} for _ in range(MOST_QUESTIONS + 1) for role in ("assistant", "user")]
    (tmp_path / SENT).write_bytes(json.dumps({"messages": answered}).encode())
    take_file(tmp_path, "Set", is_csv=False)
    (tmp_path / SENT).write_bytes(json.dumps({"messages": asked}).encode())
    with pytest.raises(EvaluationError, match="more than 1,000 questions"):
        take_file(tmp_path, "Set", is_csv=False)
