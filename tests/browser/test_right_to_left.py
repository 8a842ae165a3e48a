"""The page in Arabic: its mirror, in which text, code and addresses keep their own direction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.app import running_app
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, answers, ask, expect_settled, open_page

WIDTH = 1200
TITLE = "Harbour (2026)!"
CATALOGUE = (
    'msgid ""\nmsgstr ""\n"Language: ar\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    'msgid "{milliseconds} ms"\nmsgstr "{milliseconds} مللي ثانية"\n'
)
ENGLISH = "The buoys are red.\n\n- one\n- two\n\n> quoted\n\n```python\nprint(1)\n```\n\nAll of them [Buoys.pdf]."
ARABIC = "العوامات حمراء [Buoys.pdf].\n\n- واحد\n- اثنان\n\n```python\nprint(1)\n```"
THOUGHT = {"title": "Looked it up", "description": "red buoys", "props": {"found": 2, "elapsed_ms": 12}}
CONTEXT = {"data_points": {"text": ["Buoys.pdf: The buoys are red."]}, "thoughts": [THOUGHT]}
EDGES = """async (element) => {
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
    const { left, right } = element.getBoundingClientRect();
    return [left, right];
}"""
"""Where an element ends to the left and to the right, once nothing on the page moves."""
PLACES = """element => {
    const text = element.childNodes[0];
    return [0, text.length - 1].map((place) => {
        const range = document.createRange();
        range.setStart(text, place);
        range.setEnd(text, place + 1);
        return range.getBoundingClientRect().left;
    });
}"""
INDENT = "list => { const { paddingLeft, paddingRight } = getComputedStyle(list); return [paddingLeft, paddingRight]; }"


@pytest.fixture(scope="module")
def app_url(tmp_path_factory: pytest.TempPathFactory, built_app: Path) -> Iterator[str]:
    catalogues = tmp_path_factory.mktemp("catalogues")
    (catalogues / "ar.po").write_text(CATALOGUE, "utf-8")
    settings = {"CHAT_UI_TRANSLATIONS": str(catalogues), "CHAT_UI_LANGUAGE": "ar", "CHAT_UI_TITLE": TITLE}
    with running_app(tmp_path_factory.mktemp("arabic"), settings, built=built_app) as url:
        yield url


@pytest.fixture
def page(context: BrowserContext, stand_in: StandIn) -> Page:
    said = [[{"delta": {"content": text}, "context": CONTEXT}] for text in (ENGLISH, ARABIC)]
    page = open_page(context, backend=stand_in.one_after_the_other(*said))
    ask(page, "What about the buoys?")
    expect_settled(page)
    return page


def direction(element: Locator) -> str:
    return element.evaluate("element => getComputedStyle(element).direction")


def left_and_right(element: Locator) -> tuple[float, float]:
    left, right = element.evaluate(EDGES)
    return left, right


def test_the_panel_stands_on_the_left_and_the_list_on_the_right_and_menus_open_inward(page: Page):
    answers(page).locator(".citation").first.click()
    panel = page.locator(".side-panel")
    assert left_and_right(panel)[0] == 0
    page.locator(".conversations-button").click()
    listed = page.locator(".conversation-list")
    expect(listed).to_be_visible()
    assert left_and_right(listed)[1] == WIDTH
    for button in (page.locator(".header-tools button").last, page.locator(".backend")):
        button.click()
        menu = page.get_by_role("menu")
        expect(menu).to_be_visible()
        left, right = left_and_right(menu)
        at = left_and_right(button)
        assert direction(menu) == "rtl"
        assert left >= 0
        assert right <= WIDTH
        assert abs(left - at[0]) < 2 or abs(right - at[1]) < 2
        page.keyboard.press("Escape")
        expect(menu).to_have_count(0)


def test_the_edge_of_the_panel_goes_where_it_is_drawn_and_where_the_arrows_point(page: Page):
    answers(page).locator(".citation").first.click()
    panel, edge = page.locator(".side-panel"), page.locator(".panel-resizer")
    width = left_and_right(panel)[1]
    page.mouse.move(width - 2, 400)
    page.mouse.down()
    page.mouse.move(width + 118, 400, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "([panel, edge]) => Math.abs(panel.getBoundingClientRect().right - edge) < 12",
        arg=[panel.element_handle(), width + 120],
    )
    wider = left_and_right(panel)[1]
    edge.press("ArrowRight")
    assert left_and_right(panel)[1] > wider
    edge.press("ArrowLeft")
    edge.press("ArrowLeft")
    assert left_and_right(panel)[1] < wider


def test_the_left_arrow_goes_to_the_next_tab(page: Page):
    answers(page).locator(".citation").first.click()
    tabs = page.locator(".panel-tabs [role=tab]")
    tabs.first.press("ArrowLeft")
    expect(tabs.nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tabs.first).to_be_focused()
    page.locator(".backend-settings").click()
    expect(page.get_by_role("dialog").locator(":focus")).to_be_attached()
    tabs = page.get_by_role("dialog").get_by_role("tab")
    tabs.first.press("ArrowLeft")
    expect(tabs.nth(1)).to_be_focused()
    assert left_and_right(tabs.nth(1))[1] <= left_and_right(tabs.first)[0]
    assert direction(page.get_by_role("dialog").locator("[inputmode=url]").first) == "ltr"


def test_an_answer_keeps_its_own_direction_and_code_goes_from_left_to_right(page: Page):
    ask(page, "وماذا عن العوامات؟")
    expect_settled(page, turns=2)
    english, arabic = answers(page).first, answers(page).last
    expect(english.locator(".answer-text")).to_have_attribute("dir", "ltr")
    expect(arabic.locator(".answer-text")).to_have_attribute("dir", "rtl")
    for answer, way in ((english, "ltr"), (arabic, "rtl")):
        assert direction(answer.locator("p").first) == way
        left, right = answer.locator("ul").first.evaluate(INDENT)
        assert (left != "0px", right != "0px") == (way == "ltr", way == "rtl")
        assert direction(answer.locator("pre").first) == "ltr"
    assert english.locator("blockquote").evaluate("quote => getComputedStyle(quote).borderLeftWidth") == "3px"


def test_the_title_keeps_its_own_direction(page: Page):
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text(TITLE)
    assert direction(title) == "ltr"


LINES = """element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return Array.from(range.getClientRects(), ({ left, right, top }) => [left, right, top]);
}"""


def test_what_unfolds_a_thought_stands_behind_its_beginning_and_each_line_of_a_value_begins_below_the_other(
    context: BrowserContext, stand_in: StandIn
):
    words = "The buoys lie before the harbour and are looked after every year. " * 12
    thought = {"title": "Looked it up", "description": words, "props": {"found": words}}
    said = {"delta": {"content": ENGLISH}, "context": {**CONTEXT, "thoughts": [thought]}}
    page = open_page(context, backend=stand_in.streaming(said))
    ask(page, "What about the buoys?")
    expect_settled(page)
    answers(page).locator(".citation").first.click()
    page.locator(".panel-tabs [role=tab]").nth(1).click()
    summary, value = page.locator(".thought-long > summary"), page.locator(".thoughts dd > code")
    *_, (_, right, top) = summary.locator(".thought-start").evaluate(LINES)
    left, _, beside = summary.locator(".thought-more").evaluate(LINES)[0]
    assert direction(summary) == "ltr"
    assert left > right if beside == top else left == left_and_right(summary)[0]
    assert len({left for left, _, _ in value.evaluate(LINES)}) == 1


def test_figures_stand_before_units_of_the_language_and_keys_and_addresses_go_from_left_to_right(page: Page):
    answers(page).get_by_role("button", name="Thoughts").click()
    took = page.locator(".thought .thought-took")
    expect(took).to_have_text("12 مللي ثانية")
    first, last = took.evaluate(PLACES)
    assert first > last
    page.locator(".backend-settings").click()
    dialog = page.get_by_role("dialog", name="Backend settings")
    dialog.get_by_role("tab").nth(1).click()
    address = dialog.locator("#backend-documents")
    expect(address).to_have_attribute("placeholder", "{origin}/content/{source}")
    assert direction(address) == "ltr"
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Close thoughts").click()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts").locator(".keys").first.locator("kbd")
    expect(keys).to_have_text(["Ctrl", "K"])
    assert left_and_right(keys.first)[1] <= left_and_right(keys.last)[0]


def test_nothing_is_beside_the_smallest_screen(page: Page, new_context: NewContext):
    address, state = page.url, page.context.storage_state()
    context = new_context(viewport={"width": 320, "height": 640}, storage_state=state, has_touch=True, is_mobile=True)
    phone = context.new_page()
    phone.goto(address)
    expect_settled(phone)
    scrolled = "document.scrollingElement.scrollLeft || document.scrollingElement.scrollWidth - innerWidth"
    assert phone.evaluate(scrolled) == 0
    answers(phone).locator(".citation").first.tap()
    expect(phone.locator(".side-panel")).to_be_visible()
    assert left_and_right(phone.locator(".side-panel")) == (0, 320)
    assert phone.evaluate(scrolled) == 0
    phone.locator(".panel-head .tool").last.tap()
    phone.locator(".conversations-button").tap()
    expect(phone.locator(".conversation-list")).to_be_visible()
    assert left_and_right(phone.locator(".conversation-list"))[1] == 320
    assert phone.evaluate(scrolled) == 0
