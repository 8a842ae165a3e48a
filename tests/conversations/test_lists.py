"""What is done with a whole conversation, and who hears that the list is another now."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import Reply, StandIn, lines
from tests.conversations.keeping import HALF, ask, keeping, nowhere
from tests.patience import PATIENCE


@pytest.fixture
async def conversations(tmp_path: Path) -> AsyncIterator[Conversations]:
    async with keeping(f"sqlite:///{tmp_path / 'chat.db'}") as opened:
        yield opened


async def begun(conversations: Conversations, client: Client, owner: str = "me") -> Conversation:
    """A conversation of one question that the store has."""
    talk = conversations.start(owner)
    conversations.lists.has_begun(talk)
    before = conversations.lists.revision(owner)
    async with StandIn(Reply([lines({"delta": {"content": "Red."}})])).running() as backend:
        await ask(client, talk, backend, "Colour?").generation.wait_for_end()
    async with asyncio.timeout(PATIENCE):
        while conversations.lists.revision(owner) == before or not talk.is_written:
            await talk.signal.wait(talk.signal.revision)
    return talk


async def test_each_change_of_a_list_is_told_to_its_person_and_to_nobody_else(
    conversations: Conversations, client: Client
):
    talk = await begun(conversations, client)
    lists = conversations.lists
    other = conversations.start("you")
    for change in (
        lambda: lists.rename("me", talk.id, "Floats"),
        lambda: lists.pin("me", talk.id, True),
        lambda: lists.pin("me", talk.id, False),
        lambda: lists.delete("me", talk.id),
        lambda: lists.restore("me", talk.id),
        lambda: lists.delete_all("me"),
    ):
        here = conversations.start("me")
        before, theirs = lists.revision("me"), lists.revision("you")
        heard, unheard = here.signal.revision, other.signal.revision
        assert await change()
        assert lists.revision("me") > before
        assert lists.revision("you") == theirs
        assert here.deleted or here.signal.revision > heard
        assert other.signal.revision == unheard


async def test_what_an_open_conversation_is_called_is_what_the_list_says(conversations: Conversations, client: Client):
    talk = await begun(conversations, client)
    assert await conversations.lists.rename("me", talk.id, "Floats " * 100)
    assert talk.record.title.startswith("Floats Floats")
    assert talk.record.renamed
    [listed] = await conversations.lists.stored.page("me", None, 10)
    assert listed.title == talk.record.title
    assert await conversations.lists.pin("me", talk.id, True)
    assert talk.record.pinned
    for change in (
        conversations.lists.rename("you", talk.id, "Theirs"),
        conversations.lists.pin("you", talk.id, False),
        conversations.lists.delete("you", talk.id),
        conversations.lists.restore("you", talk.id),
    ):
        assert not await change
    assert (talk.record.pinned, talk.record.title) == (True, listed.title)


@pytest.mark.parametrize("change", ["rename", "pin", "delete"])
async def test_a_conversation_is_changed_in_the_moment_before_it_is_written(
    conversations: Conversations, client: Client, change: str
):
    talk = conversations.start("me")
    change_it, more = getattr(conversations.lists, change), {"rename": ["Floats"], "pin": [True]}
    async with StandIn(Reply([HALF, float("inf")])).running() as backend:
        ask(client, talk, backend, "Colour?")
        assert not talk.is_written
        assert await change_it("me", talk.id, *more.get(change, []))
    listed = [(one.title, one.pinned) for one in await conversations.lists.stored.page("me", None, 10)]
    listed += [(one.title, one.pinned) for one in await conversations.lists.stored.pinned("me")]
    assert listed == {"rename": [("Floats", False)], "pin": [("Colour?", True)], "delete": []}[change]


async def test_a_deleted_conversation_stops_its_answer_and_is_found_no_more(
    conversations: Conversations, client: Client
):
    talk = await begun(conversations, client)
    async with StandIn(Reply([HALF, float("inf")])).running() as backend:
        made = ask(client, talk, backend)
        await made.generation.signal.wait(made.generation.signal.revision)
        assert await conversations.lists.delete("me", talk.id)
        assert made.generation.ended
    assert talk.deleted
    assert await conversations.get("me", talk.id) is None
    assert not await conversations.lists.may_have_any("me")
    assert await conversations.lists.restore("me", talk.id)
    assert await conversations.lists.may_have_any("me")
    again = await conversations.get("me", talk.id)
    assert again is not None
    assert again is not talk


async def test_what_was_said_a_moment_ago_is_taken_along(conversations: Conversations, client: Client):
    talk = conversations.start("me")
    async with StandIn(Reply([lines({"delta": {"content": "Red."}})])).running() as backend:
        for take in ("transcript", "shown", "transcripts"):
            made = ask(client, talk, backend, f"{take}?")
            await made.generation.wait_for_end()
            if take == "transcript":
                whole = await conversations.lists.transcript("me", talk.id)
                assert whole is not None
                assert [one.question for one in whole.turns] == ["transcript?"]
                assert [one.answer.text for one in whole.generations] == ["Red."]
            elif take == "shown":
                assert await conversations.lists.shown_with_origins("you", talk.id) is None
                title, turns, _ = await conversations.lists.shown_with_origins("me", talk.id) or ("", [], [])
                assert title == "transcript?"
                assert [(question, text) for question, _, text in turns] == [
                    ("transcript?", "Red."),
                    ("shown?", "Red."),
                ]
            else:
                every = [one async for one in await conversations.lists.transcripts("me")]
                assert [len(one.turns) for one in every] == [3]


async def test_where_nothing_can_be_kept_there_is_no_list_and_that_is_said():
    lists = Conversations(nowhere).lists
    assert await lists.may_have_any("me")
    for use in (lists.rename("me", "x", "y"), lists.delete("me", "x"), lists.transcript("me", "x")):
        with pytest.raises(StoreUnavailableError, match="there is no connection"):
            await use


async def test_a_conversation_that_another_process_deleted_is_gone_here_once_it_is_looked_at(
    conversations: Conversations, client: Client
):
    talk = await begun(conversations, client)
    await conversations.keeper.catch_up()
    assert await conversations.lists.stored.delete("me", talk.id)
    assert await conversations.get("me", talk.id) is talk
    talk.outdate()
    assert await conversations.get("me", talk.id) is None
    assert talk.deleted


async def test_whoever_deletes_what_is_not_theirs_stops_nothing(conversations: Conversations, client: Client):
    talk = conversations.start("me")
    async with StandIn(Reply([HALF, float("inf")])).running() as backend:
        made = ask(client, talk, backend)
        for delete in (conversations.lists.delete("you", talk.id), conversations.lists.delete_all("you")):
            assert not await delete
            assert not made.generation.ended
            assert not talk.deleted


async def test_whoever_may_have_missed_a_change_looks_again(conversations: Conversations):
    here = [conversations.start(owner) for owner in ("me", "you")]
    before = [conversations.lists.revision(one.owner) for one in here]
    conversations.lists.may_have_changed()
    after = [conversations.lists.revision(one.owner) for one in here]
    assert all(late > early for early, late in zip(before, after, strict=True))
    assert conversations.lists.revision("nobody") == 0


async def test_everything_of_a_person_is_deleted_and_nothing_of_another(conversations: Conversations, client: Client):
    talk, theirs = await begun(conversations, client), await begun(conversations, client, "you")
    await conversations.attachments.keep("me", "a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    image = await conversations.attachments.keep("you", "a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert await conversations.lists.delete_all("me") == 1
    assert talk.deleted
    assert not await conversations.lists.may_have_any("me")
    assert not theirs.deleted
    assert await conversations.get("you", theirs.id) is theirs
    assert await conversations.attachments.find("you", image.id) is not None


async def test_a_second_arm_is_one_of_its_person_until_it_parts(conversations: Conversations, client: Client):
    talk = await begun(conversations, client)
    arm = await conversations.compare(talk)
    assert await conversations.compare(talk) is arm
    async with StandIn(Reply([HALF])).running() as backend:
        await ask(client, arm, backend).generation.wait_for_end()
    await conversations.part(talk)
    assert arm.record.arm_of is None
    assert await conversations.arm_of("me", talk.id) is None
    assert {one.id for one in await conversations.lists.stored.page("me", None, 5)} == {talk.id, arm.id}
