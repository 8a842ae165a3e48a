import asyncio
from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch

import pytest

from chat_ui.backends.personal_choices import read_choices
from chat_ui.conversations.people import limits
from chat_ui.page.state import chat
from chat_ui.page.state.chat import CONTINUE, EDITED_IS_GONE, MOST_ASKED_AFTER, NOT_FOUND, NOT_READABLE, STILL_ANSWERING
from chat_ui.page.state.views import QUESTION_SHOWN
from tests.accounts import Accounts
from tests.page.state.pages import LIST, Pages, ask, at_conversation, open_page, open_pages, redirects, saying
from tests.page_socket import BACKEND, CHAT, DIALOG, SECOND_ARM, PageSocket
from tests.stand_ins.stand_in import Received, Reply, lines

pytestmark = pytest.mark.asyncio(loop_scope="module")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def questions(state: dict) -> list[str]:
    return [turn["question"] for turn in state["turns"]]


async def anew(page: PageSocket) -> dict:
    return await page.do(f"{CHAT}.new_chat", until=lambda state: not state["turns"])


async def ask_with(page: PageSocket, question: str, *attached: str, answer: str = "", shown: str = "") -> None:
    asked = {"question": question, "attached": attached, "answer": answer, "shown": shown}
    await page.send(f"{SECOND_ARM}.ask_both", asked)


async def test_a_question_and_its_answer_are_shown_and_remembered_by_the_tab(pages: Pages, page: PageSocket):
    await page.do(f"{CHAT}.ask", {"question": " \n"})
    assert (page.state["turns"], page.state["refusal"], page.state["returned"]) == ([], "", "")
    before = page.state["list_revision"]
    state = await ask(page, "Colour?")
    assert questions(state) == ["Colour?"]
    assert (state["latest"]["status"], state["latest"]["characters"]) == ("finished", 4)
    assert state["remembered"] == state["conversation_id"] != ""
    assert (state["title"], state["refusal"], state["has_earlier"]) == ("Colour?", "", False)
    assert [one.json["messages"][-1]["content"] for one in pages.backend.requests] == ["Colour?"]
    await page.until(lambda state: state["list_revision"] > before)


async def test_a_long_question_or_a_full_store_returns_the_question(tmp_path: Path):
    async with open_page(tmp_path, question_characters=100, person_bytes=1024) as (_, page):
        for length, word in ((101, "100"), (2000, "Not enough storage")):
            state = await page.do(f"{CHAT}.ask", {"question": "x" * length}, lambda state: state["refusal"])
            assert word in state["refusal"]
            assert (state["returned"], bool(state["returned_as"]), state["turns"]) == ("x" * length, True, [])
            page.state["refusal"] = ""
        state = await ask(page, "x" * 100)
        assert (state["refusal"], state["returned"]) == ("", "")


async def test_a_question_that_needs_a_sign_in_is_returned_with_its_backend(pages: Pages, page: PageSocket):
    with patch.object(pages.services.backends.tokens, "accounts", Accounts(is_required=True)):
        state = await page.do(f"{CHAT}.ask", {"question": "Colour?"}, lambda state: state["refusal"])
        assert (state["sign_in"], state["returned"], state["turns"]) == ("given:Here", "Colour?", [])
    assert (await ask(page, "Colour?"))["sign_in"] == ""


async def test_a_question_beyond_the_limits_of_people_or_rate_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with open_page(tmp_path, questions_per_minute=1) as (_, page):
        with monkeypatch.context() as full:
            for bound, value in (("TIMEOUT", 0), ("LATE", -1), ("FEW", 0)):
                full.setattr(limits, bound, value)
            state = await page.do(f"{CHAT}.ask", {"question": "First?"}, lambda state: state["refusal"])
            words = "Too many people are asking at once. Try again in 10 seconds."
            assert (state["refusal"], state["returned"]) == (words, "First?")
        state = await ask(page, "First?")
        assert (state["refusal"], state["returned"]) == ("", ""), "the one before was not counted"
        state = await page.do(f"{CHAT}.answer_again", until=lambda state: state["refusal"])
        await page.hear()
        assert state["latest"]["count"] == 1
        await page.do(f"{CHAT}.edit", {"turn": state["turns"][0]["id"], "question": "Second?"})
        assert questions(page.state) == ["First?"]


async def test_a_running_answer_blocks_further_questions_and_can_be_stopped(pages: Pages, page: PageSocket):
    pages.backend.reply = Reply([lines({"delta": {"role": "assistant", "content": "One, "}}), float("inf")])
    await page.send(f"{CHAT}.ask", {"question": "Count."})
    await page.until(lambda state: state.get("turns") and state["latest"]["live"])
    state = await page.do(f"{CHAT}.ask", {"question": "Faster."}, lambda state: state["refusal"])
    assert (state["refusal"], state["returned"]) == (STILL_ANSWERING, "Faster.")
    state = await page.do(f"{CHAT}.stop", until=lambda state: not state["latest"]["live"])
    assert state["latest"]["notice"] == "You stopped this answer."
    pages.backend.reply = saying("Two.")
    state = await page.do(f"{CHAT}.go_on", until=lambda state: len(state["turns"]) == 2 and not state["latest"]["live"])
    assert questions(state) == ["Count.", CONTINUE], "to go on asks for the rest"


async def test_an_edited_question_replaces_its_turn_or_is_returned(page: PageSocket):
    await ask(page, "Colour?")
    await page.do(f"{CHAT}.edit", {"turn": "none such", "question": "Colour?"})
    assert (page.state["refusal"], page.state["returned"]) == ("", "")
    state = await page.do(f"{CHAT}.edit", {"turn": "none such", "question": "Size?"}, lambda state: state["refusal"])
    assert (state["refusal"], state["returned"]) == (EDITED_IS_GONE, "Size?")
    assert questions(state) == ["Colour?"]
    state = await ask(page, "And green?")
    first = state["turns"][0]["id"]
    await page.do(f"{CHAT}.edit", {"turn": first, "question": " "})
    assert questions(page.state) == ["Colour?", "And green?"]
    await page.send(f"{CHAT}.edit", {"turn": first, "question": "Size?"})
    state = await page.until(lambda state: questions(state) == ["Size?"] and not state["latest"]["live"])
    assert (state["turns"][0]["version"], state["turns"][0]["versions"]) == (2, 2)
    await page.send(f"{CHAT}.show_version", {"turn": state["turns"][0]["id"], "number": 1})
    state = await page.until(lambda state: questions(state) == ["Colour?", "And green?"])
    assert (state["turns"][0]["version"], state["turns"][0]["versions"]) == (1, 2)
    await page.do(f"{CHAT}.show_version", {"turn": "none such", "number": 1})
    assert page.state["refusal"] == ""


async def test_a_question_is_regenerated_and_each_answer_can_be_shown(page: PageSocket):
    await page.do(f"{CHAT}.answer_again")
    assert not page.state["turns"]
    state = await ask(page, "Colour?")
    turn, first = state["turns"][0]["id"], state["latest"]["id"]
    await page.send(f"{CHAT}.answer_again")
    state = await page.until(lambda state: state["latest"]["count"] == 2 and not state["latest"]["live"])
    assert (state["latest"]["number"], len(state["turns"])) == (2, 1)
    assert state["latest"]["id"] != first
    await page.send(f"{CHAT}.choose_answer", {"turn": turn, "number": 1})
    state = await page.until(lambda state: state["latest"]["number"] == 1)
    assert state["latest"]["id"] == first
    await page.do(f"{CHAT}.choose_answer", {"turn": turn, "number": 9})
    assert page.state["latest"]["number"] == 1


async def test_a_long_conversation_shows_its_end_and_earlier_turns_on_request(
    page: PageSocket, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(chat, "WINDOW", 2)
    await page.do(f"{CHAT}.new_chat")
    asked = [f"Question {number}" for number in range(4)]
    for question in asked:
        state = await ask(page, question)
    assert (questions(state), state["has_earlier"]) == (asked[2:], True)
    state = await page.do(f"{CHAT}.show_earlier", until=lambda state: not state["has_earlier"])
    assert questions(state) == asked
    await page.do(f"{CHAT}.open", router=at_conversation(state["conversation_id"]))
    assert questions(page.state) == asked


async def test_a_new_conversation_is_empty_and_leaves_the_former_address(page: PageSocket):
    former = (await ask(page, "Colour?"))["conversation_id"]
    state = await anew(page)
    assert state["conversation_id"] not in ("", former)
    assert (state["title"], state["latest"]["id"], state["is_gone"]) == ("", "", False)
    assert redirects(page) == []
    await page.do(f"{CHAT}.new_chat", router=at_conversation(former))
    assert redirects(page) == ["/"]
    assert questions(await ask(page, "Size?")) == ["Size?"]


async def test_a_tab_opens_the_conversation_of_its_address_or_its_memory(pages: Pages, page: PageSocket):
    first = (await ask(page, "Colour?"))["conversation_id"]
    await anew(page)
    second = (await ask(page, "Size?"))["conversation_id"]
    remembered = {f"{CHAT}.remembered": first}
    async with pages.page() as other:
        await other.boot(storage=remembered)
        assert (other.state["conversation_id"], questions(other.state)) == (first, ["Colour?"])
    async with pages.page() as other:
        await other.boot(storage=remembered, router=at_conversation(second))
        assert (other.state["conversation_id"], questions(other.state)) == (second, ["Size?"])
        await ask(page, "Weight?")
        state = await other.until(lambda state: len(state["turns"]) == 2 and not state["latest"]["live"])
        assert questions(state) == ["Size?", "Weight?"]
    async with pages.page("bea") as other:
        await other.boot(storage=remembered)
        assert not other.state["turns"]
        assert other.state["conversation_id"] not in ("", first)
        assert other.state["last"] == []


async def test_a_new_tab_has_a_new_conversation_and_names_the_last(pages: Pages, page: PageSocket):
    last = (await ask(page, "Colour?"))["conversation_id"]
    async with pages.booted(token="one") as other:
        assert (other.state["turns"], other.state["last"]) == ([], [last, "Colour?"])
        assert other.state["conversation_id"] != last
        await other.do(f"{CHAT}.open", router=at_conversation(last), until=lambda state: state["turns"])
    # The same tab at the start page, after its browser has dropped the id.
    async with pages.booted(token="one") as other:
        assert (other.state["turns"], other.state["is_gone"], other.state["last"]) == ([], False, [last, "Colour?"])
        await pages.services.conversations.lists.delete(pages.me, last)
        await other.do(f"{LIST}.gone", {"conversation": last}, lambda state: state["last"] == [])


async def test_a_deletion_elsewhere_ends_the_link_to_the_last(pages: Pages, page: PageSocket):
    last = (await ask(page, "Colour?"))["conversation_id"]
    async with pages.booted(token="one") as other:
        assert other.state["last"] == [last, "Colour?"]
        asked = (await ask(other, "Size?"))["conversation_id"]
        for deleted in (last, asked):
            await pages.services.conversations.lists.delete(pages.me, deleted)
        await other.until(lambda state: state["is_gone"] and state["last"] == [])


async def test_an_unknown_address_is_told_until_a_question_is_asked(pages: Pages):
    nowhere = at_conversation("none-such")
    async with pages.page() as page:
        await page.boot(router=nowhere)
        assert (page.state["missing"], page.state["conversation_id"], page.state["turns"]) == (NOT_FOUND, "", [])
        await page.send(f"{SECOND_ARM}.ask_both", {"question": "Lost?", "attached": ["none-such"]}, router=nowhere)
        await page.until(lambda state: state["refusal"])
        await page.send(f"{CHAT}.ask", {"question": "Colour?"}, router=nowhere)
        state = await page.until(lambda state: state["turns"] and redirects(page))
        assert (state["missing"], questions(state)) == ("", ["Colour?"])
        assert redirects(page) == ["/"]


async def test_a_deleted_conversation_is_replaced_and_told_until_the_next(pages: Pages, page: PageSocket):
    former = (await ask(page, "Colour?"))["conversation_id"]
    async with pages.page() as other:
        await other.boot(router=at_conversation(former))
        await pages.services.conversations.lists.delete(pages.me, former)
        await other.until(lambda state: state["is_gone"] and redirects(other))
        assert redirects(other) == ["/"], "a page at its address is sent away from it"
    state = await page.until(lambda state: state["is_gone"])
    assert state["turns"] == []
    assert state["conversation_id"] != former
    state = await ask(page, "Size?")
    assert (state["is_gone"], questions(state)) == (False, ["Size?"])
    second = state["conversation_id"]
    await anew(page)
    third = (await ask(page, "Weight?"))["conversation_id"]
    await pages.services.conversations.lists.delete(pages.me, third)
    await page.until(lambda state: state["is_gone"])
    state = await page.do(f"{CHAT}.open", router=at_conversation(second), until=lambda state: state["turns"])
    assert (state["is_gone"], questions(state)) == (False, ["Size?"])


async def test_a_question_reports_the_conversation_that_its_page_showed(page: PageSocket):
    former = (await ask(page, "Colour?"))["conversation_id"]
    await page.send(f"{CHAT}.new_chat")
    await ask_with(page, "Size?", answer="a" * 22, shown=former)
    state = await page.until(lambda state: questions(state) == ["Size?"] and not state["latest"]["live"])
    assert state["instead_of"] == former
    assert state["latest"]["id"].endswith("a" * 22), "the name that the page awaits the answer under"
    await ask_with(page, "Weight?", shown=state["conversation_id"])
    state = await page.until(lambda state: questions(state) == ["Size?", "Weight?"])
    assert state["instead_of"] == ""


async def test_only_the_beginning_of_a_long_question_is_sent_to_the_page(page: PageSocket):
    for length in (QUESTION_SHOWN, QUESTION_SHOWN + 1):
        turn = (await ask(page, "x" * length))["turns"][-1]
        assert len(turn["question"]) == QUESTION_SHOWN
        assert turn["question_is_cut"] is (length > QUESTION_SHOWN)
        assert turn["question_address"].endswith(f"{turn['answer']['id']}/question")


async def test_a_page_gets_the_outcomes_of_its_questions(page: PageSocket):
    state = await ask(page, "Colour?")
    await page.until(lambda state: state["written"])
    conversation, turn = state["conversation_id"], state["turns"][0]["id"]
    there, absent, nowhere = f"{conversation}.{turn}", f"{conversation}.other", "nowhere.other"
    await page.send(f"{CHAT}.find_questions", {"asked": [there, absent, nowhere]})
    state = await page.until(lambda state: state["findings"])
    assert state["findings"] == {there: True, absent: False, nowhere: False}
    await page.send(f"{CHAT}.find_questions", {"asked": [str(number) for number in range(200)]})
    state = await page.until(lambda state: there not in state["findings"])
    assert len(state["findings"]) == MOST_ASKED_AFTER


TAKES_FILES = [
    {"name": "Here", "url": "/chat", "kind": "ai-chat-protocol"},
    {"name": "There", "url": "/v1/chat/completions", "kind": "openai-compatible"},
]


async def test_an_attached_image_goes_with_its_question_and_its_versions(tmp_path: Path):
    async with open_page(tmp_path, offered=TAKES_FILES) as (pages, page):
        keep = pages.services.conversations.attachments.keep
        image, plan = await keep("ann", "buoy.png", PNG), await keep("ann", "plan.csv", b"Colour;Size")
        assert page.state["accepts"] == [""]
        await ask_with(page, "Colour?", image.id, plan.id)
        state = await page.until(lambda state: state["turns"] and not state["latest"]["live"])
        assert [file["name"] for file in state["turns"][0]["images"]] == ["buoy.png", "plan.csv"]
        assert state["turns"][0]["images"][1] == {"address": f"/api/attachments/{plan.id}", **asdict(plan.named)}
        await page.send(f"{CHAT}.edit", {"turn": state["turns"][0]["id"], "question": "Size?"})
        state = await page.until(lambda state: questions(state) == ["Size?"] and not state["latest"]["live"])
        assert [file["name"] for file in state["turns"][0]["images"]] == ["buoy.png", "plan.csv"]
        assert [plan.file.data in request.body for request in pages.backend.requests] == [True, True]
        await pages.services.conversations.attachments.forget_all("ann")
        state = await page.do(f"{CHAT}.answer_again", until=lambda state: state["refusal"])
        assert "file of this question is not available" in state["refusal"]
        await page.hear()
        assert page.state["latest"]["count"] == 1
        await page.do(f"{CHAT}.edit", {"turn": state["turns"][0]["id"], "question": "Shape?"})
        assert questions(page.state) == ["Size?"]


async def test_another_backend_gets_only_the_files_that_it_takes(tmp_path: Path):
    async with open_page(tmp_path, offered=TAKES_FILES) as (pages, page):
        keep = pages.services.conversations.attachments.keep
        image, plan = await keep("ann", "buoy.png", PNG), await keep("ann", "plan.csv", b"Colour;Size")
        await ask_with(page, "Colour?", image.id, plan.id)
        await page.until(lambda state: state["turns"] and not state["latest"]["live"])
        await page.do(f"{BACKEND}.select", {"backend_id": "given:There"}, lambda state: len(state["accepts"]) == 2)
        state = await page.do(f"{CHAT}.answer_again", until=lambda state: state["refusal"])
        assert state["refusal"].startswith("This backend does not take plan.csv. Choose another backend")
        await ask(page, "And now?")
        content = pages.backend.requests[-1].json["messages"][0]["content"]
        assert [part["type"] for part in content] == ["text", "image_url"]


async def test_images_that_cannot_be_sent_return_the_question(pages: Pages, page: PageSocket):
    await ask_with(page, "Colour?", "none-such")
    state = await page.until(lambda state: state["refusal"])
    assert "attached file is not available" in state["refusal"]
    assert (state["returned"], state["turns"]) == ("Colour?", [])
    image = await pages.services.conversations.attachments.keep(pages.me, "buoy.png", PNG)
    assert page.state["accepts"] == []
    await ask_with(page, "Size?", image.id)
    state = await page.until(lambda state: "does not take buoy.png" in state["refusal"])
    assert (state["returned"], state["turns"]) == ("Size?", [])


@pytest.mark.parametrize("way", ["ask", "answer_again", "edit"])
async def test_the_outcome_at_a_backend_is_noted_also_after_leaving_the_answer(
    pages: Pages, page: PageSocket, way: str
):
    def outcome(state: dict) -> str | None:
        return state["last_outcomes"].get("given:Here", {}).get("outcome")

    payload = {"question": "Colour?"}
    if way != "ask":
        state = await ask(page, "Colour?")
        await page.until(lambda state: outcome(state) == "answered")
        payload = {"turn": state["turns"][0]["id"], "question": "Size?"} if way == "edit" else {}
    failing = asyncio.Event()
    pages.backend.reply = Reply([lines({"delta": {"content": "Re"}}), failing, lines({"error": "It is asleep."})])
    await page.do(f"{CHAT}.{way}", payload, lambda state: state["turns"] and state["latest"]["live"])
    await anew(page)
    failing.set()
    await page.until(lambda state: outcome(state) == "flawed")


async def test_a_person_who_deletes_the_open_conversation_gets_no_notice(pages: Pages, page: PageSocket):
    for deleted in ("", "its own"):
        former = (await ask(page, "Colour?"))["conversation_id"]
        await page.do(f"{LIST}.gone", {"conversation": "another"})
        assert page.state["conversation_id"] == former
        gone = {"conversation": former if deleted else ""}
        state = await page.do(f"{LIST}.gone", gone, lambda state: not state["turns"])
        assert state["conversation_id"] != former
    former = (await ask(page, "Colour?"))["conversation_id"]
    await pages.services.conversations.lists.delete(pages.me, former)
    await page.until(lambda state: state["is_gone"])
    new = page.state["conversation_id"]
    await page.do(f"{LIST}.gone", {"conversation": "another"})
    assert page.state["is_gone"]
    await page.do(f"{LIST}.gone", {"conversation": former})
    assert (page.state["is_gone"], page.state["conversation_id"]) == (False, new)


async def test_a_conversation_continues_with_its_last_backend(tmp_path: Path):
    async def select(page: PageSocket, name: str) -> None:
        await page.do(f"{BACKEND}.select", {"backend_id": f"given:{name}"}, lambda state: state["label"] == name)

    two = [{"name": name, "url": f"/{name}/chat"} for name in ("One", "Two")]
    async with open_page(tmp_path, offered=two) as (pages, page):
        assert (page.state["label"], page.state["selected"]) == ("One", "given:One")
        assert [name for _, name in page.state["offered"]] == ["One", "Two"]
        await select(page, "Two")
        conversation = (await ask(page, "Colour?"))["conversation_id"]
        await select(page, "One")
        async with pages.page() as other:
            await other.boot(router=at_conversation(conversation))
            await other.until(lambda state: state["label"] == "Two")
            await other.do(f"{CHAT}.new_chat", until=lambda state: state["label"] == "One")
        async with pages.page() as other:
            await other.boot(router=at_conversation(conversation))
            await other.until(lambda state: state["label"] == "Two")
            await select(other, "One")
        async with pages.page() as other:
            await other.boot(router=at_conversation(conversation, "?backend=One"))
            await other.hear()
            assert other.state["label"] == "One"
            await other.do(f"{BACKEND}.select", {"backend_id": "given:none such"})
            assert other.state["label"] == "One"
            for number in (3, 2):
                await other.do(f"{BACKEND}.acknowledge", {"number": number})
                assert other.state["acknowledged"] == 3


async def test_an_unreadable_conversation_appears_once_it_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chat, "RETRY_SECONDS", 0.01)
    async with open_page(tmp_path, retention_days=None) as (_, page):
        conversation = (await ask(page, "Colour?"))["conversation_id"]
        await page.until(lambda state: state["written"])
    (tmp_path / "chat.db").rename(tmp_path / "away.db")
    (tmp_path / "chat.db").write_bytes(b"This is no database. " * 1000)
    async with open_pages(tmp_path, retention_days=None) as pages, pages.page() as page:
        await page.boot(router=at_conversation(conversation))
        assert page.state["missing"] == NOT_READABLE
        assert page.state["conversation_id"] == conversation
        (tmp_path / "away.db").rename(tmp_path / "chat.db")
        state = await page.until(lambda state: state["turns"])
        assert (state["missing"], questions(state)) == ("", ["Colour?"])


async def test_a_backend_found_at_another_address_is_kept_there(pages: Pages, page: PageSocket):
    def reply(received: Received) -> Reply:
        return saying("Red.") if received.path == "/chat/stream" else Reply([b"no"], status=404)

    pages.backend.reply = reply
    await page.send(f"{DIALOG}.add_backend")
    await page.send(f"{DIALOG}.set_url", {"url": pages.backend.url})
    await page.do(f"{DIALOG}.save", {"form": {}})
    assert [one.url for one in read_choices(page.state["saved"]).own] == [pages.backend.url]
    state = await ask(page, "Colour?")
    assert state["latest"]["status"] == "finished"
    await page.until(lambda state: "/chat" in state["saved"])
    assert [one.url for one in read_choices(page.state["saved"]).own] == [f"{pages.backend.url}/chat"]
