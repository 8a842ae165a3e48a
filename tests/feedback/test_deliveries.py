"""Feedback by webhook: what is posted, how it is signed, and what becomes of it while the receiver is away."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.feedback import DoubtedCitation, Feedback, Rating, Reason
from chat_ui.conversations.records.records import Transcript
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database
from chat_ui.feedback.deliveries import LONGEST_SILENCE, LONGEST_WAIT, Clock, Deliveries
from chat_ui.feedback.feedback_lines import json_object
from chat_ui.feedback.webhook_signature import signature, signing_key
from chat_ui.protocol.transport.guard import AddressRefusedError, guard_for
from chat_ui.protocol.transport.outgoing import outgoing
from chat_ui.server.services import build
from chat_ui.settings import Settings, UnusableSettingsError
from tests.app import ROOT, free_port
from tests.backends.stand_in import Received, Reply, StandIn
from tests.conversations.keeping import keeping
from tests.conversations.kept import conversation, generation, rated, take_in, turn
from tests.patience import PATIENCE
from tests.test_documentation import blocks

SECRET = "a secret of some length"
TALK = conversation()
ASKED = turn(TALK)
ANSWER, SECOND = (generation(ASKED, number).id for number in (1, 2))
TAKEN = Reply(status=204, headers={})
GONE = Reply(end="rst", before_headers=True)


class TurnedClock(Clock):
    """A clock that stands still until the test turns it on; pauses end when it is turned past them."""

    def __init__(self) -> None:
        self._now = time.time()
        self._turned = asyncio.Event()
        self._resting = asyncio.Event()

    def now(self) -> float:
        return self._now

    async def pause(self, seconds: float, until: asyncio.Event) -> None:
        end = self.now() + seconds
        while self.now() < end and not until.is_set():
            self._resting.set()
            waiting = [asyncio.ensure_future(event.wait()) for event in (self._turned, until)]
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in waiting:
                    one.cancel()
        self._resting.clear()

    async def at_rest(self) -> None:
        """Return once there is nothing to do until later."""
        async with asyncio.timeout(PATIENCE):
            await self._resting.wait()

    async def turn(self, seconds: float) -> None:
        """Go on by so many seconds, and return once what is due then is done."""
        await self.at_rest()
        self._now += seconds
        self._resting.clear()
        turned, self._turned = self._turned, asyncio.Event()
        turned.set()
        await self.at_rest()


@dataclass
class Kept:
    """Conversations with an answer of mine, and their deliveries."""

    conversations: Conversations
    clock: TurnedClock
    deliveries: Deliveries

    async def change(self, change: Callable[[Feedback], Feedback], answer: str = ANSWER) -> Feedback:
        changed = await self.conversations.feedback.change("me", answer, change)
        assert changed is not None
        return changed

    async def rate(self, rating: Rating | None, *reasons: Reason, comment: str = "", answer: str = ANSWER) -> Feedback:
        return await self.change(lambda one: rated(one, rating, *reasons, comment=comment), answer)

    async def waiting(self) -> list[Any]:
        """The rows that are not delivered yet."""
        async with self.database.reading() as connection:
            due = select(schema.feedback_delivery).where(schema.feedback_delivery.c.due_at.is_not(None))
            return list((await connection.execute(due)).all())

    async def rows(self) -> int:
        """How many answers the receiver is, or has to be, told of."""
        async with self.database.reading() as connection:
            return await connection.scalar(select(func.count()).select_from(schema.feedback_delivery)) or 0

    @property
    def database(self) -> Database:
        return self.conversations.feedback.stored._database


@asynccontextmanager
async def delivering(file: Path, url: str, *, answers: int = 1) -> AsyncIterator[Kept]:
    """Deliver what is in this file, with so many new answers to one question."""
    async with keeping(f"sqlite:///{file}") as conversations:
        if answers:
            generations = tuple(generation(ASKED, number) for number in range(1, answers + 1))
            await take_in(conversations, "me", [Transcript(TALK, (ASKED,), generations)])
        clock = TurnedClock()
        client = outgoing(guard_for("public", [url]), timeout=httpx.Timeout(PATIENCE))
        deliveries = Deliveries(conversations.feedback, client, url, SECRET, clock=clock)
        deliveries.begin()
        try:
            yield Kept(conversations, clock, deliveries)
        finally:
            await deliveries.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "chat.db"


async def reachable(port: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return


@asynccontextmanager
async def receiver(*replies: Reply) -> AsyncIterator[StandIn]:
    """A receiver that gives these replies one after another, and the last of them for good."""
    left = list(replies)
    async with StandIn(lambda _: left.pop(0) if len(left) > 1 else left[0]).running() as running:
        yield running


def is_signed(request: Received, key: bytes = SECRET.encode()) -> bool:
    """Whether the signature is right, worked out by the words of the specification."""
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.{request.body.decode()}"
    version, _, shown = request.headers["webhook-signature"].partition(",")
    return version == "v1" and base64.b64decode(shown) == hmac.new(key, signed.encode(), hashlib.sha256).digest()


def test_the_signature_is_that_of_the_specifications_example():
    key = signing_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    made = signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("secret", ["whsec_no base64 at all", "whsec_c2hvcnQ=", "whsec_", "whsec_ünïcödé-ünïcödé-ü"])
def test_a_secret_that_begins_as_base64_and_is_none_is_refused_without_being_told(secret: str):
    with pytest.raises(ValueError, match="base64 of 16 bytes") as refused:
        signing_key(secret)
    assert secret.removeprefix("whsec_")[:5] not in str(refused.value) or secret == "whsec_"


async def test_what_is_given_is_posted_as_a_line_with_the_answers_id_and_signed(file: Path):
    async with receiver(TAKEN) as to, delivering(file, f"{to.url}/hook?x=1") as kept:
        await kept.rate(Rating.BAD, Reason.WRONG, comment="Ünïcode \N{OK HAND SIGN}")
        await kept.change(lambda one: one.doubting(DoubtedCitation(0, "Buoys.pdf", "Buoys are red.", 0)))
        await kept.clock.turn(3)
        (request,) = to.requests
        given = await kept.conversations.feedback.stored.given_for(ANSWER)
        assert given is not None
        assert request.path == "/hook?x=1"
        assert request.headers["content-type"] == "application/json"
        assert is_signed(request)
        assert int(request.headers["webhook-timestamp"]) == int(kept.clock.now())
        assert request.json["type"] == "feedback.given"
        assert request.json["data"] == {"answer_id": ANSWER, **json_object(given)}
        assert "me" not in request.json["data"].values()
        assert await kept.waiting() == []


async def test_changes_that_follow_each_other_are_one_delivery_of_the_newest_state(file: Path):
    async with receiver(TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.GOOD)
        await kept.clock.turn(1)
        await kept.rate(Rating.BAD, Reason.TONE)
        assert to.requests == []
        await kept.clock.turn(3)
        (request,) = to.requests
        assert (request.json["data"]["rating"], request.json["data"]["reasons"]) == ("bad", ["tone"])
        await kept.clock.turn(LONGEST_WAIT)
        assert len(to.requests) == 1


async def test_what_is_taken_back_is_told_without_what_it_was(file: Path):
    async with receiver(TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.GOOD, comment="private words")
        await kept.clock.turn(3)
        await kept.rate(None)
        await kept.clock.turn(3)
        given, taken_back = to.requests
        assert taken_back.json.keys() == {"type", "timestamp", "data"}
        assert (taken_back.json["type"], taken_back.json["data"]) == ("feedback.taken_back", {"answer_id": ANSWER})
        assert taken_back.headers["webhook-id"] != given.headers["webhook-id"]
        assert taken_back.json["timestamp"] > given.json["timestamp"]


async def test_a_conversation_that_is_deleted_meanwhile_is_told_as_taken_back(file: Path):
    async with receiver(GONE, TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.BAD, comment="private words")
        await kept.clock.turn(3)
        await kept.conversations.lists.delete("me", TALK.id)
        await kept.clock.turn(10)
        before, after = to.requests
        assert after.json["data"] == {"answer_id": ANSWER}
        assert after.headers["webhook-id"] != before.headers["webhook-id"]
        assert await kept.conversations.lists.restore("me", TALK.id)
        await kept.rate(Rating.GOOD)
        await kept.clock.turn(3)
        assert to.requests[-1].json["data"]["rating"] == "good"


async def test_what_was_delivered_is_taken_back_with_its_conversation_and_given_again_with_it(file: Path):
    async with receiver(TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.BAD, comment="private words")
        await kept.clock.turn(3)
        await kept.conversations.lists.delete("me", TALK.id)
        await kept.clock.turn(61)
        assert [one.json["type"] for one in to.requests] == ["feedback.given", "feedback.taken_back"]
        assert await kept.conversations.lists.restore("me", TALK.id)
        await kept.clock.turn(61)
        assert to.requests[-1].json["data"]["comment"] == "private words"
        assert len({one.headers["webhook-id"] for one in to.requests}) == 3
        await kept.conversations.lists.delete_all("me")
        await kept.clock.turn(61)
        assert to.requests[-1].json["type"] == "feedback.taken_back"
        assert to.requests[-1].json["data"] == {"answer_id": ANSWER}
        await kept.clock.turn(61)
        assert len(to.requests) == 4
        assert await kept.rows() == 0


async def test_a_change_while_no_address_was_named_is_made_up_for_where_the_receiver_has_what_was_before(file: Path):
    async with receiver(TAKEN) as to:
        async with delivering(file, to.url, answers=2) as kept:
            await kept.rate(Rating.BAD, comment="outdated words")
            await kept.clock.turn(3)
        async with keeping(f"sqlite:///{file}") as conversations:
            for answer in (ANSWER, SECOND):
                await conversations.feedback.change("me", answer, lambda one: one.rated(Rating.GOOD))
        async with delivering(file, to.url, answers=0) as kept:
            await kept.clock.at_rest()
            assert [(one.json["data"]["answer_id"], one.json["data"]["rating"]) for one in to.requests] == [
                (ANSWER, "bad"),
                (ANSWER, "good"),
            ]
            await kept.clock.turn(61)
            assert len(to.requests) == 2


async def test_a_change_without_an_address_of_what_waits_to_be_delivered_has_an_id_of_its_own(file: Path):
    async with receiver(GONE, TAKEN) as to:
        async with delivering(file, to.url) as kept:
            await kept.rate(Rating.BAD)
            await kept.clock.turn(3)
        async with keeping(f"sqlite:///{file}") as conversations:
            await conversations.feedback.change("me", ANSWER, lambda one: one.rated(Rating.GOOD))
        async with delivering(file, to.url, answers=0) as kept:
            await kept.clock.turn(61)
        assert [one.json["data"]["rating"] for one in to.requests] == ["bad", "good"]
        assert len({one.headers["webhook-id"] for one in to.requests}) == 2


async def test_what_comes_with_an_import_is_not_delivered_until_it_changes(file: Path):
    async with receiver(TAKEN) as to, delivering(file, to.url, answers=0) as kept:
        generations = tuple(replace(generation(ASKED, number), is_imported=True) for number in (1, 2))
        said = {ANSWER: rated(Feedback(given_at=1.0), Rating.BAD, comment="Of the file.")}
        await take_in(kept.conversations, "me", [Transcript(TALK, (ASKED,), generations, said)])
        await kept.clock.turn(61)
        assert to.requests == []
        await kept.change(lambda one: one.because(Reason.TONE))
        await kept.clock.turn(3)
        [request] = to.requests
        assert (request.json["data"]["comment"], request.json["data"]["imported"]) == ("Of the file.", True)


async def test_what_was_taken_back_while_the_receiver_was_away_is_told_though_its_conversation_is_gone(file: Path):
    async with receiver(TAKEN, GONE, TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.BAD, comment="private words")
        await kept.clock.turn(3)
        await kept.rate(None)
        await kept.clock.turn(3)
        assert await kept.conversations.lists.delete_all("me") == 1
        await kept.clock.turn(61)
        assert [one.json["type"] for one in to.requests] == ["feedback.given", *["feedback.taken_back"] * 2]


async def test_a_receiver_that_is_down_for_a_day_gets_the_newest_state_once(file: Path):
    async with receiver(*[GONE] * 30, TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.BAD, comment="first")
        for hour in range(24):
            await kept.clock.turn(LONGEST_WAIT)
            if hour == 12:
                await kept.rate(Rating.BAD, comment="second")
        assert 24 <= len(to.requests) <= 30
        (row,) = await kept.waiting()
        assert row.tries > 5
        while await kept.waiting():
            await kept.clock.turn(LONGEST_WAIT)
        assert to.requests[-1].json["data"]["comment"] == "second"
        taken = len(to.requests)
        await kept.clock.turn(LONGEST_WAIT)
        assert len(to.requests) == taken


async def test_each_try_of_a_change_has_the_same_id_and_its_own_time(file: Path):
    async with receiver(Reply(status=500), TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.GOOD)
        await kept.clock.turn(3)
        await kept.clock.turn(4)
        assert len(to.requests) == 1
        await kept.clock.turn(2)
        first, second = to.requests
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert first.body == second.body
        assert int(second.headers["webhook-timestamp"]) > int(first.headers["webhook-timestamp"])
        assert is_signed(first)
        assert is_signed(second)


async def test_what_is_left_is_delivered_after_a_restart(file: Path):
    async with receiver(TAKEN) as to:
        async with delivering(file, f"{to.url}/") as kept:
            await kept.rate(Rating.GOOD)
        assert to.requests == []
        async with delivering(file, f"{to.url}/", answers=0) as kept:
            await kept.clock.turn(3)
            assert to.requests[0].json["data"]["rating"] == "good"
            assert await kept.waiting() == []


@pytest.mark.parametrize("status", [429, 503, 500])
async def test_a_receiver_says_how_long_to_wait_for_an_hour_at_most(file: Path, status: int):
    async with (
        receiver(
            Reply(status=status, headers={"Retry-After": "600"}),
            Reply(status=status, headers={"Retry-After": "999999"}),
            TAKEN,
        ) as to,
        delivering(file, to.url) as kept,
    ):
        await kept.rate(Rating.GOOD)
        await kept.clock.turn(3)
        await kept.clock.turn(590)
        assert len(to.requests) == 1
        await kept.clock.turn(20)
        assert len(to.requests) == 2
        await kept.clock.turn(LONGEST_WAIT - 10)
        assert len(to.requests) == 2
        await kept.clock.turn(20)
        assert len(to.requests) == 3
        assert await kept.waiting() == []


async def test_the_receiver_of_the_documents_takes_what_is_signed_and_nothing_else(file: Path):
    (example,) = [block for block in blocks(ROOT / "docs/operations.md", "python") if "BaseHTTPRequestHandler" in block]
    port = free_port()
    receiving = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", example.replace("8080", str(port))),
        env={**os.environ, "CHAT_UI_FEEDBACK_SECRET": SECRET},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert receiving.stdout is not None
    try:
        await reachable(port)
        async with delivering(file, f"http://127.0.0.1:{port}") as kept, httpx.AsyncClient(trust_env=False) as forger:
            headers = {
                "webhook-id": "msg_1",
                "webhook-timestamp": str(int(time.time())),
                "webhook-signature": "v1,AA==",
            }
            forged = await forger.post(f"http://127.0.0.1:{port}", content=b"{}", headers=headers)
            assert forged.status_code == 401
            await kept.rate(Rating.BAD, comment="Ünïcode")
            await kept.clock.turn(3)
            async with asyncio.timeout(PATIENCE):
                assert "'comment': 'Ünïcode'" in (await receiving.stdout.readline()).decode()
            assert await kept.waiting() == []
    finally:
        receiving.kill()
        await receiving.wait()


@asynccontextmanager
async def silent() -> AsyncIterator[tuple[str, asyncio.Event, asyncio.Event]]:
    """A receiver that takes requests and says nothing until it may; its URL, whether a request came, and whether it may
    answer.
    """
    came, may_answer = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        came.set()
        await may_answer.wait()
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", came, may_answer
    finally:
        may_answer.set()
        server.close()


async def test_a_change_while_a_delivery_is_on_its_way_is_delivered_as_well(file: Path):
    async with silent() as (url, came, may_answer), delivering(file, url) as kept:
        await kept.rate(Rating.GOOD)
        turning = asyncio.create_task(kept.clock.turn(3))
        await came.wait()
        await kept.rate(Rating.BAD)
        came.clear()
        may_answer.set()
        await turning
        await kept.clock.turn(3)
        assert came.is_set()
        assert await kept.waiting() == []


async def test_a_receiver_that_says_nothing_holds_up_neither_people_nor_the_end(file: Path):
    async with silent() as (url, came, _), delivering(file, url, answers=2) as kept:
        await kept.rate(Rating.GOOD)
        turning = asyncio.create_task(kept.clock.turn(3))
        await came.wait()
        assert await kept.rate(Rating.BAD, answer=generation(ASKED, 2).id)
        assert await kept.rate(Rating.BAD)
        await kept.deliveries.close()
        assert [row.tries for row in await kept.waiting()] == [0, 0]
        turning.cancel()


@pytest.mark.parametrize("status", [301, 307])
async def test_a_redirect_is_not_followed(file: Path, status: int):
    async with receiver(TAKEN) as elsewhere:
        moved = Reply(status=status, headers={"Location": elsewhere.url})
        async with receiver(moved) as to, delivering(file, to.url) as kept:
            await kept.rate(Rating.GOOD)
            await kept.clock.turn(3)
            assert len(to.requests) == 1
            assert elsewhere.requests == []
            (row,) = await kept.waiting()
            assert row.tries == 1


async def note_rows(kept: Kept, count: int) -> None:
    """Have so many answers of mine be due for delivery, as after a change of each."""
    await kept.clock.at_rest()
    now = kept.clock.now()
    rows = [
        {"answer": generation(ASKED, number).id, "changed_at": now, "due_at": now, "tries": 0}
        for number in range(1, count + 1)
    ]
    async with kept.database.writing() as connection:
        await connection.execute(schema.feedback_delivery.insert(), rows)


async def test_a_thousand_rows_cost_one_connection_while_the_receiver_is_away_and_all_arrive_after(file: Path):
    is_there = False
    to = StandIn(lambda _: TAKEN if is_there else GONE)
    async with to.running(), delivering(file, to.url, answers=1000) as kept:
        await note_rows(kept, 1000)
        await kept.clock.turn(61)
        assert len(to.requests) == 1
        for _ in range(20):
            await kept.clock.turn(LONGEST_SILENCE)
        assert 20 <= len(to.requests) <= 26
        tried = {one.json["data"]["answer_id"] for one in to.requests}
        assert len(tried) > 15
        await kept.rate(Rating.GOOD)
        assert len(await kept.waiting()) == 1000
        is_there = True
        before = len(to.requests)
        await kept.clock.turn(LONGEST_WAIT)
        assert await kept.waiting() == []
        arrived = [one.json["data"]["answer_id"] for one in to.requests[before:]]
        assert len(arrived) == len(set(arrived)) == 1000


async def test_a_row_that_is_always_refused_holds_up_no_other(file: Path):
    def reply(request: Received) -> Reply:
        return Reply(status=400) if request.json["data"]["answer_id"] == ANSWER else TAKEN

    to = StandIn(reply)
    async with to.running(), delivering(file, to.url, answers=3) as kept:
        await note_rows(kept, 3)
        await kept.clock.turn(61)
        assert [row.answer for row in await kept.waiting()] == [ANSWER]
        assert len(to.requests) == 3


async def test_a_time_that_a_clock_ahead_has_left_does_not_hold_a_row_back(file: Path):
    async with receiver(TAKEN) as to, delivering(file, to.url) as kept:
        await note_rows(kept, 1)
        async with kept.database.writing() as connection:
            await connection.execute(
                schema.feedback_delivery.update().values(due_at=kept.clock.now() + 10 * LONGEST_WAIT)
            )
        await kept.clock.turn(61)
        assert len(to.requests) == 1


async def test_the_log_says_once_that_it_fails_and_once_that_it_works_again(
    file: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.WARNING, logger="chat_ui.feedback.deliveries")
    async with (
        receiver(GONE, Reply(status=500), Reply(status=401), TAKEN) as to,
        delivering(file, f"{to.url}/hidden-path?hidden-query") as kept,
    ):
        await kept.rate(Rating.BAD, comment="hidden words")
        for _ in range(4):
            await kept.clock.turn(LONGEST_WAIT)
        failing, working = [record.getMessage() for record in caplog.records]
        assert failing == f"feedback cannot be delivered to {to.url} and is tried again: ReadError"
        assert working == f"feedback is delivered to {to.url} again"
        assert "hidden" not in caplog.text
        assert SECRET not in caplog.text


async def test_a_store_that_is_away_is_waited_for(file: Path):
    async with receiver(TAKEN) as to, delivering(file, to.url) as kept:
        await kept.rate(Rating.GOOD)
        away = await asyncio.to_thread(file.rename, file.with_suffix(".away"))
        await kept.clock.turn(3)
        await kept.clock.turn(3)
        assert to.requests == []
        await asyncio.to_thread(away.rename, file)
        await kept.clock.turn(6)
        assert len(to.requests) == 1


async def test_the_operators_address_is_called_for_deliveries_alone(tmp_path: Path):
    settings = Settings(data_dir=tmp_path, policy="public", feedback_secret=SECRET, feedback_url="http://127.0.0.1:9/x")
    services = build(settings, "127.0.0.1", 3000)
    assert services.deliveries is not None
    with pytest.raises(AddressRefusedError):
        await services.client._http.get("http://127.0.0.1:9/x")
    with pytest.raises(httpx.ConnectError):
        await services.deliveries._client.get("http://127.0.0.1:9/x")
    with pytest.raises(AddressRefusedError):
        await services.deliveries._client.get("http://127.0.0.1:10/x")
    await services.deliveries.close()
    await services.client.aclose()


def test_nothing_is_noted_where_no_address_is_named(tmp_path: Path):
    services = build(Settings(data_dir=tmp_path), "127.0.0.1", 3000)
    assert services.deliveries is None
    assert services.conversations.feedback.deliver_after is None


def test_a_receiver_is_told_of_deletions_also_where_nothing_new_can_be_said(tmp_path: Path):
    settings = Settings(data_dir=tmp_path, feedback=False, feedback_url="http://127.0.0.1:9", feedback_secret=SECRET)
    assert build(settings, "127.0.0.1", 3000).deliveries is not None


@pytest.mark.parametrize(
    ("url", "secret", "words"),
    [
        ("https://example.com", None, "CHAT_UI_FEEDBACK_URL: .* Set CHAT_UI_FEEDBACK_SECRET"),
        ("https://example.com", "whsec_this is no base64", "CHAT_UI_FEEDBACK_SECRET: .*base64"),
        ("https://me:word@example.com", SECRET, "CHAT_UI_FEEDBACK_URL: .*user name"),
    ],
)
def test_settings_with_which_nothing_could_be_delivered_are_told(tmp_path: Path, url: str, secret: str, words: str):
    with pytest.raises(UnusableSettingsError, match=words):
        build(Settings(data_dir=tmp_path, feedback_url=url, feedback_secret=secret), "127.0.0.1", 3000)
