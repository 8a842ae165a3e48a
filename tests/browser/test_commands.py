import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.answering import expect_settled, get_answer
from tests.browser.asking import LEAVE, message, new_chat, questions
from tests.browser.axe import SETTLED
from tests.browser.clocks import late_timers
from tests.browser.hearing import heard_to, listen
from tests.browser.opening import NewContext, expect_alive, open_page, reload
from tests.browser.places import (
    choose,
    from_more,
    leave,
    open_settings,
    opened_list,
    opened_palette,
    options_of,
    sources,
)
from tests.browser.stand_in import StandIn, delta

SAID = delta("Buoys are red.")


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Search and commands")


def option(page: Page, name: str | re.Pattern[str]) -> Locator:
    return dialog(page).get_by_role("option", name=name)


def current(page: Page) -> Locator:
    return dialog(page).get_by_role("option", selected=True)


def begun(page: Page, *asked: str) -> None:
    """Begin a conversation with each of these questions. The last one stays open."""
    for number, question in enumerate(asked):
        if number > 0:
            new_chat(page)
        get_answer(page, question)


@pytest.mark.wcag("4.1.2", "4.1.3")
def test_a_conversation_is_found_by_its_title_or_its_text(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    begun(page, "Café hours", "Secret lagoon", "Tides")
    listen(page)
    do(page, "cafe", "Café hours")
    expect(questions(page).locator(".question-text")).to_have_text("Café hours")
    expect(dialog(page)).to_have_count(0)
    expect_alive(page)
    listed = opened_list(page)
    choose(options_of(listed, "Secret lagoon"), "Delete")
    expect(listed.get_by_role("link", name="Secret lagoon")).to_have_count(0)
    listed.get_by_role("searchbox", name="Search conversations").fill("tides")
    heard_to(page, "^1 conversation found")
    listen(page)
    box = opened_palette(page)
    box.fill("buoys")
    heard_to(page, "^2 results found")
    expect(current(page)).to_contain_text("Buoys are red.")
    box.fill("secret")
    heard_to(page, "^0 results found")
    expect(dialog(page)).to_contain_text("No results.")


def do(page: Page, typed: str, found: str) -> None:
    """Type this, and choose the first result."""
    box = opened_palette(page)
    box.fill(typed)
    expect(current(page)).to_contain_text(found)
    box.press("Enter")


@pytest.mark.wcag("2.1.1", "2.1.2", "2.4.3")
def test_actions_do_what_their_buttons_do_and_give_the_focus_back(context: BrowserContext):
    page = open_page(context)
    listen(page)
    page.context.set_offline(True)
    page.keyboard.press("ControlOrMeta+k")
    assert heard_to(page, "Loading failed").said[-1] == "Loading failed. Try again in a moment."
    page.context.set_offline(False)
    message(page).fill("Half a ques")
    opened_palette(page)
    # Its stylesheet is loaded.
    expect(dialog(page)).to_have_css("padding", "0px")
    leave(dialog(page))
    expect(message(page)).to_be_focused()
    expect(message(page)).to_have_value("Half a ques")
    opened_palette(page).press("Control+k")
    expect(dialog(page)).to_have_count(0)
    expect(message(page)).to_be_focused()

    get_answer(page, LEAVE)
    do(page, "copy last", "Copy the last answer")
    heard_to(page, r"^Copied\.$")
    for typed, found, shown in (
        ("sources", "Sources of the last answer", sources(page)),
        ("thoughts", "Thoughts of the last answer", page.get_by_role("dialog", name="Thoughts")),
        ("backend settings", "Backend settings", page.get_by_role("dialog", name="Backend settings")),
        ("preferences", "Preferences", page.get_by_role("dialog", name="Preferences")),
        ("check protocol", "Check protocol…", page.get_by_role("dialog", name="Protocol report")),
        ("evaluate", "Evaluate…", page.get_by_role("dialog", name="Evaluate this backend")),
    ):
        do(page, typed, found)
        expect(shown.locator(":focus").or_(shown.and_(page.locator(":focus")))).to_be_attached()
        leave(shown)
    do(page, "evaluate", "Evaluate…")
    command = page.get_by_role("textbox", name="Command")
    expect(command).to_have_value(re.compile(r"^python -m chat_ui evaluate http\S+/chat questions\.jsonl --out run "))
    page.get_by_role("button", name="Copy command").click()
    heard_to(page, r"^Copied\.$")
    leave(page.get_by_role("dialog", name="Evaluate this backend"))
    do(page, "regenerate", "Regenerate the last answer")
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page)
    do(page, "list of conversations", "Show or hide the list of conversations")
    expect(page.get_by_role("navigation", name="Conversations")).to_be_visible()
    do(page, "message box", "Go to the message box")
    expect(message(page)).to_be_focused()
    with page.expect_download() as saved:
        do(page, "export markdown", "as Markdown")
    assert saved.value.suggested_filename.endswith(".md")
    from_more(page, "Search and commands…")
    option(page, "Dark colour theme").click()
    expect(page.locator("html")).to_have_class(re.compile("dark"))
    expect(page.get_by_role("button", name="More", exact=True)).to_be_focused()
    do(page, "new chat", "New chat")
    expect(questions(page)).to_have_count(0)


def test_the_palette_fills_a_phone_and_closes_with_back(new_context: NewContext, stand_in: StandIn):
    phone = new_context(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
    page = open_page(phone, backend=stand_in.streaming(SAID))
    begun(page, "Harbour lights", "Tides")
    expect(page).to_have_url(re.compile("/c/"))
    tides = page.url
    from_more(page, "Search and commands…")
    expect(page.get_by_role("combobox", name="Search and commands")).to_be_focused()
    page.wait_for_function(SETTLED)
    assert dialog(page).bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 780}
    # The screen above a phone's keyboard.
    page.set_viewport_size({"width": 390, "height": 400})
    expect(dialog(page)).to_have_css("height", "400px")
    page.keyboard.press("ArrowUp")
    expect(current(page)).to_be_in_viewport(ratio=1)
    dialog(page).get_by_role("button", name="Close").tap()
    expect(dialog(page)).to_have_count(0)
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


def shortcuts(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def from_menu(page: Page) -> Locator:
    from_more(page, "Keyboard shortcuts")
    expect(shortcuts(page).locator(":focus")).to_be_attached()
    return shortcuts(page)


def switch(page: Page, **switches: bool) -> None:
    """Toggle shortcuts in the list, each by its label with underscores, and close the list."""
    listed = from_menu(page)
    for label, on in switches.items():
        wanted = listed.get_by_role("switch", name=label.replace("_", " "))
        wanted.click()
        expect(wanted).to_be_checked(checked=on)
    listed.get_by_role("button", name="Close").click()
    expect(listed).to_have_count(0)


def press_without_effect(page: Page, keys: str) -> None:
    """Press keys that the page leaves to the browser."""
    page.evaluate(
        """() => document.addEventListener("keydown", (event) => {
            if (!["Control", "Shift", "Alt"].includes(event.key)) window.taken = event.defaultPrevented;
        })"""
    )
    page.evaluate("() => { window.taken = null; }")
    page.keyboard.press(keys)
    page.wait_for_function("() => window.taken !== null")
    assert page.evaluate("window.taken") is False


@pytest.mark.wcag("2.1.1", "2.1.4")
def test_all_keys_are_listed_and_conflicting_ones_have_switches(page: Page):
    answer = get_answer(page, LEAVE)
    log = page.get_by_role("log", name="Conversation")
    message(page).press("?")
    expect(message(page)).to_have_value("?")
    log.focus()
    page.keyboard.press("?")
    expect(shortcuts(page).locator(":focus")).to_be_attached()
    for group in ("Everywhere", "Questions", "Answers", "Sources and Thoughts", "Menus and lists"):
        expect(shortcuts(page).get_by_role("region", name=group)).to_be_visible()
    leave(shortcuts(page))
    expect(log).to_be_focused()

    press_without_effect(page, "Control+Shift+O")
    switch(page, New_chat=True, Search_and_commands=False)
    log.focus()
    press_without_effect(page, "Control+k")
    reload(page)
    press_without_effect(page, "Control+k")
    expect(dialog(page)).to_have_count(0)
    switch(page, Search_and_commands=True, All_optional_shortcuts=False)
    log.focus()
    for keys in ("?", "Alt+ArrowDown", "Control+k"):
        press_without_effect(page, keys)
    switch(page, All_optional_shortcuts=True)

    # Beside Thoughts and Sources keys go on, and beside a dialog they do not.
    answer.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_focused()
    opened_palette(page).press("Escape")
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_focused()
    page.get_by_role("tab", name="Sources").click()
    expect(sources(page)).to_be_visible()
    page.keyboard.press("?")
    expect(shortcuts(page)).to_be_visible()
    page.keyboard.press("Escape")
    settings = open_settings(page)
    press_without_effect(page, "Control+k")
    settings.get_by_role("button", name="Cancel").focus()
    press_without_effect(page, "?")
    leave(settings)
    log.focus()
    page.keyboard.press("Control+Shift+O")
    expect(page.get_by_role("article")).to_have_count(0)
