"""What a kept answer tells is said in the language of who reads it, and nothing is believed of what others made."""

from __future__ import annotations

import json

from chat_ui.conversations.archive.archive import read_conversation
from chat_ui.conversations.generations.remote import LogEntry
from chat_ui.conversations.records.answer_json import (
    answer_from_json,
    answer_to_json,
    said_json,
    text_of,
    whole_answer_to_json,
)
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store.store import Store
from chat_ui.languages.translation import speaking, translated
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.answers.placed_citation import MOST_CITATIONS, PlacedCitation
from chat_ui.protocol.events import ErrorInfo, Json, Warning  # noqa: A004
from chat_ui.protocol.translatable import Translatable, msg, plural_msg
from tests.conversations.kept import conversation, generation, turn
from tests.languages.marked import MARKED

BROKEN = msg("{problem} {advice}", problem=msg("It broke at {place}.", place="sea"), advice="Wait 5 s.")
TOLD = Answer(
    error=ErrorInfo(BROKEN, code="x", status=500),
    warnings=(Warning("cut_off", msg("nothing came within {seconds} s", seconds=2.5)), Warning("y", "plain")),
    data_points=(DataPoint("3", msg("Source {number}", number=3), "A."), DataPoint("a.pdf", "a.pdf", names=("1",))),
    thoughts=(Thought(msg("Step {number}", number=1), "Look."),),
)
"""An answer with a text of each kind that is kept."""
SAID = ["««It broke at sea.» Wait 5 s.»", "«nothing came within 2.5 s»", "plain", "«Source 3»", "a.pdf", "«Step 1»"]


def said_of(answer: Answer) -> list[str]:
    texts = [warning.detail for warning in answer.warnings]
    texts += [point.source for point in answer.data_points] + [thought.title for thought in answer.thoughts]
    with speaking(MARKED):
        return [translated(text) for text in (answer.error.message, *texts)]


async def test_a_kept_answer_is_said_in_another_language_as_it_is_in_the_log_and_in_an_export(store: Store):
    talk = conversation()
    asked = turn(talk)
    made = generation(asked, answer=TOLD)
    await store.write(Changes((talk,), (asked,), (made,)))
    [kept] = (await store.transcript("me", talk.id)).generations
    assert kept.answer == TOLD
    logged = LogEntry.of(LogEntry(0, "", made).to_json().decode()).record
    value = {"turns": [{"id": "1", "question": "What?", "answers": [{"answer": answer_to_json(TOLD)}]}]}
    [exported] = read_conversation(json.loads(json.dumps(value)), "me").generations
    for again in (kept, logged, exported):
        assert said_of(again.answer) == SAID
    [head] = (await store.outline("me", talk.id)).heads[asked.id]
    with speaking(MARKED):
        assert translated(head.error.message) == SAID[0]


def test_json_holds_plain_text_and_so_does_an_answer_that_was_kept_before():
    kept = answer_to_json(TOLD)
    assert type(kept["error"]["message"]) is str  # type: ignore[index,call-overload]
    assert "said" not in kept["warnings"][1]  # type: ignore[index,operator]
    answer = answer_from_json({"error": {"message": "It broke."}, "warnings": [{"code": "x", "detail": "d"}]})
    assert said_of(answer) == ["It broke.", "d"]


def test_what_does_not_make_the_text_is_not_believed():
    deep: Json = {"message": "A."}
    for _ in range(50):
        deep = {"message": "{a}", "values": {"a": deep}}
    no_values = (None, True, ["x"], 1e300, 10**400, float("nan"), "longer than the text")
    unbelieved: list[Json] = [
        *(None, "A.", [], {}, {"message": 3}, {"message": "B."}, deep),
        {"message": "A.", "values": []},
        {"message": "A.", "values": {"n" * 41: "x"}},
        {"message": "A.", "values": {str(number): "x" for number in range(17)}},
        *({"message": "A.", "values": {"a": value}} for value in no_values),
        {"message": "A.", "quantity": 10**400},
        {"message": "A.", "plural": 1},
        {"message": "A.", "quantity": "1"},
        {"message": "A." + "{a}" * 3000, "values": {"a": ""}},
        {"message": "{a}" * 2000, "values": {"a": "A."}},
    ]
    for said in unbelieved:
        found = text_of("A.", said)
        assert (found, isinstance(found, Translatable)) == ("A.", False), said


def test_what_messages_make_is_no_more_than_stands_in_each_other():
    part: Json = {"message": "{a}" * 400, "values": {"a": "x" * 20}}
    text = "x" * 8000
    assert isinstance(text_of(text, part), Translatable)
    many: Json = {"message": "{a}", "values": {chr(97 + place): part for place in range(16)}}
    assert isinstance(text_of(text, many), Translatable)
    most: Json = {"message": "{a}", "values": {chr(97 + place): many for place in range(16)}}
    assert not isinstance(text_of(text, most), Translatable)
    wide: Json = {"message": "{a}", "values": {"a": ""}}
    for _ in range(3):
        wide = {"message": "{a}", "values": {chr(97 + place): wide for place in range(16)}}
    assert not isinstance(text_of("", wide), Translatable)


def test_a_count_is_read_back_and_a_text_that_is_too_long_is_kept_plain():
    text = plural_msg("{count} day", "{count} days", 1200)
    again = text_of(text, json.loads(json.dumps(said_json(text))))
    assert isinstance(again, Translatable)
    assert (again.plural, again.quantity, again) == ("{count} days", 1200, "1,200 days")
    assert said_json(msg("{a}", a="x" * 9000)) == {}
    assert said_json("plain") == {}


def test_reasoning_is_among_the_thoughts_of_a_file_and_comes_back_as_reasoning():
    for reasoning, thoughts in (("Twos?\n", ()), ("Twos?", (Thought("Query", "glasses"),)), ("", ()), (" ", ())):
        answer = Answer("One pair.", reasoning=reasoning, thoughts=thoughts)
        whole = whole_answer_to_json(answer)
        told = [("Reasoning", reasoning)] if reasoning.strip() else []
        assert [(one["title"], one["description"]) for one in whole.get("thoughts", [])] == [
            *((one.title, one.description) for one in thoughts),
            *told,
        ]
        assert answer_from_json(json.loads(json.dumps(whole))) == answer


def test_citations_that_cannot_be_are_left_out_and_those_of_older_answers_are_none():
    places = [(2, 3), (0, 0), (-1, 4), (4, 3), ("1", 2), (True, 2), (None, None), (1, 10**30)]
    citations = [{"label": "plan.pdf", "start": start, "end": end} for start, end in places]
    told = {"text": "One pair.", "citations": [*citations, {"start": 1, "end": 1}, *citations * 1_000]}
    answer = answer_from_json(told)
    assert answer.citations[0] == PlacedCitation("plan.pdf", 0, 0)
    assert {(one.start, one.end) for one in answer.citations} == {(0, 0), (2, 3), (9, 9)}
    assert len(answer.citations) < MOST_CITATIONS
    assert answer_from_json({"text": "One pair [1]."}).citations == ()
