"""The dialog Search and commands: all that the page has and does is found by typing."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.axe import SETTLED
from tests.browser.clocks import late_timers
from tests.browser.hearing import heard_to, listen
from tests.browser.places import opened_list, opened_palette, opened_switcher, sources
from tests.browser.questions import LEAVE
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    ask,
    choose,
    expect_alive,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    options_of,
    questions,
)

SAID = {"delta": {"content": "Buoys are red."}}


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Search and commands")


def option(page: Page, name: str | re.Pattern[str]) -> Locator:
    return dialog(page).get_by_role("option", name=name)


def current(page: Page) -> Locator:
    return dialog(page).get_by_role("option", selected=True)


def expect_told(page: Page, box: Locator) -> None:
    """The box names the highlighted option, which is how a screen reader reads it."""
    named = box.get_attribute("aria-activedescendant")
    assert named is not None
    expect(current(page)).to_have_id(named)
    expect(current(page)).to_have_count(1)


def begun(page: Page, *asked: str) -> None:
    """Have a conversation begin with each of these questions; the last of them stays open."""
    for number, question in enumerate(asked):
        if number > 0:
            page.get_by_role("button", name="New chat").click()
            expect(page.get_by_role("article")).to_have_count(0)
        ask(page, question)
        expect_settled(page)


def test_a_conversation_is_found_by_its_title_without_its_marks_and_opened(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    begun(page, "Café hours", "育児休暇について", "أَحْمَد في العمل", "Tides")
    for typed, title in (("cafe", "Café hours"), ("育児", "育児休暇について"), ("احمد", "أَحْمَد في العمل")):
        box = opened_palette(page)
        box.fill(typed)
        expect(current(page)).to_contain_text(title)
        expect_told(page, box)
        box.press("Enter")
        expect(questions(page).locator(".question-text")).to_have_text(title)
        expect(dialog(page)).to_have_count(0)
        expect_alive(page)


@pytest.mark.wcag("4.1.2")
def test_what_was_said_is_found_below_everything_else_and_nothing_that_is_highlighted_moves(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.streaming(SAID))
    begun(page, "About lights", "Red things", "Tides")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/api/conversations/\?q="), hold)
    box = opened_palette(page)
    expect(option(page, "Red things")).to_be_visible()
    with page.expect_request(re.compile(r"\?q=red$")):
        box.fill("red")
    expect(current(page)).to_have_text("Red things")
    page.wait_for_function(SETTLED)
    place = current(page).bounding_box()
    page.wait_for_function("() => document.querySelector('.palette-message')")
    held[0].continue_()
    expect(option(page, re.compile("About lights"))).to_contain_text("Buoys are red.")
    expect(current(page)).to_have_text("Red things")
    assert current(page).bounding_box() == place
    expect(option(page, re.compile("Red things"))).to_have_count(1)
    expect_told(page, box)
    box.press("ArrowUp")
    expect(current(page)).to_contain_text("About lights")
    expect_told(page, box)


def test_what_the_list_has_late_is_below_what_is_highlighted(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    begun(page, "Copy machines", "Tides")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/api/conversations/$"), hold)
    with page.expect_request(re.compile(r"/api/conversations/$")):
        box = opened_palette(page)
    box.fill("copy")
    expect(current(page)).to_have_text("Copy the last answer")
    page.wait_for_function(SETTLED)
    place = current(page).bounding_box()
    box.fill("")
    box.fill("cpy")
    expect(dialog(page).get_by_text("Searching the conversations…")).to_have_count(0)
    expect(option(page, "Copy machines")).to_have_count(0)
    held[0].continue_()
    expect(option(page, "Copy machines")).to_be_visible()
    expect(current(page)).to_have_text("Copy the last answer")
    assert current(page).bounding_box() == place
    expect(dialog(page).get_by_role("option").last).to_have_text("Copy machines")
    box.fill("copy mach")
    expect(current(page)).to_have_text("Copy machines")


def test_what_is_not_there_any_more_or_belongs_to_somebody_else_is_not_found(
    context: BrowserContext, new_context: NewContext, stand_in: StandIn
):
    backend = stand_in.streaming(SAID)
    page = open_page(context, backend=backend)
    begun(page, "Secret harbour", "Secret lagoon", "Tides")
    listed = opened_list(page)
    choose(options_of(listed, "Secret lagoon"), "Delete")
    expect(listed.get_by_role("link", name="Secret lagoon")).to_have_count(0)
    box = opened_palette(page)
    box.fill("secret")
    expect(option(page, "Secret harbour")).to_be_visible()
    expect(dialog(page).get_by_text("Searching the conversations…")).to_have_count(0)
    expect(dialog(page).get_by_role("option")).to_have_count(1)

    other = open_page(new_context(), backend=backend)
    box = opened_palette(other)
    box.fill("secret")
    expect(dialog(other)).to_contain_text("Nothing was found.")
    expect(dialog(other).get_by_role("option")).to_have_count(0)
    expect(box).to_have_attribute("aria-expanded", "false")


@pytest.mark.wcag("4.1.3")
def test_a_screen_reader_hears_how_much_was_found(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    begun(page, "Harbour lights", "Tides")
    listen(page)
    box = opened_palette(page)
    box.fill("harbour")
    assert heard_to(page, r"result").said[-1] == "1 result found."
    box.fill("qxz")
    assert heard_to(page, r"0 results").said[-1] == "0 results found."


def test_without_a_network_it_says_that_it_could_not_be_loaded_and_opens_once_there_is_one(page: Page):
    listen(page)
    page.context.set_offline(True)
    page.keyboard.press("ControlOrMeta+k")
    assert heard_to(page, "could not be loaded").said[-1] == "That could not be loaded. Try again in a little while."
    page.context.set_offline(False)
    opened_palette(page)
    # Its stylesheet came along.
    expect(dialog(page)).to_have_css("padding", "0px")


@pytest.mark.wcag("2.1.1", "2.1.2", "2.4.3")
def test_escape_gives_the_focus_back_and_the_same_keys_close_it_too(page: Page):
    message(page).fill("Half a ques")
    opened_palette(page).press("Escape")
    expect(dialog(page)).to_have_count(0)
    expect(message(page)).to_be_focused()
    button = page.get_by_role("button", name="New chat")
    button.focus()
    opened_palette(page).press("Control+k")
    expect(dialog(page)).to_have_count(0)
    expect(button).to_be_focused()
    expect(message(page)).to_have_value("Half a ques")


def test_a_pointer_opens_it_from_the_menu_and_chooses(page: Page):
    more = page.get_by_role("button", name="More", exact=True)
    more.click()
    item = page.get_by_role("menuitem", name="Search and commands…")
    expect(item).to_contain_text("Ctrl K")
    item.click()
    option(page, "Dark colour theme").click()
    expect(page.locator("html")).to_have_class(re.compile("dark"))
    expect(dialog(page)).to_have_count(0)
    expect(more).to_be_focused()


def test_actions_are_offered_while_they_are_possible(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.held({"delta": {"content": "A. "}}, SAID))
    opened_palette(page)
    expect(option(page, "New chat")).to_be_visible()
    for name in ("Stop the answer", "Regenerate the last answer", "Copy the last answer", "Export this conversation"):
        expect(option(page, re.compile(name))).to_have_count(0)
    page.keyboard.press("Escape")
    ask(page, "Tell me.")
    expect_streaming(page)
    opened_palette(page)
    expect(option(page, "Stop the answer")).to_be_visible()
    expect(option(page, "Regenerate the last answer")).to_have_count(0)
    stand_in.go_on()
    expect(option(page, "Regenerate the last answer")).to_be_visible()
    expect(option(page, "Stop the answer")).to_have_count(0)


def do(page: Page, typed: str, found: str) -> None:
    """Type this and take what is found first, once the page can do it."""
    box = opened_palette(page)
    box.fill(typed)
    expect(current(page)).to_contain_text(found)
    box.press("Enter")


def test_actions_do_what_their_buttons_do(page: Page):
    ask(page, LEAVE)
    expect_settled(page)
    listen(page)
    do(page, "copy last", "Copy the last answer")
    heard_to(page, r"^Copied\.$")
    do(page, "sources", "Sources of the last answer")
    expect(sources(page)).to_be_focused()
    do(page, "thoughts", "Thoughts of the last answer")
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_visible()
    do(page, "message box", "Go to the message box")
    expect(message(page)).to_be_focused()
    do(page, "regenerate", "Regenerate the last answer")
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page)
    do(page, "list of conversations", "Show or hide the list of conversations")
    expect(page.get_by_role("navigation", name="Conversations")).to_be_visible()
    do(page, "backend settings", "Backend settings")
    settings = page.get_by_role("dialog", name="Backend settings")
    expect(settings.get_by_role("textbox", name="Backend URL")).to_be_visible()
    settings.get_by_role("button", name="Cancel").click()
    expect(settings).to_have_count(0)
    do(page, "preferences", "Preferences")
    page.get_by_role("dialog", name="Preferences").get_by_role("button", name="Close").click()
    with page.expect_download() as saved:
        do(page, "export markdown", "as Markdown")
    assert saved.value.suggested_filename.endswith(".md")
    do(page, "new chat", "New chat")
    expect(questions(page)).to_have_count(0)


def test_an_answer_that_is_being_written_is_stopped(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "A. "}}, stand_in.WAIT_FOR_EVER))
    ask(page, "Tell me.")
    expect_streaming(page)
    do(page, "stop", "Stop the answer")
    expect(page.get_by_role("button", name="Send")).to_be_visible()


def test_a_backend_is_found_by_its_name_and_chosen(context: BrowserContext):
    own = [{"id": f"own:{number}", "name": name, "url": "http://127.0.0.1:9/"} for number, name in enumerate("αβγ")]
    context.add_init_script(f"localStorage['chat-ui-backend'] ||= {json.dumps({'selected': '', 'own': own})!r}")
    page = open_page(context)
    box = opened_palette(page)
    box.fill("β")
    expect(current(page)).to_have_text("β")
    box.press("Enter")
    expect(page.get_by_role("combobox", name="Backend")).to_have_value("own:1")
    expect(opened_switcher(page).get_by_role("menuitemradio", name=re.compile("β"))).to_be_checked()


def test_a_long_list_is_bounded(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    entry = {"pinned": False, "updated_at": 1.0, "excerpt": "said"}
    many = [{"id": f"id{number}", "title": f"Harbour {number}", **entry} for number in range(500)]
    page.route(
        re.compile(r"/api/conversations/"),
        lambda route: route.fulfill(json={"conversations": many, "next": None}),
    )
    box = opened_palette(page)
    expect(option(page, re.compile("Harbour")).first).to_be_visible()
    assert option(page, re.compile("Harbour")).count() == 6
    box.fill("harbour")
    expect(option(page, re.compile("Harbour")).nth(20)).to_be_attached()
    assert option(page, re.compile("Harbour")).count() == 28


def test_a_search_that_fails_says_so_and_what_is_there_can_be_chosen(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    page.route(re.compile(r"/api/conversations/\?q="), lambda route: route.fulfill(status=422))
    box = opened_palette(page)
    box.fill("dark")
    expect(dialog(page)).to_contain_text("took too long")
    box.press("Enter")
    expect(page.locator("html")).to_have_class(re.compile("dark"))


def test_what_is_typed_is_a_search_whatever_it_is(page: Page):
    box = opened_palette(page)
    typed = "<b>&?q=1#%é"
    with page.expect_request(lambda request: request.url.endswith(f"?q={quote(typed, safe='')}")):
        box.fill(typed)
    expect(dialog(page)).to_contain_text("Nothing was found.")


def test_on_a_phone_it_takes_the_whole_screen_and_a_button_closes_it(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True))
    page.get_by_role("button", name="More", exact=True).tap()
    page.get_by_role("menuitem", name="Search and commands…").tap()
    expect(page.get_by_role("combobox", name="Search and commands")).to_be_focused()
    page.wait_for_function(SETTLED)
    assert dialog(page).bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 780}
    # What the keyboard of a phone leaves of the screen.
    page.set_viewport_size({"width": 390, "height": 400})
    expect(dialog(page)).to_have_css("height", "400px")
    page.keyboard.press("ArrowUp")
    expect(current(page)).to_be_in_viewport(ratio=1)
    dialog(page).get_by_role("button", name="Close").tap()
    expect(dialog(page)).to_have_count(0)


def test_on_a_phone_back_closes_it_and_a_chosen_conversation_takes_its_place(
    new_context: NewContext, stand_in: StandIn
):
    phone = new_context(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    page = open_page(phone, backend=stand_in.streaming(SAID))
    begun(page, "Harbour lights", "Tides")
    expect(page).to_have_url(re.compile("/c/"))
    tides = page.url
    with late_timers(page):
        opened_palette(page)
        page.go_back()
        expect(dialog(page)).to_have_count(0)
    expect(page).to_have_url(tides)
    opened_palette(page)
    option(page, "Harbour lights").tap()
    expect(questions(page).locator(".question-text")).to_have_text("Harbour lights")
    expect_alive(page)
    page.go_back()
    expect(questions(page).locator(".question-text")).to_have_text("Tides")
    expect(page).to_have_url(tides)
