"""What was said before a question goes out with the feedback on its answer, as far as it is not too much."""

from __future__ import annotations

from dataclasses import replace

from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import MOST_SAID_CHARACTERS, StoredFeedback
from tests.conversations.kept import ANSWER, conversation, generation, turn


async def test_the_nearest_turns_are_read_and_those_before_what_is_too_much_are_not(database: Database):
    talk = conversation()
    turns = tuple(turn(talk, place, f"Question {place}?") for place in range(1, 6))
    texts = ["early", "x" * MOST_SAID_CHARACTERS, "third", "fourth", "fifth"]
    answers = tuple(
        generation(asked, answer=replace(ANSWER, text=text)) for asked, text in zip(turns, texts, strict=True)
    )
    await Store(database).write(Changes((talk,), turns, answers))
    stored = StoredFeedback(database)
    await stored.change("me", answers[-1].id, lambda one: replace(one, rating=Rating.GOOD))
    given = await stored.given_for(answers[-1].id)
    assert given is not None
    assert given.said_before == (("Question 3?", "third"), ("Question 4?", "fourth"))
