"""What is kept in memory is bounded by bytes, and what is in use stays correct when its copy is dropped."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.generations.local import Asked, LocalGeneration
from chat_ui.conversations.generations.recent_exchanges import Inspections
from chat_ui.conversations.generations.workers import Notice, Workers
from chat_ui.conversations.in_memory import InMemory
from chat_ui.conversations.people.limits import Allowance, Limits
from chat_ui.conversations.records.records import AnswerHead, Outline, Status
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.profiles.credential import Tokens
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.kept import conversation, turn

BACKEND = Backend("http://127.0.0.1:1/chat")


def read_back(number: int, questions: list[str]) -> Conversation:
    """A conversation as it comes from the store."""
    record = conversation(number)
    turns = tuple(turn(record, place, question) for place, question in enumerate(questions, start=1))
    heads = {one.id: (AnswerHead(f"{one.id}.1", 1, Status.FINISHED, followups=("And then?",)),) for one in turns}
    found = Conversation("me", record=record)
    found.merge(Outline(record, turns, heads))
    return found


def test_large_conversations_make_room_sooner_than_small_ones():
    memory = InMemory(kept_bytes=1_000_000)
    for number in range(200):
        memory.keep(read_back(number, ["?"]))
    gc.collect()
    small = len(list(memory))
    for number in range(200, 400):
        memory.keep(read_back(number, ["?" * 20_000, "?" * 20_000]))
    gc.collect()
    assert small == 200
    assert len(list(memory)) < 30


def test_a_conversation_in_use_is_found_after_others_took_its_room():
    memory = InMemory(kept_bytes=100_000)
    used = read_back(1, ["What colour are buoys?"])
    memory.keep(used)
    for number in range(2, 100):
        memory.keep(read_back(number, ["?" * 20_000]))
    gc.collect()
    assert memory.find(used.id) is used
    assert len(list(memory)) < 10


def test_what_travelled_is_bounded_with_the_history_that_was_sent():
    inspections = Inspections(kept_bytes=20_000_000)
    short = ChatRequest((Message("user", "Who is there?"),))
    long = ChatRequest(tuple(Message("user", f"{number}" * 1_000_000) for number in range(4)))
    for number in range(10):
        inspections.begin(f"short{number}", BACKEND, short)
    assert all(inspections.get(f"short{number}") for number in range(10))
    for number in range(10):
        inspections.begin(f"long{number}", BACKEND, long)
    kept = [number for number in range(10) if inspections.get(f"long{number}")]
    assert kept == [6, 7, 8, 9]
    assert not any(inspections.get(f"short{number}") for number in range(10))


def test_long_tokens_make_room_sooner_than_short_ones():
    tokens = Tokens(kept_bytes=100_000)
    for number in range(50):
        tokens.keep(f"short{number}", "x" * 100)
    assert tokens.of("short0") == "x" * 100
    for number in range(50):
        tokens.keep(f"long{number}", "x" * 10_000)
    assert len([number for number in range(50) if tokens.of(f"long{number}")]) < 10
    assert tokens.of("long49")


def test_notices_that_wait_are_merged_but_for_those_that_have_to_be_told():
    workers = Workers(redis_at("redis://127.0.0.1:1/0"), lambda _: None, lambda: None)
    workers.tell(Notice(stop="talk.answer"))
    for number in range(50_000):
        workers.tell(Notice(conversation=f"talk {number}"))
    assert len(workers._unsent) <= 10_000
    assert {Notice(stop="talk.answer"), Notice(missed=True)} <= set(workers._unsent)


async def test_however_many_people_ask_the_count_of_what_they_asked_is_bounded():
    allowance = Allowance(Limits(), kept_bytes=100_000)
    for number in range(2_000):
        await allowance.take(f"person {number}")
    assert len(allowance._asked) < 100_000 / 300


async def test_the_values_of_an_answer_that_has_ended_are_not_counted_again():
    steps = [{"title": f"step {number}", "description": [{"found": number}] * 5} for number in range(3_000)]
    content = lines({"delta": {"content": "Red."}, "context": {"thoughts": steps}})
    request = ChatRequest((Message("user", "What colour are buoys?"),))

    async def prepare() -> ChatRequest:
        return request

    def cost(function: Callable[[], int]) -> float:
        began = time.process_time()
        assert function() > 1_000_000
        return time.process_time() - began

    async with StandIn(Reply([content])).running() as backend, Client() as client:
        asked = Asked("me", "c", "t", 1, "What colour are buoys?", {})
        made = LocalGeneration("c.1", asked, Backend(f"{backend.url}/chat"), prepare, lambda: None)
        made.start(client)
        await made.wait_for_end()
    counting = min(cost(lambda: size_of((made.answer,), 10**9)) for _ in range(5))
    assert min(cost(lambda: made.size(10**9)) for _ in range(5)) < counting / 10
