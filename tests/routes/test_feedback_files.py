"""Feedback as files over HTTP: whose it is, from when on, and what is refused."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from itertools import product
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import update
from starlette.applications import Starlette
from starlette.datastructures import Headers

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people import person
from chat_ui.conversations.people.person import PERSON
from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import StoredFeedback
from chat_ui.processes.pool import Processes
from chat_ui.protocol.answers.answer import Answer
from chat_ui.routes.given_feedback import FeedbackRoutes
from chat_ui.routes.renderings import Renderings
from tests.conversations.keeping import keeping
from tests.conversations.kept import conversation, generation, turn
from tests.patience import PATIENCE

PATHS = ("/mine", "/all")
MINUTE = "2026-11-23T08:30"
AS_OPERATOR = {"X-Operator": "yes"}
MOMENT = datetime.fromisoformat(f"{MINUTE}Z").timestamp()


async def rate(url: str) -> None:
    """One good answer to “me” and one to “you”."""
    database = await Database.open(url)
    try:
        for number, owner in enumerate(("me", "you"), 1):
            talk = conversation(number, owner)
            asked = turn(talk, question=f"Of {owner}?")
            answer = generation(asked, answer=Answer(text="Yes."))
            await Store(database).write(Changes((talk,), (asked,), (answer,)))
            await StoredFeedback(database).change(owner, answer.id, lambda one: replace(one, rating=Rating.GOOD))
        async with database.writing() as connection:
            await connection.execute(update(schema.feedback).values(given_at=MOMENT))
    finally:
        await database.close()


@asynccontextmanager
async def asking(conversations: Conversations, *, has_token: bool = True) -> AsyncIterator[httpx2.AsyncClient]:
    """Requests of “me”, who is the operator where a header says so."""
    feedback = FeedbackRoutes(conversations, Renderings(Processes()), has_token=has_token)
    app = Starlette(routes=feedback.files())

    async def mine(scope, receive, send) -> None:
        is_operator = "x-operator" in Headers(scope=scope)
        await app({**scope, PERSON: "me", person.OPERATOR: is_operator}, receive, send)

    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(mine), base_url="http://chat.test", timeout=PATIENCE
    ) as client:
        yield client


@pytest.fixture
async def url(tmp_path: Path) -> str:
    made = f"sqlite:///{tmp_path / 'chat.db'}"
    await rate(made)
    return made


def questions(response: httpx2.Response) -> list[str]:
    assert response.status_code == 200
    return [json.loads(line)["question"] for line in response.text.splitlines()]


async def test_a_person_gets_their_own_and_the_operator_that_of_all(url: str):
    async with keeping(url) as conversations, asking(conversations) as client:
        assert questions(await client.get("/mine")) == ["Of me?"]
        assert questions(await client.get("/mine", headers=AS_OPERATOR)) == ["Of me?"]
        assert sorted(questions(await client.get("/all", headers=AS_OPERATOR))) == ["Of me?", "Of you?"]
        assert (await client.get("/all")).status_code == 401
    async with keeping(url) as conversations, asking(conversations, has_token=False) as client:
        assert (await client.get("/all", headers=AS_OPERATOR)).status_code == 404


async def test_only_what_was_changed_since_then_is_sent(url: str):
    is_sent = {
        "2026-11-23": True,
        "2026-11-24": False,
        "2026-11-23T08:30:00Z": True,
        "2026-11-23T09:30:01+01:00": False,
    }
    async with keeping(url) as conversations, asking(conversations) as client:
        for path in PATHS:
            for since, is_in in is_sent.items():
                sent = await client.get(path, params={"since": since}, headers=AS_OPERATOR)
                assert ("Of me?" in questions(sent)) is is_in, since
            table = await client.get(path, params={"as": "csv", "since": "2999-01-01"}, headers=AS_OPERATOR)
            assert table.content.startswith(b'\xef\xbb\xbf"question","truth",')
            assert table.text.count("\n") == 1
        # The plus of a time zone needs no encoding.
        for since, is_in in (("2026-11-23T10:30:00+02:00", True), ("2026-11-23T10:30:01+0200", False)):
            sent = await client.get(f"/mine?since={since}")
            assert ("Of me?" in questions(sent)) is is_in, since


async def test_what_cannot_be_asked_for_is_refused_in_words(url: str):
    queries = ("since=tomorrow", "since=", "since=2026-13-01", "since=1764000000", "as=xml")
    async with keeping(url) as conversations, asking(conversations) as client:
        for path, query in product(PATHS, queries):
            refused = await client.get(f"{path}?{query}", headers=AS_OPERATOR)
            assert refused.status_code == 400
            assert refused.text.startswith(
                "Ask for one of" if query == "as=xml" else "Write the date as 2026-11-23 or "
            )


async def test_a_store_that_cannot_be_read_is_told_before_anything_is_sent(url: str, tmp_path: Path):
    async with keeping(url) as conversations, asking(conversations) as client:
        (tmp_path / "chat.db").rename(tmp_path / "away.db")
        for path in PATHS:
            refused = await client.get(path, headers=AS_OPERATOR)
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
            assert refused.text == "Conversations cannot be read or changed at the moment."
        (tmp_path / "away.db").rename(tmp_path / "chat.db")
