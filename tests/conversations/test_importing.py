import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from chat_ui.conversations.archive import archive as archive_module
from chat_ui.conversations.archive.archive import FORMAT, VERSION, transcript_pieces
from chat_ui.conversations.archive.importing import (
    MAX_PARTS,
    MOST_TOLD,
    Outcome,
    Refusal,
    prepare_import,
    read_batches,
    read_import,
)
from chat_ui.conversations.records.records import Status, Transcript
from chat_ui.conversations.store.conversation_list import MOST_PINNED
from chat_ui.conversations.store.rows import ROW_BYTES, Batch
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.events import AnswerWarning, ErrorInfo, SessionState, Timing
from tests.conversations.kept import ANSWER, conversation, generation, turn
from tests.growth import assert_in_proportion


@dataclass
class Taken:
    transcripts: tuple[Transcript, ...]
    refusals: tuple[Refusal, ...]


def taken(content: bytes, owner: str = "you") -> Taken:
    read = list(read_import(content, owner))
    return Taken(
        tuple(one for one in read if isinstance(one, Transcript)),
        tuple(one for one in read if isinstance(one, Refusal)),
    )


def transcript() -> Transcript:
    talk = conversation(title="Buoys", pinned=True)
    first = turn(talk, 1, chosen=2)
    second = turn(talk, 2, question="Why?", shown=False)
    edited = replace(second, id="another", question="Why, really?", shown=True)
    return Transcript(
        talk,
        (first, second, edited),
        (generation(first), generation(first, 2), generation(second), generation(edited, status=Status.RUNNING)),
    )


def entry_of(exported: Transcript) -> dict[str, object]:
    entry: dict[str, object] = json.loads("".join(transcript_pieces(exported)))
    return entry


def archive(*conversations: object, **head: object) -> bytes:
    return json.dumps({"format": FORMAT, "version": VERSION, "conversations": conversations, **head}).encode()


ONE_TURN = {"id": "a", "parent": None, "question": "Q?", "answers": [{"answer": {"text": "A."}}]}
RESPONSE = {
    "message": {"role": "assistant", "content": "Twenty weeks [Leave.pdf#page=2]."},
    "context": {"data_points": {"text": ["Leave.pdf#page=2: Parents get 20 weeks."]}, "followup_questions": ["More?"]},
    "session_state": "s-7",
}


def with_answer(answer: object) -> dict[str, object]:
    return {"turns": [{**ONE_TURN, "answers": [answer]}]}


def one_of(entry: object) -> Transcript:
    """The import of a file with only this conversation."""
    [back] = taken(archive(entry)).transcripts
    return back


def of_session(*answers: object, **told: object) -> Taken:
    """The import of a session from the demo's browser storage."""
    return taken(json.dumps([{"id": "s", **told, "answers": [*answers]}]).encode())


def test_an_export_comes_back_unchanged_with_new_ids():
    exported = transcript()
    read = taken(archive(entry_of(exported)))
    assert read.refusals == ()
    back = read.transcripts[0]
    assert back.conversation == replace(exported.conversation, id=back.conversation.id, owner="you")
    assert back.conversation.id != exported.conversation.id
    assert [(one.question, one.place, one.shown, one.chosen) for one in back.turns] == [
        ("What colour are buoys?", 1, True, 2),
        ("Why?", 2, False, 1),
        ("Why, really?", 2, True, 1),
    ]
    assert {one.parent for one in back.turns} == {None, back.turns[0].id}
    assert [one.answer for one in back.generations] == [ANSWER] * 4
    assert [one.status for one in back.generations] == [Status.FINISHED] * 3 + [Status.INTERRUPTED]
    assert back.generations[0].overrides == {"top": 3}


def test_parts_without_a_conversation_are_skipped():
    told = {"url": "https://handbook.example/chat", "dialect": "auto", "stream": True}
    elsewhere = {**told, "profile": "given:Handbook", "documents": "http://b/{source}"}
    assert one_of(with_answer({"answer": {"text": "A."}, "backend": elsewhere})).generations[0].backend == told
    deep: object = "end"
    for _ in range(500):
        deep = [deep]
    back = one_of(with_answer({"answer": {"text": "A.", "thoughts": [{"title": "T", "description": deep}]}}))
    assert "end" not in json.dumps(back.generations[0].answer.thoughts[0].description)
    assert len(taken(archive({**entry_of(transcript()), "mood": "fine"}, colour="red")).transcripts) == 1


NEITHER = "neither"
NO_JSON = "it is not JSON"
OF_NOBODY = {
    **dict.fromkeys((b"", b"\xff\xfe{", b"{}x", b"[]]", b'{"a": 1,}', b'{"a": 1 "b": 2}', b"{1: 2}"), NO_JSON),
    **dict.fromkeys((b'{"a" 1}', b"[{} {}]", b"[{},]", b'{"items": [{}'), NO_JSON),
    **{archive({"turns": [ONE_TURN]}, {"turns": [ONE_TURN]})[:-cut]: NO_JSON for cut in (1, 40, 80)},
    b"[" * 100_000: "",
    **dict.fromkeys((b"[]", b'"text"', b'{"a": 1}'), NEITHER),
    archive(version=99): "version 99",
    archive(version=None): "version None",
    json.dumps({"format": FORMAT, "version": VERSION, "conversations": "x"}).encode(): "not a list",
    archive(*[{}] * (MAX_PARTS + 1)): f"more than {MAX_PARTS:,}",
}


def test_a_foreign_file_is_refused_with_the_reason():
    for content, why in OF_NOBODY.items():
        read = taken(content)
        assert (read.transcripts, [one.where for one in read.refusals]) == ((), ["the file"]), content[:80]
        assert why in read.refusals[0].why


OTHER_SHAPES: list[tuple[object, str]] = [
    ("text", "not an object"),
    ({}, "0 turns"),
    ({"turns": "x"}, "“turns” is not a list"),
    ({"turns": [1]}, "not an object"),
    ({"turns": [{**ONE_TURN, "id": None}]}, "needs an “id”"),
    ({"turns": [ONE_TURN, ONE_TURN]}, "turn 2 needs an “id” that no other turn has"),
    ({"turns": [{**ONE_TURN, "parent": "b"}]}, "follows a turn that does not come before it"),
    ({"turns": [{**ONE_TURN, "question": " "}]}, "a question that is missing"),
    ({"turns": [{**ONE_TURN, "answers": []}]}, "no answer"),
    (with_answer({"status": "dreaming"}), "“status”"),
    ({"title": 3, "turns": [ONE_TURN]}, "“title” is not text"),
    ({"created_at": "now", "turns": [ONE_TURN]}, "“created_at” is not a number"),
]
ANSWERS_OF_OTHER_SHAPES: list[tuple[object, str]] = [
    ({"text": 3}, "“text” is not text"),
    ({"data_points": [3]}, "“data_points” contains a value that is not an object"),
    ({"data_points": [{"url": 1}]}, "“url” is not text"),
    ({"usage": []}, "“usage” is not an object"),
    ({"error": "x"}, "“error” is not an object"),
    ({"error": {"status": "x"}}, "“status” is not a number"),
    ({"error": {"retry_after": True}}, "“retry_after” is not a number"),
    ({"followup_questions": "x"}, "“followup_questions” is not a list"),
    ({"followup_questions": ["x", 1]}, "“followup_questions” contains a value that is not text"),
    ({"thoughts": ["x"]}, "“thoughts” contains a value that is not an object"),
    ({"thoughts": [{"props": "x"}]}, "“props” is not an object"),
    ({"timing": {"total": "x"}}, "“total” is not a number"),
]


def test_a_malformed_conversation_is_refused_and_the_others_are_taken():
    for entry, why in [*OTHER_SHAPES, *((with_answer({"answer": one}), why) for one, why in ANSWERS_OF_OTHER_SHAPES)]:
        read = taken(archive({"turns": [ONE_TURN]}, entry))
        assert len(read.transcripts) == 1
        assert read.refusals[0].where == "conversation 2"
        assert why in read.refusals[0].why


def test_missing_values_get_defaults():
    begun = time.time()
    back = one_of({"turns": [{**ONE_TURN, "answers": [{}, {"answer": {"complete": False}}]}]})
    talk, [asked], answers = back.conversation, back.turns, back.generations
    assert begun <= talk.created_at == talk.updated_at == asked.asked_at <= time.time()
    assert (talk.title, talk.renamed, talk.pinned, talk.owner) == ("Q?", False, False, "you")
    assert (asked.parent, asked.place, asked.shown, asked.chosen, asked.conversation) == (None, 1, True, 1, talk.id)
    assert [(one.number, one.status, one.started_at, one.ended_at) for one in answers] == [
        (1, Status.FINISHED, asked.asked_at, None),
        (2, Status.FINISHED, asked.asked_at, None),
    ]
    assert [(one.answer.complete, one.answer.text, one.backend, one.overrides) for one in answers] == [
        (True, "", {}, {}),
        (False, "", {}, {}),
    ]
    assert {one.turn for one in answers} == {asked.id}
    assert len({one.id for one in answers} | {asked.id}) == 3
    assert all(one.id.startswith(f"{talk.id}.") for one in answers)


def test_values_of_a_file_are_kept():
    answer = {"status": "stopped", "started_at": 0, "ended_at": 4.5, "overrides": {"top": 3}, "answer": {"text": "A."}}
    told = {**ONE_TURN, "asked_at": 0, "shown": True, "answers": [answer]}
    entry = {"title": "x" * 201, "created_at": 0, "updated_at": 2, "pinned": True, "renamed": True, "turns": [told]}
    back = one_of(entry)
    talk, [asked], [made] = back.conversation, back.turns, back.generations
    assert talk == replace(talk, title="x" * 200, created_at=0.0, updated_at=2.0, renamed=True, pinned=True)
    assert asked.asked_at == 0.0
    assert made == replace(made, status=Status.STOPPED, started_at=0.0, ended_at=4.5, overrides={"top": 3})


def test_the_visible_answer_exists():
    def chosen(told: float | None) -> int:
        return one_of({"turns": [{**ONE_TURN, "chosen": told, "answers": [{}, {}]}]}).turns[0].chosen

    shown = {None: 1, 0: 1, -4: 1, 1: 1, 2: 2, 2.9: 2, 3: 2, 99: 2}
    assert {told: chosen(told) for told in shown} == shown


def test_turns_follow_the_file_and_one_branch_is_shown():
    parents = {"a": None, "b": "a", "c": "a", "d": "b", "e": "c", "f": "c"}
    turns = [{**ONE_TURN, "id": one, "parent": of, "question": one, "shown": one != "b"} for one, of in parents.items()]
    back = one_of({"turns": turns}).turns
    by_id = {one.id: one.question for one in back}
    assert {one.question: by_id.get(one.parent or "") for one in back} == parents
    assert [(one.question, one.place) for one in back] == [("a", 1), ("b", 2), ("c", 2), ("d", 3), ("e", 3), ("f", 3)]
    assert [one.question for one in back if one.shown] == ["a", "c", "e"]
    for is_shown, shown in ((False, [False, True]), (True, [True, False])):
        turns = [{**ONE_TURN, "id": one, "question": one, "shown": is_shown} for one in ("a", "b")]
        assert [one.shown for one in one_of({"turns": turns}).turns] == shown


@pytest.mark.parametrize(
    ("bound", "most", "entry"),
    [
        ("MAX_TURNS", 2, lambda count: {"turns": [{**ONE_TURN, "id": str(at)} for at in range(count)]}),
        ("MAX_ANSWERS", 3, lambda count: {"turns": [ONE_TURN, {**ONE_TURN, "id": "b", "answers": [{}] * (count - 1)}]}),
        ("MAX_QUESTION", 4, lambda count: {"turns": [{**ONE_TURN, "question": "Q" * count}]}),
    ],
)
def test_a_conversation_is_taken_up_to_the_limits(
    monkeypatch: pytest.MonkeyPatch, bound: str, most: int, entry: Callable[[int], object]
):
    monkeypatch.setattr(archive_module, bound, most)
    assert len(taken(archive(entry(most))).transcripts) == 1
    assert taken(archive(entry(most + 1))).transcripts == ()


def test_missing_parts_of_an_answer_get_displayable_defaults():
    told = {
        "error": {"status": 429.0, "retry_after": 1e999},
        "data_points": [{}],
        "thoughts": [{}],
        "session_state": {"value": 7},
        "warnings": [{}],
        "timing": {"total": 2, "context": 10**400},
    }
    assert one_of(with_answer({"answer": told})).generations[0].answer == Answer(
        error=ErrorInfo("Something went wrong.", status=429),
        data_points=(DataPoint("", "", ""),),
        thoughts=(Thought("", None),),
        session_state=SessionState("session_state", 7),
        warnings=(AnswerWarning("", ""),),
        timing=Timing(total=2.0),
    )


def test_white_space_and_a_list_before_the_format_are_accepted():
    spaced = archive({"turns": [ONE_TURN]}, {"turns": [ONE_TURN]})
    reversed_file = json.dumps(dict(reversed(json.loads(spaced).items())), indent=1).encode()
    for mark in (b"{", b"}", b"[", b"]", b",", b":"):
        spaced = spaced.replace(mark, b" \n" + mark + b"\t ")
    for content in (b"\xef\xbb\xbf" + spaced, reversed_file):
        assert len(taken(content).transcripts) == 2
    assert taken(archive()) == Taken((), ())


def test_a_session_of_the_demos_browser_storage_is_read_turn_by_turn():
    begun = time.time()
    [back] = of_session(["One?", RESPONSE]).transcripts
    talk = back.conversation
    assert begun <= talk.created_at == talk.updated_at <= time.time()
    record = {"id": 7, "timestamp": 2_000, "answers": [["One?", RESPONSE], ["Two?", RESPONSE]]}
    [back] = taken(json.dumps({"history": [record]}).encode()).transcripts
    first, second = back.turns
    assert (back.conversation.title, back.conversation.created_at) == ("One?", 2.0)
    assert [(one.question, one.place, one.parent) for one in back.turns] == [("One?", 1, None), ("Two?", 2, first.id)]
    for asked, made in zip((first, second), back.generations, strict=True):
        assert (asked.shown, asked.chosen, asked.asked_at) == (True, 1, 2 + asked.place / 1_000)
        assert (made.turn, made.number, made.status) == (asked.id, 1, Status.FINISHED)
        assert made.started_at == made.ended_at == asked.asked_at
    read = of_session(["How long?", RESPONSE], title="Leave", timestamp=1700000000000)
    assert read.refusals == ()
    talk, answer = read.transcripts[0].conversation, read.transcripts[0].generations[0].answer
    assert (talk.title, talk.updated_at) == ("Leave", 1700000000.0)
    assert answer.text == "Twenty weeks [Leave.pdf#page=2]."
    assert answer.data_points[0].id == "Leave.pdf#page=2"
    assert answer.session_state.value == "s-7"
    assert answer.followup_questions == ("More?",)


def test_a_session_of_the_demos_database_is_read_and_other_lists_refused():
    items = [
        {"type": "message_pair", "session_id": "s1", "order": 1, "question": "Second?", "response": RESPONSE},
        {"type": "session", "id": "s1", "title": "Leave", "timestamp": 1700000000000},
        {"type": "message_pair", "session_id": "s1", "order": 0, "question": "First?", "response": RESPONSE},
        {"type": "message_pair", "session_id": "s2", "order": 0, "question": "Lone?", "response": {"error": "boom"}},
    ]
    read = taken(json.dumps(items).encode())
    assert read.refusals == ()
    assert [[one.question for one in back.turns] for back in read.transcripts] == [["First?", "Second?"], ["Lone?"]]
    assert read.transcripts[1].generations[0].status is Status.FAILED
    session = {"id": "s", "answers": [["Q?", RESPONSE]]}
    for other in ({"a": 1}, "text", {"type": "message_pair", "session_id": "s"}):
        for items in ([session, other], [other, session]):
            read = taken(json.dumps(items).encode())
            assert read.transcripts == ()
            assert "neither" in read.refusals[0].why


def test_responses_of_every_version_are_read():
    old, new = {"choices": [{"message": {"content": "Old"}}]}, {"output_text": "New shape"}
    [read] = of_session(*(["Q?", response] for response in ({}, new, old)), timestamp=1).transcripts
    assert [one.answer.text for one in read.generations] == ["", "New shape", "Old"]
    alone = json.dumps({"id": "s", "timestamp": 1, "answers": [["Q?", RESPONSE]]})
    assert len(taken(alone.encode()).transcripts) == 1


def test_a_malformed_or_too_long_session_is_refused(monkeypatch: pytest.MonkeyPatch):
    for answers in ([], "x", [["Q?"]], [["", RESPONSE]], [[1, RESPONSE]], [["Q?", 5]], None):
        read = taken(json.dumps({"id": "s", "timestamp": 1, "answers": answers}).encode())
        assert (read.transcripts, len(read.refusals)) == ((), 1), answers
    monkeypatch.setattr(archive_module, "MAX_TURNS", 2)
    for count in (1, 2, 3):
        read = of_session(*[["Q?", RESPONSE]] * count)
        assert len(read.transcripts) == (count <= 2)
    assert [one.why for one in read.refusals] == ["it has 3 turns; 1 to 2 can be read"]


@pytest.mark.thorough
def test_the_cost_of_a_chain_of_turns_grows_linearly():
    def chain(length: int) -> bytes:
        turns = [{**ONE_TURN, "id": str(at), "parent": str(at - 1) if at else None} for at in range(length)]
        return archive({"turns": turns})

    assert_in_proportion(taken, 1_000, made=chain)


def prepared(content: bytes, folder: Path, most_answer: int = 10_000_000) -> tuple[Outcome, list[Batch]]:
    source, target = folder / "file", folder / "batches"
    source.write_bytes(content)
    outcome = prepare_import(str(source), str(target), "you", most_answer)
    return outcome, list(read_batches(str(target)))


def test_batches_are_small_and_the_last_one_ends_the_import(tmp_path: Path):
    chain = [{**ONE_TURN, "id": str(at), "parent": str(at - 1) if at else None} for at in range(250)]
    outcome, batches = prepared(archive({"turns": chain}, {"turns": [ONE_TURN]}), tmp_path)
    assert outcome == Outcome(2, 0, (), outcome.size)
    assert outcome.size > 252 * len(ONE_TURN["question"])
    assert all(len(one.conversations) + len(one.turns) + len(one.generations) <= 100 for one in batches)
    marks = {row["deleted_at"] for one in batches for row in one.conversations}
    assert [one.ends for one in batches] == [*[None] * 5, ("you", *marks)]
    assert sum(len(one.generations) for one in batches) == 251
    turns = [{**ONE_TURN, "id": str(at), "question": "Q" * 200_000, "answers": [{}]} for at in range(6)]
    outcome, batches = prepared(archive({"turns": turns}), tmp_path)
    assert [len(one.turns) for one in batches] == [3, 3, 0], "they are large"
    rows = [row for one in batches for table in (one.conversations, one.turns, one.generations) for row in table]
    assert outcome.size == sum(row.get("size", ROW_BYTES) for row in rows)
    assert sum(len(one.generations) for one in batches) == 6


def test_an_answer_is_imported_up_to_the_limit_of_a_page(tmp_path: Path):
    for told, most, why in (
        ({"text": "long " * 1000}, 2000, "larger than 2,000 bytes"),
        ({"text": "A.", "data_points": [{}] * 60_000}, 10_000_000, "values"),
    ):
        outcome, _ = prepared(archive({"turns": [ONE_TURN]}, with_answer({"answer": told})), tmp_path, most)
        assert (outcome.imported, outcome.refused) == (1, 1)
        assert outcome.refusals[0].where == "conversation 2"
        assert why in outcome.refusals[0].why
    reasoning = 'Buoys, "red" [1] or \\ green: 浮標, ' * 40_000
    answer = {"text": "A.", "reasoning": reasoning}
    as_sent = len(json.dumps(answer, ensure_ascii=False).encode())
    outcome, _ = prepared(archive(with_answer({"answer": answer})), tmp_path, as_sent + 1_000)
    assert (outcome.imported, outcome.refused) == (1, 0)
    content = archive(with_answer({"answer": {"text": "å" * 1_000}}))
    beside = len(json.dumps({"complete": True}))
    for most, imported in ((2_000 + beside, 1), (2_000 + beside - 1, 0)):
        assert prepared(content, tmp_path, most)[0].imported == imported


def test_a_file_pins_at_most_a_hundred_and_reports_few_refusals(tmp_path: Path):
    _, batches = prepared(archive(*[{"pinned": True, "turns": [ONE_TURN]}] * (MOST_PINNED + 20)), tmp_path)
    assert sum(row["pinned"] for batch in batches for row in batch.conversations) == MOST_PINNED
    for refused in (MOST_TOLD, MOST_TOLD + 5):
        outcome, _ = prepared(archive(entry_of(transcript()), *({"turns": []} for _ in range(refused))), tmp_path)
        assert (outcome.imported, outcome.refused, len(outcome.refusals)) == (1, refused, MOST_TOLD)
        assert [one.where for one in outcome.refusals[:2]] == ["conversation 2", "conversation 3"]
