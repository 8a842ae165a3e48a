"""A conversation that is not there any more: whoever has it open is told, and asks in a new one that is found again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.listening import listening
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    address_of,
    ask,
    expect_alive,
    expect_settled,
    leaving_its_address,
    message,
    open_page,
    questions,
)

BUOYS = {"delta": {"content": "Buoys are red."}}
GONE = re.compile("not there any more")


@pytest.fixture
def first(context: BrowserContext, stand_in: StandIn) -> Page:
    """A page at the address of a conversation that was begun in it, with another one before that."""
    page = open_page(context, backend=stand_in.streaming(BUOYS))
    for question in ("What is kept?", "What colour are buoys?"):
        page.get_by_role("button", name="New chat").click()
        expect(questions(page)).to_have_count(0)
        ask(page, question)
        expect_settled(page)
        address_of(page)
    return page


def delete(page: Page, address: str) -> None:
    """Delete the conversation at this address, as on another device."""
    assert page.request.delete(f"/api/conversations/{address.rpartition('/')[2]}").ok


def expect_to_ask_anew(page: Page, question: str, former: str) -> None:
    """That a question begins a conversation, which is there again after a reload."""
    ask(page, question)
    expect_settled(page)
    expect(questions(page)).to_have_text([question])
    expect(page).not_to_have_url(former)
    expect(page).to_have_url(re.compile(r"/c/[\w-]+$"))
    expect(message(page)).to_have_value("")
    expect(page.get_by_role("status").get_by_text(GONE)).to_have_count(0)
    page.reload()
    expect_settled(page)
    expect(questions(page)).to_have_text([question])
    expect(message(page)).to_have_value("")


def test_tabs_whose_conversation_was_deleted_elsewhere_leave_its_address_and_say_so_and_one_asks_anew(
    context: BrowserContext, first: Page, app_url: str
):
    former = first.url
    at_its_address = open_page(context, path=former)
    expect_settled(at_its_address)
    for page in (first, at_its_address):
        message(page).fill("Half typed")
    with leaving_its_address(at_its_address):
        delete(first, former)
    for page in (first, at_its_address):
        expect(page.get_by_role("status").get_by_text(GONE)).to_be_visible()
        expect(page).to_have_url(f"{app_url}/")
        expect(questions(page)).to_have_count(0)
        expect(message(page)).to_have_value("Half typed")
    expect_to_ask_anew(at_its_address, "And now?", former)
    first.goto(former)
    expect_alive(first)
    expect(first.get_by_role("heading", name="There is no such conversation.")).to_be_visible()
    expect_to_ask_anew(first, "Is there one?", former)


def test_a_question_that_was_asked_before_the_tab_heard_of_it_begins_a_new_conversation(
    context: BrowserContext, first: Page
):
    former = first.url
    page = open_page(context, path=former)
    expect_settled(page)
    socket = listening(page)
    expect_settled(page)
    socket.hold_told()
    delete(first, former)
    ask(page, "And now?")
    expect(message(page)).to_have_value("")
    socket.let_go()
    expect(questions(page)).to_have_text(["And now?"])
    expect_settled(page)
    expect(page).not_to_have_url(former)
    page.reload()
    expect_settled(page)
    expect(questions(page)).to_have_text(["And now?"])
    expect(message(page)).to_have_value("")
