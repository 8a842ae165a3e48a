"""The keyboard alone: everything is reached with it, nothing covers it, and what is read stays in its place."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.opening import NewContext, address_of, open_page
from tests.browser.places import open_settings, opened_list
from tests.browser.stand_in import StandIn, delta
from tests.browser.talking import LEAVE, LONG, answers, ask, expect_settled, expect_streaming, message, questions
from tests.browser.walks import CITATION

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
@pytest.mark.parametrize(
    "size", [pytest.param((1200, 800), marks=pytest.mark.thorough), (320, 400)], ids=["wide", "small"]
)
def test_nothing_covers_what_has_the_focus(new_context: NewContext, size: tuple[int, int]):
    page = open_page(new_context(viewport={"width": size[0], "height": size[1]}))
    ask(page, LONG)
    expect_settled(page)

    def expect_focus_to_be_seen(stops: int) -> None:
        for _ in range(stops):
            page.keyboard.press("Tab")
            assert page.evaluate(HIDDEN_FOCUS) is None

    expect_focus_to_be_seen(40)
    opened_list(page)
    expect_focus_to_be_seen(15)
    page.get_by_role("button", name="Close conversations").click()
    answers(page).last.get_by_role("button", name=CITATION).first.click()
    expect(page.get_by_role("region", name="Sources").locator("[data-active]")).to_be_visible()
    expect_focus_to_be_seen(15)
    page.keyboard.press("Escape")
    open_settings(page)
    expect_focus_to_be_seen(15)


@pytest.mark.wcag("2.1.1", "2.1.2", "2.4.1", "2.4.7")
def test_everything_can_be_done_with_the_keyboard(page: Page):
    def tab_to(name: str | re.Pattern[str]) -> None:
        wanted = page.get_by_role("button", name=name).first
        for _ in range(40):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"{name} cannot be reached with Tab")

    expect(message(page)).to_be_focused()
    page.keyboard.type(LEAVE)
    page.keyboard.press("Enter")
    answer = expect_settled(page)
    address = address_of(page)
    page.locator("body").press("Control+Home")
    tab_to(CITATION)
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

    # The first stop leads past the header.
    page.get_by_role("button", name="Conversations", exact=True).focus()
    page.keyboard.press("Shift+Tab")
    skip = page.get_by_role("link", name="Skip to the message")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(message(page)).to_be_focused()
    assert page.url == address

    # From the box, or a place in the answer that was clicked at, to the citations.
    citations = answer.get_by_role("button", name=re.compile("^Citation"))
    page.keyboard.press("Alt+ArrowDown")
    expect(citations.first).to_be_focused()
    answer.locator(".answer-text p").first.click(position={"x": 2, "y": 2})
    page.keyboard.press("Alt+ArrowDown")
    expect(answer.locator(".citation:focus")).to_have_css("outline-style", "solid")
    message(page).click()
    page.keyboard.press("Alt+ArrowUp")
    expect(citations.last).to_be_focused()
    expect(citations.last).to_have_css("outline-style", "solid")
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
@pytest.mark.parametrize(
    "by_itself",
    [True, pytest.param(False, marks=pytest.mark.thorough)],
    ids=["the browser keeps it", "our script keeps it"],
)
def test_the_end_is_followed_until_the_reader_scrolls_up_and_what_is_read_then_stays_in_place(
    context: BrowserContext, stand_in: StandIn, by_itself: bool
):
    if not by_itself:
        context.add_init_script(NO_ANCHORING)
    first, *others = (delta(f"Line {number}.\n\n" * 40) for number in range(5))
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
