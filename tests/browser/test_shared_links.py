"""A conversation that is shared by a link: the person who shares it, and another one who reads it."""

from __future__ import annotations

import re
from io import BytesIO

from playwright.sync_api import BrowserContext, Locator, Page, Request, expect
from pypdf import PdfReader

from tests.browser.axe import expect_no_violations
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, ask, choose, copied, expect_settled, open_page, options_of

RED = (
    {"context": {"data_points": {"text": ["Paint.pdf: Buoys are painted red in spring.", "Rope.txt: Long."]}}},
    {"delta": {"content": "Buoys are painted **red** [Paint.pdf].\n\n| what | much |\n|---|---|\n| rope | 3 m |\n"}},
)
LATER = ({"delta": {"content": "A secret that came later."}},)
QUESTION = "What colour are buoys?"


def conversations(page: Page) -> Locator:
    page.get_by_role("button", name="Conversations", exact=True).click()
    return page.get_by_role("navigation", name="Conversations")


def shared(page: Page, listed: Locator) -> Locator:
    """The dialog that shares the conversation, once a link can be made there."""
    entry = listed.get_by_role("listitem").filter(has_text=QUESTION)
    entry.hover()
    choose(options_of(entry, QUESTION), "Share a snapshot…")
    dialog = page.get_by_role("dialog", name="Share a snapshot")
    expect(dialog.get_by_role("radio", name="7 days")).to_be_checked()
    return dialog


def test_a_link_shows_another_person_the_conversation_as_it_was_until_it_is_revoked(
    context: BrowserContext, new_context: NewContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.one_after_the_other(RED, LATER))
    ask(page, QUESTION)
    expect_settled(page)
    listed = conversations(page)
    dialog = shared(page, listed)
    expect(dialog).to_contain_text("Whoever has the link can read it.")
    expect_no_violations(page, "about to share")
    dialog.get_by_text("30 days").click()
    dialog.get_by_role("button", name="Make the link").click()
    field = dialog.get_by_role("textbox", name="Link")
    expect(field).to_be_focused()
    expect_no_violations(page, "shared")
    link = copied(page, dialog.get_by_role("button", name="Copy link"))
    assert link == field.input_value()
    assert re.fullmatch(re.escape(page.url.partition("/c/")[0]) + r"/s/[\w-]{32}", link)
    page.keyboard.press("Escape")
    expect(listed.get_by_role("img", name="Shared by a link")).to_be_visible()
    expect(options_of(listed, QUESTION)).to_be_focused()

    reader = new_context(viewport={"width": 390, "height": 780})
    asked: list[Request] = []
    reader.on("request", lambda request: asked.append(request))
    theirs = reader.new_page()
    sockets: list[object] = []
    theirs.on("websocket", lambda socket: sockets.append(socket))
    opened = theirs.goto(link)
    assert opened is not None
    assert opened.status == 200
    expect(theirs.get_by_role("heading", level=1, name=QUESTION)).to_be_visible()
    citation = theirs.get_by_role("link", name=re.compile("Citation 1")).first
    citation.focus()
    theirs.keyboard.press("Enter")
    expect(theirs.locator("mark").filter(has_text="Buoys are painted red in spring.")).to_be_visible()
    theirs.keyboard.press("Escape")
    expect(citation).to_be_focused()
    assert theirs.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # It has no origin, so it could not keep or read anything either.
    assert theirs.evaluate("self.origin") == "null"
    printed = "".join(leaf.extract_text() for leaf in PdfReader(BytesIO(theirs.pdf())).pages)
    assert "Buoys are painted red" in printed
    assert "Paint.pdf" in printed
    expect_no_violations(theirs, "the page behind the link")
    assert [one.url for one in asked] == [link]
    assert not sockets
    assert not reader.cookies()

    ask(page, "And then?")
    expect(expect_settled(page, turns=2)).to_contain_text("A secret that came later.")
    theirs.reload()
    expect(theirs.get_by_text("Buoys are painted red").first).to_be_visible()
    expect(theirs.get_by_text("A secret that came later.")).to_have_count(0)

    page.keyboard.press("ControlOrMeta+k")
    page.get_by_role("combobox", name="Search and commands").fill("shared links")
    page.keyboard.press("Enter")
    links = page.get_by_role("dialog", name="Shared links")
    expect(links.get_by_role("listitem")).to_have_count(1)
    expect_no_violations(page, "the list of links")
    links.get_by_role("button", name="Revoke the link to").click()
    expect(links.get_by_text("You share no conversation by a link.")).to_be_visible()
    expect(listed.get_by_role("img", name="Shared by a link")).to_have_count(0)
    gone = theirs.reload()
    assert gone is not None
    assert gone.status == 404
    expect(theirs.get_by_role("heading", name="There is nothing at this address")).to_be_visible()
    assert theirs.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect_no_violations(theirs, "a link that leads nowhere")
    assert not reader.cookies()


def test_a_deleted_conversation_takes_its_links_along_and_brings_them_back(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(*RED))
    ask(page, QUESTION)
    expect_settled(page)
    listed = conversations(page)
    dialog = shared(page, listed)
    dialog.get_by_role("button", name="Make the link").press("Enter")
    link = dialog.get_by_role("textbox", name="Link").input_value()
    page.keyboard.press("Escape")
    expect(listed.get_by_role("img", name="Shared by a link")).to_be_visible()
    choose(options_of(listed, QUESTION), "Delete")
    expect(listed.get_by_text("Its shared links do not open any more.")).to_be_visible()
    assert page.request.get(link).status == 404
    listed.get_by_role("button", name="Undo").click()
    expect(listed.get_by_role("img", name="Shared by a link")).to_be_visible()
    assert page.request.get(link).status == 200
