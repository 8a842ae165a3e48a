"""An answer reads well: its letters, its lines, and citations that stay with their words."""

from __future__ import annotations

import random
from typing import Final

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.places import open_preferences
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_alive,
    expect_settled,
    message,
    open_page,
)

SOURCES: Final = {"delta": {"content": ""}, "context": {"data_points": {"text": [f"{one}.pdf: A." for one in "abc"]}}}
ENDS: Final = (
    "{w} [a.pdf].", "{w}. [b.pdf]", "{w} [a.pdf][b.pdf].", "{w} [a.pdf], [c.pdf]!", "“{w}” [b.pdf].", "({w} [c.pdf]).",
    "**{w}** [a.pdf]:", "`{w}` [b.pdf]?", "*{w}[c.pdf]*.", "{w}[a.pdf].", "{w} [nothing.pdf].", "浮標[b.pdf]。",
    "{w} [a.pdf][b.pdf][c.pdf]",
)  # fmt: skip
ALONE: Final = """() => [...document.querySelectorAll('.answer-text .cited')].filter((cited) => {
    const leaf = cited.closest('p, li, td');
    const walker = document.createTreeWalker(leaf, NodeFilter.SHOW_TEXT);
    walker.currentNode = cited;
    const before = walker.previousNode();
    const range = document.createRange();
    const buttons = [...cited.querySelectorAll('button')].map((button) => button.getBoundingClientRect());
    const apart = (rect) => buttons.some(({ top, bottom }) => rect.top >= bottom || rect.bottom <= top);
    range.selectNodeContents(cited);
    if ([...range.getClientRects()].some(apart)) return true;
    if (!before || !before.data.trim()) return false;
    const end = before.data.trimEnd().length;
    range.setStart(before, end - 1);
    range.setEnd(before, end);
    return apart(range.getBoundingClientRect());
}).map((cited) => cited.parentElement.textContent.slice(0, 200))"""
LETTERS: Final = """() => {
    const text = document.querySelector('.answer-text p').firstChild;
    const range = document.createRange();
    const lines = new Map();
    for (let at = 0; at < text.length; at++) {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const { bottom } = range.getBoundingClientRect();
        lines.set(bottom, (lines.get(bottom) ?? 0) + 1);
    }
    return [...lines.values()].slice(0, -1).map((letters) => letters - 1);
}"""
SHIFTS: Final = """window.shifts = []; new PerformanceObserver((list) => {
    for (const shift of list.getEntries())
        if (!shift.hadRecentInput) window.shifts.push([shift.value, shift.sources.map(({ node }) => node?.className)]);
}).observe({ type: 'layout-shift', buffered: true })"""


def sentences(count: int) -> list[str]:
    chance = random.Random(7)

    def words() -> str:
        lengths = [chance.randint(1, 11) for _ in range(chance.randint(1, 14))]
        return " ".join("".join(chance.choices("aeinrst", k=length)) for length in lengths)

    return [chance.choice(ENDS).format(w=words()) for _ in range(count)]


def test_no_citation_stands_alone_on_a_line(context: BrowserContext, stand_in: StandIn):
    text = "\n\n".join(" ".join(sentences(10)) if number else "" for number in range(101))
    page = open_page(context, backend=stand_in.streaming(SOURCES, {"delta": {"content": text.strip()}}))
    ask(page, "Tell me")
    expect_settled(page)
    page.add_style_tag(content=".answer, .answer > * { content-visibility: visible !important }")
    # An answer of this length that had ended when the page came to it loads in parts; a search wants all of them.
    page.keyboard.press("Control+f")
    expect(page.locator(".answer-text > *")).to_have_count(100)
    for width in (320, 390, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(ALONE) == []


def test_the_typeface_comes_with_the_page_and_a_line_has_60_to_75_letters(context: BrowserContext, stand_in: StandIn):
    text = "The harbour is deep and the buoys that lie before it are painted red in every spring of the year. " * 12
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": text}}))
    ask(page, "Tell me")
    expect_settled(page)
    page.evaluate("document.fonts.ready")
    assert page.evaluate("[...document.fonts].some(({ family, status }) => /Geist/.test(family) && status == 'loaded')")
    lines = page.evaluate(LETTERS)
    assert 60 <= sum(lines) / len(lines) <= 75


def middle(page: Page) -> bool:
    box = page.locator(".composer").bounding_box()
    assert box is not None
    return box["y"] + box["height"] < 600


def test_the_box_begins_in_the_middle_and_goes_down_with_the_first_question(page: Page):
    assert middle(page)
    starters = page.get_by_role("group", name="Starter questions")
    expect(starters).to_be_visible()
    ask(page, "How much parental leave do I get?")
    expect_settled(page)
    expect(starters).to_have_count(0)
    assert not middle(page)
    address_of(page)
    page.reload()
    expect_settled(page)
    assert not middle(page)
    page.get_by_role("button", name="New chat").click()
    expect(starters).to_be_visible()
    expect(page).to_have_url("/")
    expect(message(page)).to_be_focused()
    assert middle(page)


def test_nothing_moves_on_a_page_that_comes_or_goes_on(context: BrowserContext):
    context.add_init_script(SHIFTS)
    page = context.new_page()
    page.goto("/")
    expect_alive(page)
    ask(page, "How much parental leave do I get?")
    expect_settled(page)
    page.reload()
    expect_settled(page)
    expect(answers(page).get_by_role("button", name="Thoughts")).to_be_visible()
    assert page.evaluate("window.shifts") == []


def test_the_tab_says_that_an_answer_is_coming(new_context: NewContext, stand_in: StandIn):
    page = open_page(new_context(), backend=stand_in.held({"delta": {"content": "Red."}}))
    icon = page.locator("link[rel=icon]")
    own = icon.get_attribute("href")
    ask(page, "What colour?")
    expect(page).to_have_title("Answering… What colour? – Chat")
    page.wait_for_function("() => document.querySelector('link[rel=icon]').href.startsWith('data:image/png')")
    stand_in.go_on()
    expect_settled(page)
    expect(page).to_have_title("What colour? – Chat")
    expect(icon).to_have_js_property("href", f"{page.evaluate('location.origin')}{own}")


NAME = "citation => getComputedStyle(citation, '::after').content"


def test_a_reader_may_have_the_names_of_sources_beside_their_numbers(page: Page):
    ask(page, "How much parental leave do I get?")
    citation = expect_settled(page).get_by_role("button", name="Citation 1").first
    assert citation.evaluate(NAME) == "none"
    dialog = open_preferences(page)
    dialog.get_by_role("group", name="Citations").get_by_role("radio", name="Numbers and names").check()
    assert citation.evaluate(NAME) == '"Leave Policy"'
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="More", exact=True)).to_be_focused()
    page.reload()
    expect_settled(page)
    assert citation.evaluate(NAME) == '"Leave Policy"'
    page.set_viewport_size({"width": 800, "height": 700})
    assert citation.evaluate(NAME) == "none"


def test_the_tab_of_a_reader_who_is_elsewhere_says_that_the_answer_has_come(new_context: NewContext, stand_in: StandIn):
    context = new_context()
    page = open_page(context, backend=stand_in.held({"delta": {"content": "Red."}}))
    ask(page, "What colour?")
    expect(page).to_have_title("Answering… What colour? – Chat")
    hide = """hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange')); }"""
    page.evaluate(hide, True)
    stand_in.go_on()
    expect(page).to_have_title("Answered: What colour? – Chat")
    page.evaluate("document.querySelector('title').firstChild.data = 'Another name – Chat'")
    expect(page).to_have_title("Answered: Another name – Chat")
    page.evaluate(hide, False)
    expect(page).to_have_title("Another name – Chat")


@pytest.mark.parametrize("height", [256, 500])
def test_in_a_small_window_the_box_is_in_sight(new_context: NewContext, height: int):
    page = open_page(new_context(viewport={"width": 320, "height": height}))
    expect(message(page)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
