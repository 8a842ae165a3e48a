"""An answer that is made here: what is known of it while it grows, and how it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from chat_ui.conversations.generations.local import Asked, LocalGeneration
from chat_ui.conversations.records.records import Status
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.events import NO_END, ErrorInfo
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.keeping import FOR_EVER, reached
from tests.patience import PATIENCE

CONTEXT = {"data_points": {"text": ["Buoys.pdf: All are red."]}, "followup_questions": ["And green?"]}
WHOLE = lines({"delta": {"content": "Red"}, "context": CONTEXT}, {"delta": {"content": " buoys"}})
NO_ROOM = ErrorInfo("There was no room for it.", code="no_room")


async def request() -> ChatRequest:
    return ChatRequest((Message("user", "What colour are all buoys?"),))


async def unreadable() -> ChatRequest:
    raise StoreUnavailableError("it is away")


async def broken() -> ChatRequest:
    raise ZeroDivisionError


class Making:
    """An answer, and what was told of its structure."""

    def __init__(self, url: str, prepare: Callable[[], Awaitable[ChatRequest]] = request) -> None:
        asked = Asked("me", "c", "t", 2, "What colour", {"top": 3, "api_key": "top-secret"})
        backend = Backend(url, headers={"api-key": "top-secret"})
        self.made = LocalGeneration("c.1", asked, backend, prepare, self._changed)
        self.told: list[bool] = []
        self._is_over = asyncio.Event()

    def _changed(self) -> None:
        self.told.append(self.made.ended)
        if self.made.ended:
            self._is_over.set()

    async def to_its_end(self, client: Client) -> LocalGeneration:
        self.made.start(client)
        return await self.until_told_of_the_end()

    async def until_told_of_the_end(self) -> LocalGeneration:
        async with asyncio.timeout(PATIENCE):
            await self._is_over.wait()
        return self.made


async def test_the_structure_is_told_when_sources_come_and_once_it_has_ended(client: Client):
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


async def test_text_counts_as_its_characters_and_the_rest_as_it_is_in_memory(client: Client):
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
async def test_an_answer_is_ended_in_the_middle_with_what_came(
    client: Client, end: Callable[[LocalGeneration], Awaitable[None]], status: Status, code: str | None, begun: bool
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
    ("prepare", "code", "words"),
    [(unreadable, "store_unavailable", "cannot be read at the moment"), (broken, "internal", "the server's log")],
)
async def test_a_question_that_cannot_be_prepared_ends_in_words(
    client: Client, prepare: Callable[[], Awaitable[ChatRequest]], code: str, words: str
):
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


async def test_a_backend_that_never_sends_its_end_is_told_of_three_times_wherever_it_is_found(client: Client):
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Red"}}]}
    there, away = Reply([lines(chunk)]), Reply([b"{}"], status=404)
    async with StandIn(lambda got: there if got.path == "/v1/chat/completions" else away).running() as backend:
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
