"""What is done with a whole conversation, and who hears that the list is another now."""

from __future__ import annotations

import pytest

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import StandIn
from tests.conversations.keeping import ask, nowhere, until


async def begun(conversations: Conversations, client: Client, half: StandIn, owner: str = "me") -> Conversation:
    """A conversation of one question that the store has."""
    talk = conversations.start(owner)
    conversations.lists.has_begun(talk)
    before = conversations.lists.revision(owner)
    await ask(client, talk, half, "Colour?").generation.wait_for_end()
    await until(lambda: conversations.lists.revision(owner) > before and talk.is_written)
    return talk


async def test_each_change_of_a_list_is_told_to_its_person_and_to_nobody_else(client, half, conversations):
    talk = await begun(conversations, client, half)
    lists = conversations.lists
    other = conversations.start("you")
    for change in (
        lambda: lists.rename("me", talk.id, "Floats " * 100),
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
        if not talk.deleted:
            [listed] = [*await lists.stored.page("me", None, 10), *await lists.stored.pinned("me")]
            assert (listed.title, listed.pinned) == (talk.record.title, talk.record.pinned)
            assert (talk.record.title[:13], talk.record.renamed) == ("Floats Floats", True)
    here = conversations.start("me")
    before, theirs = lists.revision(here.owner), lists.revision("you")
    lists.may_have_changed()
    assert (lists.revision("me") > before, lists.revision("you") > theirs) == (True, True)
    assert lists.revision("nobody") == 0


@pytest.mark.parametrize("change", ["rename", "pin", "delete"])
async def test_a_conversation_is_changed_just_before_it_is_written(client, endless, conversations, change: str):
    talk, stored = conversations.start("me"), conversations.lists.stored
    change_it, more = getattr(conversations.lists, change), {"rename": ["Floats"], "pin": [True]}
    ask(client, talk, endless, "Colour?")
    assert not talk.is_written
    assert await change_it("me", talk.id, *more.get(change, []))
    listed = [(one.title, one.pinned) for one in [*await stored.page("me", None, 10), *await stored.pinned("me")]]
    assert listed == {"rename": [("Floats", False)], "pin": [("Colour?", True)], "delete": []}[change]


async def test_a_deleted_conversation_stops_its_answer_and_is_found_no_more(client, half, endless, conversations):
    talk, lists = await begun(conversations, client, half), conversations.lists
    made = ask(client, talk, endless).generation
    await made.signal.wait(made.signal.revision)
    for change in (lists.delete("you", talk.id), lists.delete_all("you"), lists.rename("you", talk.id, "Theirs")):
        assert not await change
        assert (made.ended, talk.deleted, talk.record.renamed) == (False, False, False)
    assert await lists.delete("me", talk.id)
    assert made.ended
    assert talk.deleted
    assert await conversations.get("me", talk.id) is None
    assert not await lists.may_have_any("me")
    assert await lists.restore("me", talk.id)
    assert await lists.may_have_any("me")
    again = await conversations.get("me", talk.id)
    assert again is not None
    assert again is not talk


async def test_what_was_said_a_moment_ago_is_taken_along(client, half, conversations: Conversations):
    talk, lists = conversations.start("me"), conversations.lists
    await ask(client, talk, half, "transcript?").generation.wait_for_end()
    whole = await lists.transcript("me", talk.id)
    assert [one.question for one in whole.turns] == ["transcript?"]
    assert [one.answer.text for one in whole.generations] == ["Half an answer"]
    await ask(client, talk, half, "shown?").generation.wait_for_end()
    assert await lists.shown_with_origins("you", talk.id) is None
    title, turns, _ = await lists.shown_with_origins("me", talk.id)
    assert title == "transcript?"
    assert [(question, text) for question, _, text in turns] == [
        ("transcript?", "Half an answer"),
        ("shown?", "Half an answer"),
    ]
    await ask(client, talk, half, "transcripts?").generation.wait_for_end()
    assert [len(one.turns) async for one in await lists.transcripts("me")] == [3]


async def test_where_nothing_can_be_kept_there_is_no_list_and_that_is_said():
    lists = Conversations(nowhere).lists
    assert await lists.may_have_any("me")
    for use in (lists.rename("me", "x", "y"), lists.delete("me", "x"), lists.transcript("me", "x")):
        with pytest.raises(StoreUnavailableError, match="there is no connection"):
            await use


async def test_a_conversation_that_another_process_deleted_is_gone_once_looked_at(
    client, half, conversations: Conversations
):
    talk = await begun(conversations, client, half)
    await conversations.keeper.catch_up()
    assert await conversations.lists.stored.delete("me", talk.id)
    assert await conversations.get("me", talk.id) is talk
    talk.outdate()
    assert await conversations.get("me", talk.id) is None
    assert talk.deleted


async def test_everything_of_a_person_is_deleted_and_nothing_of_another(client, half, conversations: Conversations):
    talk, theirs = [await begun(conversations, client, half, owner) for owner in ("me", "you")]
    await conversations.attachments.keep("me", "a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    image = await conversations.attachments.keep("you", "a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert await conversations.lists.delete_all("me") == 1
    assert talk.deleted
    assert not await conversations.lists.may_have_any("me")
    assert not theirs.deleted
    assert await conversations.get("you", theirs.id) is theirs
    assert await conversations.attachments.find("you", image.id) is not None


async def test_a_second_arm_is_one_of_its_person_until_it_parts(client, half, conversations: Conversations):
    talk = await begun(conversations, client, half)
    arm = await conversations.compare(talk)
    assert await conversations.compare(talk) is arm
    await ask(client, arm, half).generation.wait_for_end()
    await conversations.part(talk)
    assert arm.record.arm_of is None
    assert await conversations.arm_of("me", talk.id) is None
    assert {one.id for one in await conversations.lists.stored.page("me", None, 5)} == {talk.id, arm.id}
