import time

import pytest
from sqlalchemy import text

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.records import Changes, Status
from chat_ui.conversations.store.conversation_list import EXCERPTED, Place, StoredList, excerpt_of
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.errors import StillAnsweringError, StoreUnavailableError, TooCostlyError
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation, generation, turn
from tests.conversations.repository import ask, nowhere, until
from tests.stand_ins.stand_in import StandIn


async def keep(store: Store, count: int, owner: str = "me") -> None:
    await store.write(Changes(tuple(conversation(number, owner) for number in range(1, count + 1))))


async def keep_talk(store: Store, number: int, question: str, answer: str, owner: str = "me") -> str:
    talk = conversation(number, owner)
    asked = turn(talk, question=question)
    await store.write(Changes((talk,), (asked,), (generation(asked, answer=Answer(text=answer)),)))
    return talk.id


async def found(listed: StoredList, words: str, owner: str = "me") -> list[str]:
    return [one.conversation.id for one in await listed.search(owner, words, 20)]


@pytest.mark.parametrize("moments", [{}, {"updated_at": 5.0}], ids=["one after the other", "at the same moment"])
async def test_pages_follow_each_other_to_the_oldest(store: Store, listed: StoredList, moments: dict[str, float]):
    await store.write(Changes(tuple(conversation(number, **moments) for number in range(1, 26))))
    seen: list[str] = []
    after = None
    while page := await listed.page("me", after, 10):
        seen += [one.id for one in page]
        after = Place(page[-1].updated_at, page[-1].id)
    assert seen == [conversation(number).id for number in range(25, 0, -1)]


ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.mark.thorough
@ON_SQLITE
async def test_the_oldest_page_of_ten_thousand_costs_as_much_as_the_newest(store: Store, listed: StoredList):
    await keep(store, 10_000)

    async def cost(after: Place | None) -> float:
        begun = time.process_time()
        assert len(await listed.page("me", after, 30)) == 30
        return time.process_time() - begun

    newest, oldest = [min([await cost(after) for _ in range(5)]) for after in (None, Place(1040.0, "c"))]
    # With OFFSET, the last of 333 pages would cost some hundred times the first.
    assert oldest < 20 * newest + 0.01


async def test_a_conversation_is_changed_and_restored_only_by_its_owner(store: Store, listed: StoredList):
    await keep(store, 2)
    talk, other = conversation(1).id, conversation(2).id

    async def page() -> list[str]:
        return [one.id for one in await listed.page("me", None, 10)]

    for owner, is_theirs in (("you", False), ("me", True)):
        assert await listed.rename(owner, talk, "Buoys" + "!" * 500) is is_theirs
        assert await listed.pin(owner, talk, True) is is_theirs
    [pinned] = await listed.pinned("me")
    assert (pinned.id, len(pinned.title), pinned.renamed) == (talk, 200, True)
    assert pinned.title.startswith("Buoys!")
    assert await page() == [other]
    assert await listed.pin("me", talk, False)
    assert await listed.pinned("me") == []
    for owner, is_theirs in (("you", False), ("me", True)):
        assert await listed.delete(owner, talk) is is_theirs
    assert await page() == [other]
    assert await store.outline("me", talk) is None
    for owner, is_theirs in (("you", False), ("me", True)):
        assert await listed.restore(owner, talk) is is_theirs
    assert await page() == [other, talk]
    await listed.delete("me", talk)
    assert await listed.purge(deleted_before=time.time() + 1) == 1
    assert not await listed.restore("me", talk)


async def test_search_finds_current_words_of_questions_answers_and_titles(store: Store, listed: StoredList):
    first = await keep_talk(store, 1, "Where do buoys drift?", "Northwards, with the Gulf Stream.")
    second = await keep_talk(store, 2, "Who paints lighthouses?", "Painters of the harbour office.")
    theirs = await keep_talk(store, 3, "Where are buoys?", "In the sea.", owner="you")
    await listed.rename("me", second, "Beacons & 50% more")
    found_by = {
        "BUOYS": [first],
        "gulf north": [first],
        "gulf lighthouses": [],
        "beacon": [second],
        "50%": [second],
        "the": [second, first],
    }
    assert {words: await found(listed, words) for words in found_by} == found_by
    await keep_talk(store, 1, "Where do buoys drift?", "Southwards.")
    assert [await found(listed, words) for words in ("southw", "gulf")] == [[first], []]
    assert await listed.delete_all("me") == 2
    assert await listed.page("me", None, 10) == []
    assert await found(listed, "buoys") == []
    assert await found(listed, "buoys", owner="you") == [theirs]


async def test_search_shows_escaped_words_around_the_match(store: Store, listed: StoredList):
    talk = await keep_talk(store, 1, "Tell me", "word " * 300 + "the cormorant dives " + "word " * 300)
    excerpt = (await listed.search("me", "cormorant", 5))[0].excerpt
    assert "cormorant dives" in excerpt
    assert len(excerpt) < 200
    for words in ("", "   ", '"', "' OR 1=1 --", "a:* & !b", "NEAR(", "*", "\\", "%_", "x" * 5000):
        assert await found(listed, words) in ([], [talk]), words


@pytest.mark.thorough
@ON_SQLITE
async def test_the_cost_of_a_search_grows_linearly_with_the_answer(store: Store, listed: StoredList):
    async def cost(number: int, words: int) -> float:
        await keep_talk(store, number, "Q?", "many " * words, f"person {number}")
        costs = []
        for _ in range(3):
            begun = time.process_time()
            assert len(await listed.search(f"person {number}", "m ma man many", 5)) == 1
            costs.append(time.process_time() - begun)
        return min(costs)

    once = await cost(1, 4_000)
    assert await cost(2, 16_000) <= 6 * once + 0.2


async def test_a_slow_query_is_cancelled(database: Database):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(TooCostlyError):
        async with database.reading(0.1) as connection:
            await connection.execute(text(endless))
    async with database.reading() as connection:
        assert (await connection.execute(text("SELECT 1"))).scalar_one() == 1


async def test_conversations_unused_since_a_time_are_purged(store: Store, listed: StoredList):
    await keep(store, 2)
    talks = [conversation(number).id for number in (2, 1)]
    for older_than, left in ((None, 2), (1001.0, 2), (1001.5, 1), (1002.0, 1), (1003.0, 0)):
        there = len(await listed.updated("me", talks))
        assert await listed.purge(deleted_before=0.0, older_than=older_than) == there - left
        assert [one.id for one in await listed.page("me", None, 10)] == talks[:left]
    # A comparison is as new as its second column.
    first, column = conversation(1), conversation(3, compared_with=conversation(1).id)
    await store.write(Changes((first, conversation(2), column)))
    for older_than, removed, columns in ((1003.0, 1, [column.id]), (1004.0, 2, [])):
        assert await listed.purge(deleted_before=0.0, older_than=older_than) == removed
        assert await listed.second_columns_of("me", first.id) == columns


async def test_restoring_brings_back_only_parts_deleted_with_the_conversation(store: Store, listed: StoredList):
    first, *columns = conversation(1), *(conversation(number, compared_with=conversation(1).id) for number in (2, 3))
    await store.write(Changes((first, *columns), tuple(turn(one) for one in (first, *columns))))
    complete, _ = await listed.bytes_of("me")
    assert await listed.delete("me", columns[0].id)
    kept, _ = await listed.bytes_of("me")
    assert await listed.delete("me", first.id)
    assert await listed.bytes_to_restore("me", first.id) == kept < complete
    assert await listed.restore("me", first.id)
    assert await listed.second_columns_of("me", first.id) == [columns[1].id]


WORDS = " ".join(f"word{number:03}" for number in range(100))


def test_a_short_text_is_shown_whole_and_a_long_one_around_the_match():
    assert excerpt_of("Buoys\n are  red.", ["red"]) == "Buoys are red."
    assert excerpt_of("", ["red"]) == ""
    around = " ".join(f"word{number:03}" for number in range(46, 60))
    assert excerpt_of(WORDS, ["word050"]) == f"…{around}…"
    assert excerpt_of(WORDS, ["word000"]).startswith("word000 ")
    assert excerpt_of(WORDS, ["word099"]).endswith(" word099")


def test_the_first_match_is_shown_without_regard_to_case_and_accents():
    for words in (["none", "word050"], ["WORD050"]):
        assert "word050" in excerpt_of(WORDS, words)
        assert not excerpt_of(WORDS, words).startswith("word000")
    assert excerpt_of(WORDS, ["none"]).startswith("word000")
    assert "word050" not in excerpt_of(WORDS, ["none"])
    assert len(excerpt_of("a " * EXCERPTED, ["none"])) < 100
    assert "Été" in excerpt_of("reprise " * 30 + "Été" + " later" * 30, ["ete"])
    assert "red buoys" in excerpt_of("unred _red " * 200 + "red buoys" + " later" * 30, ["red"])


def test_a_cut_is_marked_on_its_side():
    assert excerpt_of("red " + "later " * 20, ["red"]) == "red " + " ".join(["later"] * 12) + "…"
    assert excerpt_of("early " * 20 + "red", ["red"]) == "…" + " ".join(["early"] * 6) + " red"
    assert excerpt_of("x" * 500, ["x"]) == "x" * 80 + "…"
    assert excerpt_of("x" * 50 + "red" + "y" * 100, ["none", "x"]) == "x" * 50 + "red" + "y" * 27 + "…"


async def begun(conversations: Conversations, client: AsyncClient, half: StandIn, owner: str = "me") -> Conversation:
    """A stored conversation of one question."""
    talk = conversations.start(owner)
    conversations.lists.has_begun(talk)
    before = conversations.lists.revision(owner)
    await ask(client, talk, half, "Colour?").generation.wait_for_end()
    await until(lambda: conversations.lists.revision(owner) > before and talk.is_written)
    return talk


async def test_a_change_of_a_list_is_told_only_to_its_person(client, half, conversations):
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
async def test_an_unwritten_conversation_can_be_changed(client, endless, conversations, change: str):
    talk, stored = conversations.start("me"), conversations.lists.stored
    change_it, more = getattr(conversations.lists, change), {"rename": ["Floats"], "pin": [True]}
    ask(client, talk, endless, "Colour?")
    assert not talk.is_written
    assert await change_it("me", talk.id, *more.get(change, []))
    listed = [(one.title, one.pinned) for one in [*await stored.page("me", None, 10), *await stored.pinned("me")]]
    assert listed == {"rename": [("Floats", False)], "pin": [("Colour?", True)], "delete": []}[change]


async def test_deletion_stops_the_answer_and_is_only_for_the_owner(client, half, endless, conversations):
    talk, lists = await begun(conversations, client, half), conversations.lists
    made = ask(client, talk, endless).generation
    await made.signal.wait(made.signal.revision)
    theirs = (lists.delete("you", talk.id), lists.delete_all("you"), lists.rename("you", talk.id, "Theirs"))
    for change in (*theirs, lists.pin("you", talk.id, True)):
        assert not await change
        assert (made.ended, talk.deleted, talk.record.renamed, talk.record.pinned) == (False, False, False, False)
    assert await lists.delete("me", talk.id)
    assert not await lists.restore("you", talk.id)
    assert made.ended
    assert talk.deleted
    assert await conversations.get("me", talk.id) is None
    assert not await lists.may_have_any("me")
    assert await lists.restore("me", talk.id)
    assert await lists.may_have_any("me")
    again = await conversations.get("me", talk.id)
    assert again is not None
    assert again is not talk
    other = await begun(conversations, client, half, "you")
    await conversations.attachments.keep("me", "a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    image = await conversations.attachments.keep("you", "a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert await lists.delete_all("me") == 1
    assert (again.deleted, other.deleted) == (True, False)
    assert not await lists.may_have_any("me")
    assert await conversations.get("you", other.id) is other
    assert await conversations.attachments.find("you", image.id) is not None


async def test_the_latest_messages_are_exported(client, half, conversations: Conversations):
    talk, lists = conversations.start("me"), conversations.lists
    await ask(client, talk, half, "transcript?").generation.wait_for_end()
    complete = await lists.transcript("me", talk.id)
    assert [one.question for one in complete.turns] == ["transcript?"]
    assert [one.answer.text for one in complete.generations] == ["Half an answer"]
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
    edited = talk.edit(client, Backend(f"{half.url}/chat"), talk.turns[1].id, "edited?", {})
    await edited.generation.wait_for_end()
    _, turns, _ = await lists.shown_with_origins("me", talk.id)
    assert [question for question, *_ in turns] == ["transcript?", "edited?"]


async def test_a_server_without_a_store_reports_a_missing_list():
    lists = Conversations(nowhere).lists
    assert await lists.may_have_any("me")
    for use in (lists.rename("me", "x", "y"), lists.delete("me", "x"), lists.transcript("me", "x")):
        with pytest.raises(StoreUnavailableError, match="is not connected"):
            await use


async def test_a_second_arm_is_hidden_until_it_parts_and_deletion_reaches_it(
    client, half, conversations: Conversations
):
    talk = await begun(conversations, client, half)
    column = await conversations.compare(talk)
    assert await conversations.compare(talk) is column
    await ask(client, column, half).generation.wait_for_end()
    await conversations.part(talk)
    assert column.record.compared_with is None
    assert await conversations.second_column("me", talk.id) is None
    assert {one.id for one in await conversations.lists.stored.page("me", None, 5)} == {talk.id, column.id}
    await conversations.repository.catch_up()
    assert await conversations.lists.stored.delete("me", talk.id)
    assert await conversations.get("me", talk.id) is talk
    talk.outdate()
    assert await conversations.get("me", talk.id) is None
    assert talk.deleted


async def test_everything_of_a_person_or_one_conversation_is_handed_over(store: Store, listed: StoredList):
    one = await keep_talk(store, 1, "Where do buoys drift?", "Northwards.")
    other = await keep_talk(store, 2, "Where are buoys?", "In the sea.")
    column = conversation(3, compared_with=one)
    await store.write(Changes((column, conversation(4, "you")), current={"me": other}))
    await listed.delete("me", other)
    assert set(await listed.hand_over("me", "anna", one)) == {one, column.id}
    assert await found(listed, "buoys", "anna") == [one]
    assert await listed.count("anna") == 1
    assert await listed.hand_over("me", "anna", other) == []
    assert await listed.hand_over("me", "anna") == [other]
    assert await listed.restore("anna", other)
    assert await store.outline("me", other) is await store.current("me") is None
    assert [await listed.count(owner) for owner in ("anna", "me", "you")] == [2, 0, 1]


async def test_a_running_answer_is_not_handed_over(store: Store, listed: StoredList):
    talk = conversation()
    running = generation(asked := turn(talk), status=Status.RUNNING)
    await store.write(Changes((talk,), (asked,), (running,)))
    for only in (talk.id, ""):
        with pytest.raises(StillAnsweringError):
            await listed.hand_over("me", "anna", only)
    assert await store.outline("me", talk.id) is not None
