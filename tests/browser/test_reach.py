"""Small screens, the keyboard alone, screen readers, both themes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.axe import expect_no_violations
from tests.browser.questions import LEAVE, LONG
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    answers,
    ask,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
)


@pytest.fixture(params=["light", "dark"])
def themed(request: pytest.FixtureRequest, new_context: NewContext) -> Page:
    return open_page(new_context(color_scheme=request.param, viewport={"width": 1200, "height": 800}))


def test_axe_finds_nothing_in_any_state(themed: Page):
    expect(themed.get_by_role("group", name="Starter questions")).to_be_visible()
    expect_no_violations(themed)
    ask(themed, "Show me a stall")
    expect_streaming(themed)
    expect_no_violations(themed)
    themed.get_by_role("button", name="Stop").click()
    expect_settled(themed)
    expect_no_violations(themed)
    ask(themed, LONG)
    answer = expect_settled(themed, turns=2)
    expect_no_violations(themed)
    answer.get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(themed.get_by_role("region", name="Sources").locator("[data-active]")).to_be_visible()
    expect_no_violations(themed)
    themed.keyboard.press("Escape")
    answer.get_by_role("button", name="Thoughts").click()
    expect(themed.get_by_role("dialog", name="Thoughts")).to_contain_text("Search results")
    expect_no_violations(themed)
    themed.keyboard.press("Escape")
    ask(themed, "Show me a rate limit")
    expect(expect_settled(themed, turns=3).get_by_role("alert")).to_be_visible()
    expect_no_violations(themed)
    themed.get_by_role("button", name="Backend settings").click()
    dialog = themed.get_by_role("dialog", name="Backend settings")
    dialog.get_by_role("textbox", name="Backend URL").fill("nonsense")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect_no_violations(themed)


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_scrolls_sideways_on_a_phone(new_context: NewContext, width: int):
    page = open_page(new_context(viewport={"width": width, "height": 640}, has_touch=True, is_mobile=True))

    def expect_no_sideways_scrolling() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.get_by_role("log").evaluate("e => e.scrollWidth - e.clientWidth") <= 0

    expect_no_sideways_scrolling()
    ask(page, LONG)
    answer = expect_settled(page)
    expect_no_sideways_scrolling()
    answer.get_by_role("button", name=re.compile("Citation 1")).first.tap()
    sources = page.get_by_role("region", name="Sources")
    expect(sources.locator("[data-active]")).to_be_visible()
    expect_no_sideways_scrolling()
    assert sources.bounding_box()["width"] == width
    page.get_by_role("button", name="Close sources").tap()
    answer.get_by_role("button", name="Thoughts").tap()
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_visible()
    expect_no_sideways_scrolling()
    page.get_by_role("button", name="Close thoughts").tap()
    page.get_by_role("button", name="Backend settings").tap()
    expect(page.get_by_role("dialog", name="Backend settings")).to_be_visible()
    expect_no_sideways_scrolling()


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
    expect(page.get_by_role("dialog", name="Backend settings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Backend settings")).to_be_focused()
    tab_to("New chat")
    page.keyboard.press("Enter")
    expect(questions(page)).to_have_count(0)


def test_the_end_is_followed_until_the_reader_scrolls_up(context: BrowserContext, stand_in):
    lines = [{"delta": {"content": f"Line {number}.\n\n"}} for number in range(200)]
    page = open_page(context, backend=stand_in.streaming(*lines))
    ask(page, "Count.")
    expect_settled(page)
    thread = page.get_by_role("log")
    expect(page.get_by_text("Line 199.", exact=True)).to_be_in_viewport()
    thread.hover()
    page.mouse.wheel(0, -600)
    button = page.get_by_role("button", name="Go to the latest text")
    expect(button).to_be_visible()
    button.click()
    expect(page.get_by_text("Line 199.", exact=True)).to_be_in_viewport()
    expect(button).to_have_count(0)


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


@pytest.mark.parametrize("by_itself", [True, False], ids=["the browser keeps it", "our script keeps it"])
def test_what_is_being_read_stays_in_place_while_text_comes_below_it(
    context: BrowserContext, stand_in: StandIn, by_itself: bool
):
    if not by_itself:
        context.add_init_script(NO_ANCHORING)
    first, *others = ({"delta": {"content": f"Line {number}.\n\n" * 40}} for number in range(5))
    page = open_page(context, backend=stand_in.held(first, *others))
    ask(page, "Count.")
    expect(expect_streaming(page).locator(".answer-text p")).to_have_count(40)
    read, growing = questions(page).last, answers(page).last
    page.get_by_role("log").evaluate("e => { e.scrollTop = -200; }")
    expect(page.get_by_role("button", name="Go to the latest text")).to_be_visible()
    before, height = (element.evaluate(PLACE) for element in (read, growing))
    stand_in.go_on()
    expect_settled(page)
    assert growing.evaluate(PLACE)["height"] > height["height"] + 200
    assert abs(read.evaluate(PLACE)["top"] - before["top"]) < 3
