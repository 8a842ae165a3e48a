"""What the store does not have yet of conversations."""

from __future__ import annotations

from dataclasses import replace

from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.unwritten import Unwritten
from tests.conversations.kept import conversation, turn

TALK = conversation()
ASKED = turn(TALK)


def test_what_the_store_did_not_take_is_written_again_beside_newer_states():
    unwritten = Unwritten()
    unwritten.note(Changes((TALK,), (ASKED,)))
    batch = unwritten.begin_batch(renew=False)
    renamed = replace(TALK, title="Buoys")
    unwritten.note(Changes((renamed,)))
    unwritten.put_back(batch)
    changes = unwritten.begin_batch(renew=False).changes
    assert (changes.conversations, changes.turns) == ((renamed,), (ASKED,))


def test_what_is_being_written_is_lacking_until_the_store_has_it():
    unwritten = Unwritten()
    unwritten.note(Changes(turns=(ASKED,), current={"me": TALK.id}))
    batch = unwritten.begin_batch(renew=False)
    assert unwritten.has_turns_of(TALK.id)
    assert unwritten.current("me") == TALK.id
    unwritten.end_batch(batch, set())
    assert not unwritten.has_turns_of(TALK.id)
    assert unwritten.current("me") is None


def test_of_a_dropped_conversation_nothing_more_is_written():
    unwritten = Unwritten()
    unwritten.note(Changes((TALK,), (ASKED,), current={"me": TALK.id}))
    unwritten.drop({TALK.id})
    assert not unwritten
    assert not unwritten.begin_batch(renew=True).changes
