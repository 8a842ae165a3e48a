"""Side by side: two columns, each with its own history, options, answers and end."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.accounts import Accounts
from tests.page.state.pages import (
    BOTH,
    Pages,
    ask,
    ask_both,
    at_conversation,
    compare,
    latest,
    open_page,
    open_pages,
    questions,
    redirects,
    saying,
)
from tests.page_socket import ARM_CHOICE, CHAT, SECOND_ARM, PageSocket
from tests.stand_ins.lookalikes import SSE
from tests.stand_ins.stand_in import JSON_LINES, Received, Reply, lines

pytestmark = pytest.mark.asyncio(loop_scope="module")
Object = dict[str, Any]


def said_to(pages: Pages) -> list[list[str]]:
    """The messages of each request."""
    return [[one["content"] for one in request.json["messages"]] for request in pages.backend.requests]


def counting() -> Callable[[Received], Reply]:
    """A backend that numbers its answers."""
    numbers = iter(range(100))
    return lambda _: saying(f"Answer {next(numbers)}.")


def one_at_a_time(first: Reply, **headers: str) -> Callable[[Received], Reply]:
    """Answer the first question like this, refuse the second, and answer further ones."""
    busy = Reply([lines({"error": "One at a time."})], status=429, headers={**JSON_LINES, **headers})
    replies = iter([first, busy])
    return lambda _: next(replies, saying("Red."))


def of_history(body: Object, number: str) -> tuple[str, Reply]:
    said = [one["content"] for one in body["messages"] if one["role"] == "assistant"]
    return (number := said[0] if said else number), saying(number)


def of_session_state(body: Object, number: str) -> tuple[str, Reply]:
    number = (body.get("sessionState") or {}).get("number", number)
    return number, saying(number, sessionState={"number": number})


def of_previous_response(body: Object, number: str) -> tuple[str, Reply]:
    number = body.get("previous_response_id") or number
    content = [{"type": "output_text", "text": number, "annotations": []}]
    output = [{"type": "message", "id": "m", "role": "assistant", "content": content}]
    complete = {"id": number, "object": "response", "status": "completed", "store": True, "output": output}
    return number, Reply([b"data: " + lines({"type": "response.completed", "response": complete}) + b"\n"], headers=SSE)


def of_thread(body: Object, _: str) -> tuple[str, Reply]:
    number, run = body["threadId"], {"threadId": body["threadId"], "runId": body["runId"]}
    said = {"type": "TEXT_MESSAGE_CONTENT", "messageId": body["runId"], "delta": number}
    events = ({"type": "RUN_STARTED", **run}, said, {"type": "RUN_FINISHED", **run})
    return number, Reply([b"".join(b"data: " + lines(event) + b"\n" for event in events)], headers=SSE)


@pytest.mark.parametrize(
    ("kind", "path", "remembers"),
    [
        ("ai-chat-protocol", "/chat", of_history),
        ("ai-chat-protocol", "/chat", of_session_state),
        pytest.param("openai-responses", "/v1/responses", of_previous_response, marks=pytest.mark.thorough),
        pytest.param("ag-ui", "/agent", of_thread, marks=pytest.mark.thorough),
    ],
)
async def test_each_arm_gets_only_its_own_history_also_after_a_reload(
    tmp_path: Path, kind: str, path: str, remembers: Callable[[Object, str], tuple[str, Reply]]
):
    """The backend answers with the number in the request's history, or with a new one."""
    answered: list[str] = []

    def reply(received: Received) -> Reply:
        number, answer = remembers(received.json, f"number {len(answered)}")
        answered.append(number)
        return answer

    async with open_pages(tmp_path, reply, [{"name": "Here", "url": path, "kind": kind}]) as pages:
        async with pages.booted() as page:
            await compare(page)
            await ask_both(page, "First?")
            remembered = {f"{CHAT}.remembered": page.states[CHAT]["conversation_id"]}
        async with pages.page() as page:
            await page.boot(remembered)
            await page.until(lambda _: page.states[SECOND_ARM]["comparing"])
            await ask_both(page, "Second?")
            assert questions(page) == [["First?", "Second?"]] * 2
            ids = [page.states[state]["conversation_id"] for state in BOTH]
        columns = [await pages.services.conversations.get("ann", one) for one in ids]
        said = [[turn.generation.answer.text for turn in column.turns] for column in columns if column]
    assert [len(set(texts)) for texts in said] == [1, 1]
    assert said[0] != said[1]
    assert sorted(answered[:2]) == sorted(answered[2:])


def temperatures(pages: Pages) -> list[float | None]:
    """The temperatures of the last two requests."""
    sent = [request.json["context"]["overrides"].get("temperature") for request in pages.backend.requests[-2:]]
    return sorted(sent, key=str)


async def test_each_column_offers_the_sign_in_of_its_own_backend(tmp_path: Path):
    offered = [{"name": name, "url": f"/{name}/chat", "pass_token": True, "token_scope": name} for name in ("a", "b")]
    async with open_page(tmp_path, None, offered) as (pages, page):
        tokens = pages.services.backends.tokens
        await compare(page)
        for ended, signs_in in (("b", ["", "given:b"]), ("a", ["given:a", ""])):
            tokens.accounts = Accounts(ended=ended, ann="")
            await page.send(f"{SECOND_ARM}.ask_both", {"question": "Colour?", "attached": []})
            await page.until(lambda _, one=signs_in: [page.states[state]["sign_in"] for state in BOTH] == one)


async def test_options_of_the_second_arm_are_separate_named_and_kept(pages: Pages, page: PageSocket):
    await compare(page)
    await page.send(f"{ARM_CHOICE}.set_column_option", {"key": "temperature", "value": "0.2"})
    await page.until(lambda _: page.states[ARM_CHOICE]["option_differences"][1])
    named = page.states[ARM_CHOICE]["option_differences"]
    assert named == [["Temperature: default"], ["Temperature: 0.2"]]
    await ask_both(page, "Colour?")
    assert temperatures(pages) == [0.2, None]
    async with pages.page() as other:
        await other.boot({f"{CHAT}.remembered": page.states[CHAT]["conversation_id"]})
        await other.do(f"{SECOND_ARM}.open", until=lambda _: other.states[SECOND_ARM]["comparing"])
        await ask_both(other, "And then?")
    assert (len(pages.backend.requests), temperatures(pages)) == (4, [0.2, None])
    await page.send(f"{ARM_CHOICE}.set_column_option", {"key": "temperature", "value": "hot"})
    await page.until(lambda _: page.states[ARM_CHOICE]["rows"][0]["problem"])
    assert page.states[ARM_CHOICE]["option_differences"][1] == ["Temperature: 0.2"]


async def test_a_pair_is_one_list_entry_until_the_comparison_ends(pages: Pages, page: PageSocket):
    await compare(page)
    await ask_both(page, "Colour?")
    lists = pages.services.conversations.lists
    await pages.services.conversations.repository.catch_up()
    ids = [page.states[state]["conversation_id"] for state in BOTH]
    assert [one.id for one in await lists.stored.page(pages.me, None, 10)] == ids[:1]
    assert [found.conversation.id for found in await lists.stored.search(pages.me, "red", 10)] == ids[:1]
    await page.do(f"{SECOND_ARM}.end", until=lambda _: not page.states[SECOND_ARM]["comparing"])
    assert {one.id for one in await lists.stored.page(pages.me, None, 10)} == set(ids)
    assert questions(page) == [["Colour?"], []]


async def test_a_pair_is_deleted_and_restored_together(pages: Pages, page: PageSocket):
    await compare(page)
    await ask_both(page, "Colour?")
    first, second = [page.states[state]["conversation_id"] for state in BOTH]
    conversations = pages.services.conversations
    assert await conversations.lists.delete(pages.me, first)
    await page.until(lambda _: not page.states[SECOND_ARM]["comparing"])
    assert await conversations.get(pages.me, second) is None
    assert await conversations.lists.restore(pages.me, first)
    found = await conversations.second_column(pages.me, first)
    assert found is not None
    assert found.id == second


async def test_old_questions_are_asked_in_the_second_arm_in_turn(pages: Pages, page: PageSocket):
    pages.backend.reply = counting()
    await ask(page, "First?")
    await ask(page, "Second?")
    await compare(page)
    # A double click.
    await page.send(f"{SECOND_ARM}.ask_in_turn")
    await page.send(f"{SECOND_ARM}.ask_in_turn")
    await page.until(lambda _: questions(page)[1] == ["First?", "Second?"] and not latest(page)[1]["live"])
    await page.hear()
    assert page.states[SECOND_ARM]["refusal"] == ""
    assert said_to(pages)[2:] == [["First?"], ["First?", "Answer 2.", "Second?"]]


async def test_an_edit_in_the_first_arm_is_an_edit_in_the_second(pages: Pages, page: PageSocket):
    pages.backend.reply = counting()
    await compare(page)
    await ask_both(page, "First?")
    await ask_both(page, "Second?")
    before = latest(page)[0]["id"]
    await page.send(f"{CHAT}.edit", {"turn": page.states[CHAT]["turns"][1]["id"], "question": "Another?"})
    await page.until(lambda _: latest(page)[0]["id"] != before and not latest(page)[0]["live"])
    await page.send(f"{SECOND_ARM}.ask_in_turn")
    await page.until(lambda _: questions(page)[1] == ["First?", "Another?"] and not latest(page)[1]["live"])
    assert questions(page)[0] == ["First?", "Another?"]
    assert [said[::2] for said in said_to(pages)[4:]] == [["First?", "Another?"]] * 2


async def test_a_stopped_arm_does_not_stop_the_other(pages: Pages, page: PageSocket):
    rest = asyncio.Event()
    begin, end = (lines({"delta": {"role": "assistant", "content": words}}) for words in ("Re", "d."))
    pages.backend.reply = Reply([begin, rest, end])
    await compare(page)
    await page.send(f"{SECOND_ARM}.ask_both", {"question": "Colour?", "attached": []})
    await page.until(lambda _: all(one.get("live") for one in latest(page)))
    await page.do(f"{SECOND_ARM}.stop", until=lambda _: latest(page)[1]["status"] == "stopped")
    assert latest(page)[0]["live"]
    rest.set()
    await page.until(lambda _: latest(page)[0]["status"] == "finished")


async def test_an_arm_refused_as_busy_is_asked_after_the_other(pages: Pages, page: PageSocket):
    rest = asyncio.Event()
    pages.backend.reply = one_at_a_time(Reply([lines({"delta": {"role": "assistant", "content": "Re"}}), rest]))
    await compare(page)
    await page.send(f"{SECOND_ARM}.ask_both", {"question": "Colour?", "attached": []})
    await page.until(lambda _: any(one.get("status") == "failed" for one in latest(page)))
    refused = next(place for place, one in enumerate(latest(page)) if one["status"] == "failed")
    assert latest(page)[refused]["error"]
    await page.until(lambda _: page.states[SECOND_ARM]["waiting"] == ("left", "right")[refused])
    rest.set()
    await page.until(lambda _: [one["status"] for one in latest(page)] == ["finished"] * 2)
    assert page.states[SECOND_ARM]["waiting"] == ""
    assert latest(page)[refused]["count"] == 2


async def test_the_better_answer_is_kept_with_both_ids_for_its_owner(pages: Pages):
    async with pages.page() as page, pages.page("bob") as other:
        await page.boot()
        await compare(page)
        await ask_both(page, "Colour?")
        left, right = [one["id"] for one in latest(page)]
        choice = {"left": left, "right": right, "better": "right"}
        await page.do(f"{SECOND_ARM}.prefer", choice, lambda _: page.states[SECOND_ARM]["chosen"])
        await page.send(f"{SECOND_ARM}.prefer", {**choice, "better": "equal"})
        await page.until(lambda _: page.states[SECOND_ARM]["chosen"] == {f"{left} {right}": "equal"})
        conversations = pages.services.conversations
        column = await conversations.second_column(pages.me, page.states[CHAT]["conversation_id"])
        assert column is not None
        # Not another person's answers, and not the same one twice.
        await other.boot()
        for one, foreign in ((other, choice), (page, {**choice, "right": left})):
            await one.do(f"{SECOND_ARM}.prefer", foreign, lambda _, one=one: one.states[SECOND_ARM]["choice_problem"])
        assert await conversations.preferred(column, 10) == [(left, right, "equal")]
        # The choice is restored for an older answer.
        await page.send(f"{SECOND_ARM}.answer_again")
        await page.until(lambda _: latest(page)[1]["id"] != right and not latest(page)[1]["live"])
        await page.do(f"{SECOND_ARM}.open")
        assert page.states[SECOND_ARM]["chosen"] == {f"{left} {right}": "equal"}


async def test_an_unasked_arm_is_made_anew_on_a_server_without_it(pages: Pages, page: PageSocket):
    await compare(page)
    unknown = page.states[SECOND_ARM]["conversation_id"]
    await pages.services.conversations.lists.forget(unknown)
    await ask_both(page, "Colour?")
    assert questions(page) == [["Colour?"]] * 2
    assert page.states[SECOND_ARM]["conversation_id"] != unknown
    assert page.states[SECOND_ARM]["comparing"]


async def test_two_tabs_share_a_second_arm(pages: Pages, page: PageSocket):
    async with pages.page() as other:
        await ask(page, "Old?")
        await other.boot({f"{CHAT}.remembered": page.states[CHAT]["conversation_id"]})
        await compare(page)
        await ask_both(page, "First?")
        await compare(other)
        assert questions(other) == [["Old?", "First?"], ["First?"]]
        await ask_both(other, "Second?")
        await page.until(lambda _: questions(page)[1] == ["First?", "Second?"])
        await other.send(f"{SECOND_ARM}.end")
        await page.until(lambda _: not page.states[SECOND_ARM]["comparing"])


@pytest.mark.parametrize("limits", [{"questions_per_minute": 1}, {"answers_at_once": 1}, {"question_characters": 6}])
async def test_a_question_refused_for_an_arm_goes_to_neither(tmp_path: Path, limits: dict[str, int]):
    async with open_page(tmp_path, **limits) as (pages, page):
        await compare(page)
        await page.send(f"{SECOND_ARM}.ask_both", {"question": "Colour?", "attached": []})
        await page.until(lambda _: page.states[CHAT]["refusal"])
        await page.hear()
        assert page.states[CHAT]["returned"] == "Colour?"
        assert questions(page) == [[], []]
        assert pages.backend.requests == []


async def test_a_second_arm_is_shown_only_beside_the_first(pages: Pages):
    async with pages.page() as page, pages.page() as other, pages.page() as there:
        await page.boot()
        await compare(page)
        await ask_both(page, "Colour?")
        first, second = [page.states[state]["conversation_id"] for state in BOTH]
        await other.boot(router=at_conversation(second))
        await other.until(lambda _: redirects(other) == [f"/c/{first}"])
        await there.boot(router=at_conversation(first))
        await there.send(f"{SECOND_ARM}.open", router=at_conversation(first))
        await there.until(lambda _: questions(there) == [["Colour?"]] * 2)
        await there.send(f"{CHAT}.new_chat")
        await there.do(f"{SECOND_ARM}.open", until=lambda _: not there.states[SECOND_ARM]["comparing"])
        assert questions(there) == [[], []], "a new chat has one column"


@contextmanager
def store_away(folder: Path) -> Iterator[None]:
    (folder / "chat.db").rename(folder / "away.db")
    try:
        yield
    finally:
        (folder / "away.db").rename(folder / "chat.db")


async def test_an_unreadable_arm_stays_and_an_outage_starts_no_comparison(tmp_path: Path):
    async with open_page(tmp_path, counting(), retention_days=None) as (pages, page):
        await compare(page)
        await ask_both(page, "First?")
        conversations = pages.services.conversations
        await conversations.repository.catch_up()
        conversations._memory.forget(page.states[SECOND_ARM]["conversation_id"])
        with store_away(tmp_path):
            await page.send(f"{SECOND_ARM}.ask_both", {"question": "Second?", "attached": []})
            await page.until(lambda _: page.states[SECOND_ARM]["refusal"])
        assert page.states[CHAT]["returned"] == "Second?"
        await ask_both(page, "Third?")
        assert questions(page) == [["First?", "Third?"]] * 2
        await conversations.repository.catch_up()
        with store_away(tmp_path):
            for event in (f"{CHAT}.new_chat", f"{SECOND_ARM}.open"):
                await page.send(event)
            await page.until(lambda _: not page.states[SECOND_ARM]["comparing"])
            await ask(page, "Fourth?")
        assert said_to(pages)[4:] == [["Fourth?"]]


async def test_a_tab_remembers_an_unasked_arm(pages: Pages):
    async with pages.page() as page, pages.page() as again:
        await page.boot()
        await ask(page, "Old?")
        await compare(page)
        conversation = page.states[CHAT]["conversation_id"]
        assert page.states[SECOND_ARM]["begun"] == conversation
        await pages.services.conversations.lists.forget(page.states[SECOND_ARM]["conversation_id"])
        await again.boot({f"{CHAT}.remembered": conversation, f"{SECOND_ARM}.begun": conversation})
        await again.do(f"{SECOND_ARM}.open", until=lambda _: again.states[SECOND_ARM]["comparing"])
        await ask_both(again, "Colour?")
        assert again.states[SECOND_ARM]["begun"] == ""


async def test_a_stopped_question_is_not_asked_again_after_a_busy_refusal(pages: Pages, page: PageSocket):
    pages.backend.reply = one_at_a_time(saying("Red."), **{"Retry-After": "1"})
    await compare(page)
    await page.send(f"{SECOND_ARM}.ask_both", {"question": "Colour?", "attached": []})
    await page.until(lambda _: page.states[SECOND_ARM]["waiting"])
    await page.do(f"{SECOND_ARM}.stop_waiting", until=lambda _: not page.states[SECOND_ARM]["waiting"])
    await ask_both(page, "And then?")
    assert len(pages.backend.requests) == 4
