"""Small screens, the keyboard alone, screen readers, both themes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.places import open_settings, opened_list
from tests.browser.questions import LEAVE, LONG
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
)


@pytest.mark.wcag("1.3.4", "1.4.10")
def test_on_a_phone_nothing_scrolls_sideways_and_a_finger_that_asks_raises_no_keyboard(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 390, "height": 640}, has_touch=True, is_mobile=True))
    viewport = (page.locator("meta[name=viewport]").get_attribute("content") or "").split(",")
    said = dict(part.strip().split("=") for part in viewport)
    wanted = {"width": "device-width", "viewport-fit": "cover", "interactive-widget": "resizes-content"}
    assert said.items() >= wanted.items()
    assert not {"user-scalable", "maximum-scale"} & said.keys()

    def expect_no_sideways_scrolling() -> None:
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 640})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.get_by_role("log").evaluate("e => e.scrollWidth - e.clientWidth") <= 0

    expect_no_sideways_scrolling()
    page.get_by_role("group", name="Starter questions").get_by_role("button").first.tap()
    expect_settled(page)
    expect(page.get_by_role("log", name="Conversation")).to_be_focused()
    message(page).fill(LONG)
    page.get_by_role("button", name="Send").tap()
    answer = expect_settled(page, turns=2)
    expect(page.get_by_role("log", name="Conversation")).to_be_focused()
    expect_no_sideways_scrolling()
    answer.get_by_role("button", name=re.compile("Citation 1")).first.tap()
    sources = page.get_by_role("region", name="Sources")
    expect(sources.locator("[data-active]")).to_be_visible()
    expect_no_sideways_scrolling()
    assert sources.bounding_box()["width"] == 390
    page.get_by_role("button", name="Close sources").tap()
    expect(sources).to_have_count(0)
    answer.get_by_role("button", name="Thoughts").tap()
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_visible()
    expect_no_sideways_scrolling()
    page.get_by_role("button", name="Close thoughts").tap()
    page.get_by_role("button", name="Backend settings").tap()
    expect(page.get_by_role("dialog", name="Backend settings")).to_be_visible()
    expect_no_sideways_scrolling()


@pytest.mark.wcag("2.4.1")
def test_the_first_stop_of_the_keyboard_leads_past_the_header(page: Page):
    ask(page, LEAVE)
    expect_settled(page)
    opened_list(page)
    page.get_by_role("button", name="Conversations", exact=True).focus()
    page.keyboard.press("Shift+Tab")
    skip = page.get_by_role("link", name="Skip to the message")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    address = address_of(page)
    page.keyboard.press("Enter")
    expect(message(page)).to_be_focused()
    assert page.url == address


HIDDEN_FOCUS = """() => {
    const { activeElement: element } = document;
    if (element === document.body) return null;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [
        left + x * (right - left), top + y * (bottom - top)]));
    const isSeen = ([x, y]) => {
        const there = document.elementFromPoint(x, y);
        return there && (element.contains(there) || there.contains(element));
    };
    return points.some(isSeen) ? null : element.outerHTML.slice(0, 200);
}"""


@pytest.mark.wcag("2.4.7", "2.4.11")
@pytest.mark.parametrize("size", [(1200, 800), (320, 400)], ids=["wide", "small"])
def test_nothing_covers_what_has_the_focus(new_context: NewContext, size: tuple[int, int]):
    page = open_page(new_context(viewport={"width": size[0], "height": size[1]}))
    for turns in (1, 2):
        ask(page, LONG)
        expect_settled(page, turns=turns)

    def expect_focus_to_be_seen(stops: int) -> None:
        for _ in range(stops):
            page.keyboard.press("Tab")
            assert page.evaluate(HIDDEN_FOCUS) is None

    expect_focus_to_be_seen(60)
    opened_list(page)
    expect_focus_to_be_seen(15)
    page.get_by_role("button", name="Close conversations").click()
    answers(page).last.get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(page.get_by_role("region", name="Sources").locator("[data-active]")).to_be_visible()
    expect_focus_to_be_seen(15)
    page.keyboard.press("Escape")
    open_settings(page)
    expect_focus_to_be_seen(15)


@pytest.mark.wcag("2.1.1", "2.1.2")
def test_everything_can_be_done_with_the_keyboard(page: Page):
    def tab_to(name: str | re.Pattern[str], role: str = "button") -> None:
        wanted = page.get_by_role(role, name=name).first
        for _ in range(40):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"{name} cannot be reached with Tab")

    expect(message(page)).to_be_focused()
    page.keyboard.type(LEAVE)
    page.keyboard.press("Enter")
    expect_settled(page)
    page.locator("body").press("Control+Home")
    tab_to(re.compile("Citation 1"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Sources").locator("mark").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Sources")).to_have_count(0)
    tab_to("Thoughts")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Thoughts")).to_be_focused()
    tab_to("Backend settings")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Backend settings").locator(":focus")).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Backend settings")).to_be_focused()
    tab_to("New chat")
    page.keyboard.press("Enter")
    expect(questions(page)).to_have_count(0)


PLACE = "e => e.getBoundingClientRect().toJSON()"
NO_ANCHORING = """
  CSS.supports = (() => { const real = CSS.supports.bind(CSS);
    return (...asked) => asked[0] !== "overflow-anchor" && real(...asked); })();
  addEventListener("DOMContentLoaded", () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(".thread { overflow-anchor: none }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });
"""


@pytest.mark.wcag("2.2.2")
@pytest.mark.parametrize("by_itself", [True, False], ids=["the browser keeps it", "our script keeps it"])
def test_the_end_is_followed_until_the_reader_scrolls_up_and_what_is_read_then_stays_in_place(
    context: BrowserContext, stand_in: StandIn, by_itself: bool
):
    if not by_itself:
        context.add_init_script(NO_ANCHORING)
    first, *others = ({"delta": {"content": f"Line {number}.\n\n" * 40}} for number in range(5))
    page = open_page(context, backend=stand_in.held(first, *others))
    ask(page, "Count.")
    expect(expect_streaming(page).locator(".answer-text p")).to_have_count(40)
    expect(page.get_by_text("Line 0.", exact=True).last).to_be_in_viewport()
    read, growing = questions(page).last, answers(page).last
    page.get_by_role("log").evaluate("e => { e.scrollTop = -200; }")
    button = page.get_by_role("button", name="Go to the latest text")
    expect(button).to_be_visible()
    before, height = (element.evaluate(PLACE) for element in (read, growing))
    stand_in.go_on()
    expect_settled(page)
    assert growing.evaluate(PLACE)["height"] > height["height"] + 200
    assert abs(read.evaluate(PLACE)["top"] - before["top"]) < 3
    button.click()
    expect(page.get_by_text("Line 4.", exact=True).last).to_be_in_viewport()
    expect(button).to_have_count(0)
    page.get_by_role("log").hover()
    page.mouse.wheel(0, -600)
    expect(button).to_be_visible()
