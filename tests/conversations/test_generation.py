"""Answers made in this process: their ends, their stored forms and their messages."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable

import pytest

from chat_ui.conversations.archive.archive import read_conversation
from chat_ui.conversations.generations.local import Asked, LocalGeneration
from chat_ui.conversations.generations.remote import LogEntry
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.answer_json import (
    answer_from_json,
    answer_to_json,
    complete_answer_to_json,
    said_json,
    text_of,
)
from chat_ui.conversations.records.records import Changes, Status
from chat_ui.conversations.store.store import Store
from chat_ui.errors import StoreUnavailableError
from chat_ui.languages.translation import speaking, translated
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.answers.placed_citation import MOST_CITATIONS, PlacedCitation
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.events import NO_END, AnswerWarning, ErrorInfo, Json
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import Translatable, msg, plural_msg
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation, generation, turn
from tests.conversations.repository import FOR_EVER, reached
from tests.languages.marked import MARKED
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT

CONTEXT = {"data_points": {"text": ["Buoys.pdf: All are red."]}, "followup_questions": ["And green?"]}
WHOLE = lines({"delta": {"content": "Red"}, "context": CONTEXT}, {"delta": {"content": " buoys"}})
NO_ROOM = ErrorInfo("There was no room for it.", code="no_room")


async def request() -> ChatRequest:
    return ChatRequest((Message("user", "What colour are all buoys?"),))


class Making:
    """An answer with the changes of its structure."""

    def __init__(self, url: str, prepare: Callable[[], Awaitable[ChatRequest]] = request) -> None:
        asked = Asked("me", "c", "t", 2, "What colour", {"top": 3, "api_key": "top-secret"})
        backend = Backend(url, headers={"api-key": "top-secret"})
        self.made = LocalGeneration("c.1", asked, backend, prepare, self._changed, attachments=Attachments())
        self.told: list[bool] = []
        self._is_over = asyncio.Event()

    def _changed(self) -> None:
        self.told.append(self.made.ended)
        if self.made.ended:
            self._is_over.set()

    async def to_its_end(self, client: AsyncClient) -> LocalGeneration:
        self.made.start(client)
        return await self.until_told_of_the_end()

    async def until_told_of_the_end(self) -> LocalGeneration:
        await asyncio.wait_for(self._is_over.wait(), TIMEOUT)
        return self.made


async def test_the_structure_is_announced_with_sources_and_at_the_end(client: AsyncClient):
    begun, gate = time.time(), asyncio.Event()
    async with StandIn(Reply([WHOLE, gate])).running() as backend:
        making = Making(f"{backend.url}/chat")
        made = making.made
        assert (made.ended, made.ended_at, made.received, made.head.sources) == (False, None, 0, 0)
        assert begun <= made.started_at <= time.time()
        made.start(client)
        await reached(made, "Red buoys")
        assert (made.head.sources, made.head.followups, made.head.characters) == (1, (), 0)
        assert made.head.revision == made.context_revision > 0
        assert making.told
        assert not any(making.told)
        gate.set()
        await making.until_told_of_the_end()
    assert making.told.count(True) == 1
    assert (made.status, made.head.followups, made.head.characters) == (Status.FINISHED, ("And green?",), 9)
    assert made.ended_at is not None
    assert made.started_at <= made.ended_at <= time.time()
    assert (made.question, made.number) == ("What colour are all buoys?", 2)
    assert [made.text_since(place)[0] for place in (0, 2, 3, 9)] == ["Red buoys", "d buoys", " buoys", ""]
    assert made.text_since(2)[1] == 9
    record = made.record
    assert (record.conversation, record.turn, record.number, record.status) == ("c", "t", 2, Status.FINISHED)
    assert (record.overrides["top"], record.answer) == (3, made.answer)
    assert "top-secret" not in repr(record)


async def test_text_counts_by_characters_and_other_parts_by_memory(client: AsyncClient):
    sizes = []
    for text, context in (("Red", {}), ("Red" * 1_001, {}), ("Red", CONTEXT)):
        async with StandIn(Reply([lines({"delta": {"content": text}, "context": context})])).running() as backend:
            made = await Making(f"{backend.url}/chat").to_its_end(client)
            sizes.append((made.received, made.size(10**9)))
    (small, held), (long, long_held), (sourced, sourced_held) = sizes
    assert long - small == 3_000
    assert 3_000 <= long_held - held <= 6_100
    assert sourced - small == sourced_held - held > size_of(("All are red.", "And green?"), 10**6)


@pytest.mark.parametrize(
    ("end", "status", "code"),
    [
        (LocalGeneration.stop, Status.STOPPED, None),
        (LocalGeneration.interrupt, Status.INTERRUPTED, None),
        (lambda made: made.break_off(NO_ROOM), Status.CUT_OFF, "no_room"),
    ],
    ids=["stop", "interrupt", "break off"],
)
@pytest.mark.parametrize("begun", [True, False])
async def test_an_interrupted_answer_keeps_its_beginning(
    client: AsyncClient,
    end: Callable[[LocalGeneration], Awaitable[None]],
    status: Status,
    code: str | None,
    begun: bool,
):
    async with StandIn(Reply([WHOLE, FOR_EVER])).running() as backend:
        making = Making(f"{backend.url}/chat")
        made = making.made
        made.start(client)
        if begun:
            await reached(made, "Red buoys")
        await end(made)
        assert (made.status, made.ended, made.prepared.is_set()) == (status, True, True)
        assert made.answer.text == ("Red buoys" if begun else "")
        if begun:
            assert (made.answer.error.code if made.answer.error else None) == code
        await making.until_told_of_the_end()
        for again in (made.stop, made.interrupt):
            await again()
            assert made.status is status
    assert making.told.count(True) == 1


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (StoreUnavailableError("it is away"), "store_unavailable", "cannot be read at the moment"),
        (ZeroDivisionError(), "internal", "the server's log"),
    ],
)
async def test_an_unpreparable_question_ends_with_a_message(
    client: AsyncClient, error: Exception, code: str, words: str
):
    async def prepare() -> ChatRequest:
        raise error

    making = Making("http://127.0.0.1:1/chat", prepare)
    await making.made.stop()
    assert not making.made.ended, "what was not begun is not stopped"
    made = await making.to_its_end(client)
    with pytest.raises(RuntimeError, match="starts once"):
        made.start(client)
    assert made.answer.error is not None
    assert (made.status, made.answer.error.code) == (Status.FAILED, code)
    assert words in made.answer.error.message
    assert made.prepared.is_set()
    assert made.question == "What colour"


async def test_a_missing_end_of_stream_is_warned_of_three_times_per_backend(client: AsyncClient):
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Red"}}]}
    there, unavailable = Reply([lines(chunk)]), Reply([b"{}"], status=404)
    async with StandIn(lambda got: there if got.path == "/v1/chat/completions" else unavailable).running() as backend:
        ends = [(await Making(f"{backend.url}/").to_its_end(client)).status for _ in range(4)]
    assert ends == [*[Status.CUT_OFF] * 3, Status.FINISHED]
    delta = b'data: {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Red"}\n\n'
    end = b'data: {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}\n\n'
    told: list[bool] = []
    replies = iter([delta] * 5 + [delta + end] + [delta] * 4)
    async with StandIn(lambda _: Reply([next(replies)])).running() as backend:
        for place in range(10):
            made = await Making(f"{backend.url}/agent").to_its_end(client)
            told.append(made.status is Status.CUT_OFF)
            assert made.answer.complete is not told[-1]
            assert (made.head.remark is not None) is told[-1]
            assert [one.code for one in made.answer.warnings] == ([] if place == 5 else [NO_END])
    assert told == [True, True, True, False, False, False, True, True, True, False]


BROKEN = msg("{problem} {advice}", problem=msg("It broke at {place}.", place="sea"), advice="Wait 5 s.")
WARNED = Answer(
    error=ErrorInfo(BROKEN, code="x", status=500),
    warnings=(
        AnswerWarning("cut_off", msg("nothing came within {seconds} s", seconds=2.5)),
        AnswerWarning("y", "plain"),
    ),
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


async def test_a_stored_answer_is_translated_except_in_the_log_and_exports(store: Store):
    talk = conversation()
    asked = turn(talk)
    made = generation(asked, answer=WARNED)
    await store.write(Changes((talk,), (asked,), (made,)))
    [kept] = (await store.transcript("me", talk.id)).generations
    assert kept.answer == WARNED
    logged = LogEntry.of(LogEntry(0, "", made).to_json().decode()).record
    value = {"turns": [{"id": "1", "question": "What?", "answers": [{"answer": answer_to_json(WARNED)}]}]}
    [exported] = read_conversation(json.loads(json.dumps(value)), "me").generations
    for again in (kept, logged, exported):
        assert said_of(again.answer) == SAID
    [head] = (await store.outline("me", talk.id)).heads[asked.id]
    with speaking(MARKED):
        assert translated(head.error.message) == SAID[0]


def test_stored_json_has_plain_text_in_old_and_new_answers():
    kept = answer_to_json(WARNED)
    assert type(kept["error"]["message"]) is str  # type: ignore[index,call-overload]
    assert "said" not in kept["warnings"][1]  # type: ignore[index,operator]
    answer = answer_from_json({"error": {"message": "It broke."}, "warnings": [{"code": "x", "detail": "d"}]})
    assert said_of(answer) == ["It broke.", "d"]


def test_messages_that_do_not_make_their_text_are_rejected():
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


def test_nested_messages_are_limited_to_their_text():
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


def test_a_count_is_read_back_and_a_long_text_stays_plain():
    text = plural_msg("{count} day", "{count} days", 1200)
    again = text_of(text, json.loads(json.dumps(said_json(text))))
    assert isinstance(again, Translatable)
    assert (again.plural, again.quantity, again) == ("{count} days", 1200, "1,200 days")
    assert said_json(msg("{a}", a="x" * 9000)) == {}
    assert said_json("plain") == {}


def test_reasoning_is_exported_as_a_thought_and_read_back_as_reasoning():
    for reasoning, thoughts in (("Twos?\n", ()), ("Twos?", (Thought("Query", "glasses"),)), ("", ()), (" ", ())):
        answer = Answer("One pair.", reasoning=reasoning, thoughts=thoughts)
        complete = complete_answer_to_json(answer)
        told = [("Reasoning", reasoning)] if reasoning.strip() else []
        assert [(one["title"], one["description"]) for one in complete.get("thoughts", [])] == [
            *((one.title, one.description) for one in thoughts),
            *told,
        ]
        assert answer_from_json(json.loads(json.dumps(complete))) == answer


def test_invalid_citations_are_dropped_and_old_answers_have_an_empty_list():
    places = [(2, 3), (0, 0), (-1, 4), (4, 3), ("1", 2), (True, 2), (None, None), (1, 10**30)]
    citations = [{"label": "plan.pdf", "start": start, "end": end} for start, end in places]
    told = {"text": "One pair.", "citations": [*citations, {"start": 1, "end": 1}, *citations * 1_000]}
    answer = answer_from_json(told)
    assert answer.citations[0] == PlacedCitation("plan.pdf", 0, 0)
    assert {(one.start, one.end) for one in answer.citations} == {(0, 0), (2, 3), (9, 9)}
    assert len(answer.citations) < MOST_CITATIONS
    assert answer_from_json({"text": "One pair [1]."}).citations == ()
