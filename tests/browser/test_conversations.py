"""The list of conversations, deep links, versions of questions and answers, and long conversations."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.axe import expect_no_violations
from tests.browser.listening import listening
from tests.browser.places import opened_list
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    answers,
    ask,
    choose,
    expect_alive,
    expect_settled,
    expect_streaming,
    leaving_its_address,
    open_page,
    options_of,
    questions,
)


def entries(listed: Locator) -> Locator:
    return listed.get_by_role("link")


def ask_in_new_chat(page: Page, question: str) -> None:
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
    ask(page, question)
    expect_settled(page)


def echoing(context: BrowserContext, stand_in: StandIn, *texts: str) -> Page:
    return open_page(context, backend=stand_in.one_after_the_other(*([{"delta": {"content": text}}] for text in texts)))


@pytest.mark.wcag("2.4.5")
def test_conversations_are_listed_with_the_newest_first_opened_and_searched(context: BrowserContext, stand_in: StandIn):
    page = echoing(context, stand_in, "Buoys are red.", "The cormorant dives.")
    ask(page, "What colour are buoys?")
    expect_settled(page)
    ask_in_new_chat(page, "Which bird?")
    listed = opened_list(page)
    expect(entries(listed)).to_have_text(["Which bird?", "What colour are buoys?"])
    expect(listed.get_by_role("region", name="Today")).to_be_visible()
    expect_no_violations(page)
    entries(listed).nth(1).click()
    expect(questions(page)).to_have_text(["What colour are buoys?"])
    expect(answers(page)).to_contain_text("Buoys are red.")
    opened = page.url
    page.go_back()
    expect(questions(page)).to_have_text(["Which bird?"])
    expect(page).not_to_have_url(opened)
    search = listed.get_by_role("searchbox", name="Search conversations")
    search.fill("cormor")
    expect(listed.get_by_role("region", name="Found").get_by_role("link")).to_contain_text(["The cormorant dives."])
    expect(entries(listed)).to_have_count(1)
    search.fill("albatross")
    expect(listed).to_contain_text("Nothing was found.")
    page.set_viewport_size({"width": 360, "height": 640})
    search.fill("buoys")
    expect(listed.get_by_role("button", name="Options of")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    entries(listed).click()
    expect(listed).to_have_count(0)
    expect(questions(page)).to_have_text(["What colour are buoys?"])


def test_a_link_to_a_conversation_opens_it_for_its_owner_alone(
    context: BrowserContext, new_context: NewContext, stand_in: StandIn
):
    page = echoing(context, stand_in, "Buoys are red.")
    ask(page, "What colour are buoys?")
    expect_settled(page)
    link = entries(opened_list(page)).get_attribute("href")
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
    page.goto(link)
    expect_settled(page)
    ask(page, "Why?")
    expect_settled(page, turns=2)
    expect(questions(page)).to_have_text(["What colour are buoys?", "Why?"])
    theirs = open_page(new_context(), path=link)
    expect(theirs.get_by_role("heading", name="There is no such conversation.")).to_be_visible()
    expect(questions(theirs)).to_have_count(0)
    with leaving_its_address(theirs):
        theirs.get_by_role("button", name="Start a new chat").click()
    expect(theirs.get_by_role("group", name="Starter questions")).to_be_visible()
    ask(theirs, "Hello?")
    expect_settled(theirs)


@pytest.mark.wcag("3.3.4")
def test_a_conversation_is_renamed_pinned_deleted_and_brought_back_also_while_one_searches(
    context: BrowserContext, stand_in: StandIn
):
    page = echoing(context, stand_in, "The cormorant dives.", "Nothing of note.")
    ask(page, "First?")
    expect_settled(page)
    ask_in_new_chat(page, "Second?")
    listed = opened_list(page)
    expect(entries(listed)).to_have_text(["Second?", "First?"])
    choose(options_of(listed, "First?"), "Rename")
    title = listed.get_by_role("textbox", name="Title")
    title.fill("The beginning")
    title.press("Enter")
    expect(entries(listed)).to_have_text(["Second?", "The beginning"])
    choose(options_of(listed, "The beginning"), "Pin")
    expect(listed.get_by_role("region", name="Pinned").get_by_role("link")).to_have_text(["The beginning"])
    expect(entries(listed)).to_have_text(["The beginning", "Second?"])
    choose(options_of(listed, "The beginning"), "Delete")
    expect(entries(listed)).to_have_text(["Second?"])
    listed.get_by_role("button", name="Undo").click()
    expect(entries(listed)).to_have_text(["The beginning", "Second?"])
    changes: list[Route] = []
    page.route(
        re.compile("/api/conversations/"),
        lambda route: changes.append(route) if route.request.method == "PATCH" else route.fallback(),
    )
    choose(options_of(listed, "Second?"), "Pin")
    listed.get_by_role("searchbox", name="Search conversations").fill("cormor")
    expect(listed.get_by_role("region", name="Found").get_by_role("link")).to_have_count(1)
    lists: list[str] = []
    page.on("request", lambda asked: lists.append(asked.url) if asked.url.endswith("/") or "?" in asked.url else None)
    with page.expect_response(re.compile(r"/api/conversations/\?q=cormor$")):
        changes.pop().continue_()
    expect(entries(listed)).to_contain_text(["The cormorant dives."])
    assert {url.rpartition("/")[2] for url in lists} == {"?q=cormor"}
    listed.get_by_role("searchbox").fill("")
    choose(options_of(listed, "Second?"), "Delete")
    expect(questions(page)).to_have_count(0)
    expect_alive(page)


def test_an_edited_question_is_asked_once_nothing_is_being_written_and_all_versions_stay_reachable(
    context: BrowserContext, stand_in: StandIn
):
    said = [[{"delta": {"content": text}}] for text in ("One.", "Two.", "Three.", "Four.")]
    said[2].append(stand_in.WAIT_UNTIL_TOLD)
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    ask(page, "First?")
    expect_settled(page)
    page.get_by_role("button", name="Regenerate").click()
    expect(answers(page)).to_contain_text("Two.")
    expect_settled(page)
    versions = page.get_by_role("group", name="Versions of this answer")
    expect(versions).to_contain_text("2 / 2")
    versions.get_by_role("button", name="Previous answer").click()
    expect(answers(page)).to_contain_text("One.")
    expect(versions.get_by_role("button", name="Previous answer")).to_be_disabled()
    edit = page.get_by_role("button", name="Edit question")
    edit.click()
    box = page.get_by_role("textbox", name="Edited question")
    expect(box).to_have_value("First?")
    box.fill("First, really?")
    ask(page, "Second?")
    expect_streaming(page)
    expect(edit).to_have_count(0)
    box.press("Enter")
    expect(questions(page).get_by_role("alert")).to_contain_text("still being written")
    expect(box).to_have_value("First, really?")
    stand_in.go_on()
    expect_settled(page, turns=2)
    expect(questions(page).get_by_role("alert")).to_have_count(0)
    box.press("Enter")
    expect(questions(page).locator(".question-text")).to_have_text(["First, really?"])
    expect(expect_settled(page)).to_contain_text("Four.")
    versions = page.get_by_role("group", name="Versions of this question")
    expect(versions).to_contain_text("2 / 2")
    expect_no_violations(page)
    versions.get_by_role("button", name="Previous question").click()
    expect(questions(page).locator(".question-text")).to_have_text(["First?", "Second?"])
    expect(answers(page).first).to_contain_text("One.")
    page.reload()
    expect(questions(page).locator(".question-text")).to_have_text(["First?", "Second?"])


def test_a_conversation_is_taken_along_in_three_forms_and_brought_back(
    context: BrowserContext, new_context: NewContext, tmp_path: Path, stand_in: StandIn
):
    page = echoing(context, stand_in, "Buoys are **red**.")
    ask(page, "What colour are buoys?")
    expect_settled(page)
    listed = opened_list(page)
    expect(entries(listed)).to_have_count(1)
    listed.get_by_text("Export, import, delete").click()
    expect_no_violations(page)
    taken = {}
    for form in ("Markdown", "JSON", "a page…"):
        with page.expect_download() as download:
            choose(options_of(listed, "What colour are buoys?"), f"Export as {form}")
            if form == "a page…":
                page.get_by_role("dialog", name="Export as a page").get_by_role("button", name="Export").click()
        taken[form] = tmp_path / download.value.suggested_filename
        download.value.save_as(taken[form])
    assert "Buoys are **red**." in taken["Markdown"].read_text()

    offline = new_context(offline=True)
    asked_for: list[str] = []
    read = offline.new_page()
    read.on("request", lambda request: asked_for.append(request.url))
    read.goto(taken["a page…"].as_uri())
    expect(read.get_by_text("What colour are buoys?").first).to_be_visible()
    expect(read.locator("strong").get_by_text("red")).to_be_visible()
    assert asked_for == [taken["a page…"].as_uri()]

    listed.get_by_label("File to import").set_input_files(taken["JSON"])
    expect(listed).to_contain_text("Imported 1 conversation.")
    both = listed.get_by_role("link", name="What colour are buoys?")
    expect(both).to_have_count(2)
    with page.expect_download() as download:
        listed.get_by_role("link", name="Export all").click()
    exported = json.loads(Path(download.value.path()).read_text())["conversations"]
    assert [one["turns"][0]["question"] for one in exported] == ["What colour are buoys?"] * 2
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
    both.first.click()
    expect(answers(page)).to_contain_text("Buoys are red.")


def open_long_one(page: Page, length: int) -> None:
    """Bring in a conversation of so many turns and open it."""
    turns = [
        {
            "id": str(number),
            "parent": str(number - 1) if number > 1 else None,
            "question": f"Question number {number}?",
            "answers": [{"answer": {"text": f"Answer number {number}.\n\n" + "All of it is true. " * 40}}],
        }
        for number in range(1, length + 1)
    ]
    archive = {"format": "chat-ui-conversations", "version": 1, "conversations": [{"title": "Long", "turns": turns}]}
    assert page.request.post("/api/conversations/import", data=archive).json()["imported"] == 1
    entries(opened_list(page)).first.click()
    expect(page.get_by_text(f"Answer number {length}.")).to_be_in_viewport()


def test_a_long_conversation_shows_its_end_first_and_the_rest_as_one_scrolls_also_where_asking_was_lost(page: Page):
    socket = listening(page)
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    open_long_one(page, 100)
    # A browser fetches some at a time, and the reader is at the end.
    last = answers(page).last.locator(".answer-text").get_attribute("data-address")
    assert last is not None
    assert next(address for address in asked_for if "/api/answers/" in address).endswith(last)
    assert questions(page).count() < 50
    page.clock.install()
    socket.lose_said("show_earlier")
    page.get_by_role("log").hover()
    page.mouse.wheel(0, -100_000)
    socket.wait_for_loss()
    expect(page.get_by_text("Question number 70?")).to_have_count(0)
    socket.let_go()
    page.clock.fast_forward("00:10")
    page.mouse.wheel(0, 100)
    for number in (70, 50, 30):
        expect(page.get_by_text(f"Question number {number}?")).to_be_attached()
        page.mouse.wheel(0, -100_000)
    expect(page.get_by_text("Question number 100?")).to_be_attached()
