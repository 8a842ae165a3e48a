import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select

from chat_ui.conversations.records.feedback import MOST_DOUBTED, DoubtedCitation, Feedback, Rating, Reason
from chat_ui.conversations.records.records import Changes, ConversationRecord, FeedbackEntry, GenerationRecord
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.rows import Batch, feedback_row
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import MOST_SAID_BEFORE, MOST_SAID_CHARACTERS, StoredFeedback
from chat_ui.errors import TooManyDoubtsError
from chat_ui.protocol.answers.answer import Answer
from tests.conversations.kept import conversation, generation, rated, turn
from tests.conversations.repository import execute

Change = Callable[[Feedback], Feedback]
DOUBT = DoubtedCitation(use=1, label="Buoys.pdf", claim="All are red.", data_point=0, comment="“Most”, it says.")


def rating(value: Rating | None, *reasons: Reason, comment: str = "") -> Change:
    return lambda one: rated(one, value, *reasons, comment=comment)


def doubting(**values: Any) -> Change:
    return lambda one: one.doubting(replace(DOUBT, **values))


good, bad = rating(Rating.GOOD), rating(Rating.BAD, Reason.WRONG, comment="No.")


@pytest.fixture
def stored(database: Database) -> StoredFeedback:
    return StoredFeedback(database)


async def keep(store: Store, talk: ConversationRecord, *questions: str) -> list[GenerationRecord]:
    """A conversation of these questions, each with an answer that names it."""
    turns = [turn(talk, place, question) for place, question in enumerate(questions or ("What?",), 1)]
    answers = [generation(one, answer=Answer(text=f"On “{one.question}”.")) for one in turns]
    await store.write(Changes((talk,), tuple(turns), tuple(answers)))
    return answers


async def keep_one(store: Store, **values: object) -> str:
    return (await keep(store, conversation(**values)))[0].id


async def changed(stored: StoredFeedback, answer: str, change: Change) -> Feedback:
    found = await stored.change("me", answer, change)
    assert found is not None
    return found[1]


async def all_of(stored: StoredFeedback, owner: str | None = None, since: float = 0.0) -> list[FeedbackEntry]:
    return [one async for one in stored.given(owner, since)]


async def answers_of(stored: StoredFeedback, owner: str | None = None, since: float = 0.0) -> list[str]:
    return [one.generation.id for one in await all_of(stored, owner, since)]


async def count(database: Database) -> int:
    async with database.reading() as connection:
        return int(await connection.scalar(select(func.count()).select_from(schema.feedback)) or 0)


async def test_feedback_is_read_back_with_its_time_and_answer(store: Store, stored: StoredFeedback):
    answer = await keep_one(store)
    assert await stored.of("me", answer) == Feedback()
    before = time.time()
    words = "Not so.\n\N{OK HAND SIGN} “=1+1”"
    await changed(stored, answer, rating(Rating.BAD, Reason.WRONG, Reason.TONE, comment=words))
    now = await changed(stored, answer, doubting())
    assert now == Feedback(Rating.BAD, (Reason.WRONG, Reason.TONE), words, (DOUBT,), now.given_at)
    assert before <= now.given_at <= time.time()
    assert await stored.of("me", answer) == now
    for was in (now, None):
        former, again = await stored.change("me", answer, good)
        assert former == (was or again)
    # As precise as the database stores it.
    await changed(stored, answer, rating(Rating.GOOD, comment="a\0b\ud800c"))
    await changed(stored, answer, doubting(label="\ud800", comment="\0"))
    now = await stored.of("me", answer)
    assert (now.comment, now.doubted[0].label) == ("a\N{REPLACEMENT CHARACTER}b?c", "?")


async def test_a_withdrawn_rating_is_removed_with_its_details(store: Store, stored: StoredFeedback, database: Database):
    answer = await keep_one(store)
    await changed(stored, answer, bad)
    now = await changed(stored, answer, lambda one: replace(one, rating=Rating.GOOD))
    assert (now.reasons, now.comment) == ((), "No.")
    now = await changed(stored, answer, lambda one: replace(one, reasons=(Reason.TONE,)))
    assert now.reasons == ()
    await changed(stored, answer, doubting())
    now = await changed(stored, answer, rating(None, Reason.TONE, comment="Hm."))
    assert now == Feedback(None, (), "", (DOUBT,), now.given_at)
    assert await count(database) == 1
    await changed(stored, answer, lambda one: one.trusting({DOUBT.use}))
    assert await count(database) == 0
    assert await stored.of("me", answer) == Feedback()
    assert await stored.given_for(answer) is None


async def test_citations_are_doubted_once_each_in_order_up_to_a_limit(store: Store, stored: StoredFeedback):
    answer = await keep_one(store)
    await changed(stored, answer, doubting(use=2))
    now = await changed(stored, answer, lambda one: one.doubting(*(replace(DOUBT, use=use) for use in (1, 0, 2))))
    assert [one.use for one in now.doubted] == [0, 1, 2]
    now = await changed(stored, answer, doubting(use=0, comment="Anew."))
    assert [(one.use, one.comment) for one in now.doubted] == [(0, "Anew."), (1, DOUBT.comment), (2, DOUBT.comment)]
    now = await changed(stored, answer, lambda one: one.trusting({1, 7}))
    assert [one.use for one in now.doubted] == [0, 2]
    most = Feedback(doubted=tuple(replace(DOUBT, use=use) for use in range(MOST_DOUBTED)))
    kept = await changed(stored, answer, lambda _: most)
    with pytest.raises(TooManyDoubtsError):
        await stored.change("me", answer, doubting(use=MOST_DOUBTED))
    assert await stored.of("me", answer) == kept
    assert (await changed(stored, answer, doubting(use=3, comment="x"))).doubted[3].comment == "x"


async def test_feedback_on_others_answers_is_neither_changed_nor_read(store: Store, stored: StoredFeedback):
    theirs = await keep_one(store, owner="you")
    await stored.change("you", theirs, good)
    for answer in (theirs, "c000009-t1.1", ""):
        assert await stored.change("me", answer, bad) is None
        assert await stored.of("me", answer) == Feedback()
    assert (await stored.of("you", theirs)).rating is Rating.GOOD
    assert await answers_of(stored, "me") == []
    assert await answers_of(stored, "you") == await answers_of(stored) == [theirs]


async def test_feedback_is_restored_and_purged_with_its_conversation(
    store: Store, stored: StoredFeedback, listed: StoredList, database: Database
):
    answer = await keep_one(store)
    given = await changed(stored, answer, bad)
    await listed.delete("me", conversation().id)
    assert await stored.change("me", answer, good) is None
    assert await stored.of("me", answer) == Feedback()
    assert await stored.given_for(answer) is None
    assert await answers_of(stored) == []
    await listed.restore("me", conversation().id)
    assert await stored.of("me", answer) == given
    assert await answers_of(stored) == [answer]
    await stored.change("me", await keep_one(store, number=3), bad)
    theirs = await keep_one(store, number=2, owner="you")
    await stored.change("you", theirs, good)
    await listed.delete("me", conversation().id)
    await listed.purge(deleted_before=time.time() + 1)
    assert await count(database) == 2
    await listed.delete_all("me")
    assert await answers_of(stored) == [theirs]
    assert await count(database) == 1


async def test_feedback_counts_for_the_size_of_its_conversation(
    store: Store, stored: StoredFeedback, listed: StoredList
):
    answer = await keep_one(store)
    sizes = [(await listed.bytes_of("me"))[0]]
    for change in (rating(Rating.GOOD, comment="ü" * 500), doubting(comment="x" * 700), rating(None)):
        await changed(stored, answer, change)
        sizes.append((await listed.bytes_of("me"))[0])
    before, with_comment, with_doubt, without_comment = sizes
    await changed(stored, answer, lambda one: one.trusting({DOUBT.use}))
    assert with_comment - before > 1000
    assert with_doubt - with_comment > 700
    assert with_doubt - without_comment == 1000
    assert await listed.bytes_of("me") == (before, 0)
    await changed(stored, answer, bad)
    kept, _ = await listed.bytes_of("me")
    await store.write(Changes((replace(conversation(), updated_at=9000.0),), (turn(conversation()),)))
    assert await listed.bytes_of("me") == (kept, 0)


async def test_the_outline_has_the_ratings(store: Store, stored: StoredFeedback):
    first, second, third = await keep(store, conversation(), "One?", "Two?", "Three?")
    for answer, change in ((first, good), (second, bad), (third, doubting())):
        await changed(stored, answer.id, change)
    outline = await store.outline("me", conversation().id)
    assert outline.ratings == {first.id: Rating.GOOD, second.id: Rating.BAD}


async def test_two_simultaneous_changes_are_both_kept(
    store: Store, stored: StoredFeedback, database: Database, database_url: str
):
    answer = await keep_one(store)
    # SQLite belongs to one server.
    elsewhere = database if database.is_sqlite else await Database.open(database_url)
    other = StoredFeedback(elsewhere)
    changes = [(stored if use % 2 else other).change("me", answer, doubting(use=use)) for use in range(12)]
    assert None not in await asyncio.gather(*changes, stored.change("me", answer, bad))
    now = await stored.of("me", answer)
    assert now.rating is Rating.BAD
    assert [one.use for one in now.doubted] == list(range(12))
    await elsewhere.close()


async def test_the_preceding_turns_follow_edits_and_choices(store: Store, stored: StoredFeedback):
    talk = conversation()
    answers = await keep(store, talk, "One?", "Two?", "Three?")
    now = await changed(stored, answers[1].id, bad)
    expected = FeedbackEntry(now, answers[1], "Two?", (("One?", "On “One?”."),))
    assert await stored.given_for(answers[1].id) == expected
    assert await all_of(stored) == [expected]
    first = turn(talk, 1, "One?", chosen=2)
    edited = turn(talk, 2, "Two, edited?", id="edited")
    after = turn(talk, 3, "And then?", id="after", parent="edited")
    made = [(first, 2, "Better."), (edited, 1, "Edited."), (after, 1, "Then.")]
    answers = [generation(of, number, answer=Answer(text=text)) for of, number, text in made]
    await store.write(Changes((talk,), (first, edited, after), tuple(answers)))
    said_before = {
        "after.1": (("One?", "Better."), ("Two, edited?", "Edited.")),
        f"{talk.id}-t3.1": (("One?", "Better."), ("Two?", "On “Two?”.")),
        f"{talk.id}-t1.1": (),
    }
    for answer, said in said_before.items():
        await changed(stored, answer, good)
        assert (await stored.given_for(answer)).said_before == said


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        (["Yes."] * (MOST_SAID_BEFORE + 3), 2),
        (["early", "x" * MOST_SAID_CHARACTERS, "third", "fourth", "fifth"], 2),
    ],
    ids=["are so many", "are short enough"],
)
async def test_the_nearest_preceding_turns_are_given_up_to_a_limit(
    store: Store, stored: StoredFeedback, texts: list[str], first: int
):
    talk = conversation()
    turns = tuple(turn(talk, place, f"Question {place}?") for place in range(1, len(texts) + 1))
    answers = tuple(generation(asked, answer=Answer(text)) for asked, text in zip(turns, texts, strict=True))
    await store.write(Changes((talk,), turns, answers))
    await changed(stored, answers[-1].id, good)
    said = [(asked.question, text) for asked, text in zip(turns, texts, strict=True)]
    assert (await stored.given_for(answers[-1].id)).said_before == tuple(said[first:-1])


async def keep_rated(store: Store, number: int) -> list[GenerationRecord]:
    """A conversation of that many questions, whose answers were rated good, the last one first."""
    answers = await keep(store, conversation(), *(f"Question {one}" for one in range(number)))
    given = [(one, Feedback(Rating.GOOD, given_at=500.0 - place)) for place, one in enumerate(answers)]
    await store.bring_in(Batch(feedback=[feedback_row(one.id, one.conversation, said) for one, said in given]))
    return answers


async def test_many_ratings_are_read_in_order_also_of_the_same_time(
    store: Store, stored: StoredFeedback, database_url: str
):
    answers = await keep_rated(store, 45)
    assert await answers_of(stored) == [one.id for one in reversed(answers)]
    await execute(database_url, "UPDATE feedback SET given_at = 1000.25")
    assert await answers_of(stored, "me") == sorted(one.id for one in answers)
    assert await answers_of(stored, since=1000.25) == sorted(one.id for one in answers)
    assert await answers_of(stored, since=1000.5) == []
    last = await changed(stored, answers[0].id, bad)
    assert (await answers_of(stored))[-1] == answers[0].id
    assert await answers_of(stored, since=last.given_at) == [answers[0].id]
    assert await answers_of(stored, "you", since=last.given_at) == []


async def test_a_slow_reader_blocks_no_change(store: Store, stored: StoredFeedback):
    answers = await keep_rated(store, 25)
    reading = stored.given()
    read = [(await anext(reading)).generation.id]
    await changed(stored, answers[0].id, rating(None))
    await changed(stored, answers[5].id, bad)
    read += [one.generation.id async for one in reading]
    assert set(read) == {one.id for one in answers[1:]}
    assert read[-1] == answers[5].id
