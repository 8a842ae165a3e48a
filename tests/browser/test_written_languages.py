import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from chat_ui.languages.catalogues import language_of, offered
from chat_ui.languages.language import Language
from tests.app import running_app
from tests.browser.answering import expect_settled
from tests.browser.asking import LEAVE
from tests.browser.axe import SETTLED
from tests.browser.opening import NewContext, open_page
from tests.browser.places import leave
from tests.browser.reflow import cut_text, sideways
from tests.browser.stand_in import StandIn, delta
from tests.browser.walks import WALKS
from tests.languages.pseudo import FILLING, NAME, write_pseudo

TAGS = ("de", "ar", "ja")
NARROW, BROAD = (390, 844), (1440, 900)
_SHOWN = """() => {
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode())
        if (isSeen(text.parentElement)) found.push(text.data);
    for (const name of ["aria-label", "placeholder", "title", "aria-valuetext", "aria-roledescription"])
        for (const element of document.body.querySelectorAll(`[${name}]`)) found.push(element.getAttribute(name));
    return found.map((words) => words.trim());
}"""


def states(page: Page, language: Language) -> Iterator[str]:
    """The names of five states of a page in this language, each when the page is in it."""

    def said(name: str) -> str:
        return language.said(name, {})

    yield "empty"
    box = page.get_by_role("textbox", name=said("Message"), exact=True)
    box.fill(LEAVE)
    box.press("Enter")
    expect_settled(page)
    yield "answer"
    page.locator("article.answer .citation").first.click()
    expect(page.get_by_role("region", name=said("Sources")).locator("[data-active]")).to_be_visible()
    yield "sources"
    leave(page.get_by_role("region", name=said("Sources")))
    # The card of the focused citation may cover the menu's button.
    page.keyboard.press("Escape")
    page.get_by_role("button", name=said("More"), exact=True).click()
    expect(page.get_by_role("menu")).to_be_visible()
    yield "menu"
    page.get_by_role("menuitem", name=said("Preferences"), exact=True).click()
    expect(page.get_by_role("dialog", name=said("Preferences")).locator(":focus")).to_be_attached()
    yield "preferences"


def faults(page: Page, state: str, in_english: Iterable[str]) -> list[str]:
    """Faults of a state of the page, where these words may be in another language."""
    found = [f"cut off: {words}" for words in cut_text(page)] + [f"in English: {words}" for words in in_english]
    found += [f"{sideways(page)} pixels sideways"] if sideways(page) > 0 else []
    return [f"{state}: {fault}" for fault in found]


@pytest.mark.thorough
@pytest.mark.parametrize(("tag", "size"), [*zip(TAGS, (NARROW, BROAD, NARROW), strict=True)])
def test_each_state_is_whole_and_in_its_language(new_context: NewContext, tag: str, size: tuple[int, int]):
    language = offered()[tag]
    otherwise = {message for message, forms in language.translations.messages.items() if message not in forms}
    page = open_page(new_context(locale=tag, viewport={"width": size[0], "height": size[1]}))
    found = []
    for state in states(page, language):
        found += faults(page, state, otherwise & set(page.evaluate(_SHOWN)))
    assert not found, "\n".join(found)


_UNFILLED = """filling => {
    // Words of backends and people, names of keys, products and units, code, and what builders of backends read in
    // English.
    const foreign = `[dir=auto], [lang=en], bdi, strong, code, kbd, pre, textarea, time, option, dt, .answer-text,
        #announcements, .painted-part h1, .pdf-text, .results th, .entry-time, .export-size,
        .rt-DropdownMenuShortcut, .verdict`;
    const isOwn = (words) => /\\p{L}{2}/u.test(words) && !/^(?:https?:|\\{origin\\}|X-Api-Key)/.test(words);
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const found = new Set();
    const note = (words, element) => {
        const message = element.closest(".card-keys") ?? element;
        const isSaid = words.includes(filling) || message.textContent.includes(filling);
        if (isOwn(words) && !isSaid && isSeen(element) && !element.closest(foreign))
            found.add(`${element.closest("[class]").className}: ${words.trim().slice(0, 80)}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) note(text.data, text.parentElement);
    for (const name of ["aria-label", "placeholder", "aria-valuetext", "aria-roledescription"])
        for (const element of document.body.querySelectorAll(`[${name}]`)) note(element.getAttribute(name), element);
    return [...found];
}"""


@pytest.fixture(scope="module")
def longer_url(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = write_pseudo(tmp_path_factory.mktemp("catalogues"))
    language = language_of(folder / f"{NAME}.po").tag
    spoken = {"CHAT_UI_TRANSLATIONS": str(folder), "CHAT_UI_LANGUAGE": language}
    with running_app(tmp_path_factory.mktemp("app"), spoken, built=built_app) as url:
        yield url


@pytest.fixture
def _exact_names_with_their_filling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a walk's exact names match names with the filling of the pseudo language."""
    for owner in (Page, Locator):
        by_role = owner.get_by_role

        def by_longer_name(self: Any, role: Any, *, _by_role: Any = by_role, **options: Any) -> Locator:
            name = options.get("name")
            if options.pop("exact", False) and isinstance(name, str):
                options["name"] = re.compile(rf"^{re.escape(name)}[{FILLING} ]*$")
            return _by_role(self, role, **options)

        monkeypatch.setattr(owner, "get_by_role", by_longer_name)


@pytest.mark.thorough
@pytest.mark.usefixtures("_exact_names_with_their_filling")
@pytest.mark.parametrize("walk", WALKS)
def test_longer_words_are_shown_whole(new_context: NewContext, longer_url: str, stand_in: StandIn, walk: str):
    page = open_page(new_context(base_url=longer_url, viewport={"width": 320, "height": 640}))
    found = []
    for state in WALKS[walk](page, stand_in):
        found += faults(page, state, page.evaluate(_UNFILLED, FILLING))
    assert not found, "\n".join(dict.fromkeys(found))


WIDTH = 1200
WORDS = "The buoys lie before the harbour and are looked after every year. " * 12
ENGLISH = "The buoys are red.\n\n- one\n- two\n\n> quoted\n\n```python\nprint(1)\n```\n\nAll of them [Buoys.pdf]."
ARABIC = "العوامات حمراء [Buoys.pdf].\n\n- واحد\n- اثنان\n\n> اقتباس\n\n```python\nprint(1)\n```"
THOUGHT = {"title": "Looked it up", "description": WORDS, "props": {"found": WORDS, "elapsed_ms": 12}}
CONTEXT = {"data_points": {"text": ["Buoys.pdf: The buoys are red."]}, "thoughts": [THOUGHT]}
EDGES = """element => {
    const { left, right } = element.getBoundingClientRect();
    return [left, right];
}"""
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
LINES = """element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return Array.from(range.getClientRects(), ({ left, right, top }) => [left, right, top]);
}"""


def direction(element: Locator) -> str:
    return element.evaluate("element => getComputedStyle(element).direction")


def left_and_right(element: Locator) -> tuple[float, float]:
    """The edges of an element at rest."""
    element.page.wait_for_function(SETTLED)
    left, right = element.evaluate(EDGES)
    return left, right


def answers(page: Page) -> Locator:
    return page.locator("article.answer")


def ask(page: Page, question: str, *, turns: int = 1) -> Locator:
    page.locator("#message").fill(question)
    page.locator("#message").press("Enter")
    return expect_settled(page, turns=turns)


def opened(new_context: NewContext, stand_in: StandIn) -> Page:
    """The page in Arabic, with an answer in English and one in Arabic."""
    said = [[delta(text, **CONTEXT)] for text in (ENGLISH, ARABIC)]
    page = open_page(
        new_context(locale="ar", viewport={"width": WIDTH, "height": 800}), backend=stand_in.one_after_the_other(*said)
    )
    ask(page, "What about the buoys?")
    ask(page, "وماذا عن العوامات؟", turns=2)
    return page


def test_an_arabic_page_has_panel_list_and_menus_mirrored(new_context: NewContext, stand_in: StandIn):
    page = opened(new_context, stand_in)
    answers(page).first.locator(".citation").first.click()
    panel, edge = page.locator(".side-panel"), page.locator(".panel-resizer")
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
        leave(menu)

    # The panel's edge follows the pointer and the arrow keys.
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
    tabs = page.locator(".panel-tabs [role=tab]")
    tabs.first.press("ArrowLeft")
    expect(tabs.nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tabs.first).to_be_focused()

    # The wider panel has closed the list.
    expect(listed).to_have_count(0)
    page.locator(".conversations-button").click()
    expect(listed).to_be_visible()
    # The smallest screen does not scroll sideways.
    page.set_viewport_size({"width": 320, "height": 640})
    assert left_and_right(listed)[1] == 320
    assert (cut_text(page), sideways(page)) == ([], 0)
    listed.locator(".panel-head .tool").last.click()
    expect(listed).to_have_count(0)
    assert left_and_right(panel) == (0, 320)
    assert (cut_text(page), sideways(page)) == ([], 0)


def test_text_keeps_its_direction_in_an_arabic_page(new_context: NewContext, stand_in: StandIn):
    page = opened(new_context, stand_in)
    assert direction(page.get_by_role("heading", level=1)) == "ltr"
    english, arabic = answers(page).first, answers(page).last
    for answer, way in ((english, "ltr"), (arabic, "rtl")):
        expect(answer.locator(".answer-text")).to_have_attribute("dir", way)
        assert direction(answer.locator("p").first) == way
        left, right = answer.locator("ul").first.evaluate(INDENT)
        assert (left != "0px", right != "0px") == (way == "ltr", way == "rtl")
        assert direction(answer.locator("pre").first) == "ltr"
        side = "Left" if way == "ltr" else "Right"
        assert answer.locator("blockquote").evaluate(f"quote => getComputedStyle(quote).border{side}Width") == "3px"

    english.locator(".citation").first.click()
    page.locator(".panel-tabs [role=tab]").nth(1).click()
    took = page.locator(".thought .thought-took")
    expect(took).to_have_text(offered()["ar"].said("{milliseconds} ms", {"milliseconds": 12}))
    first, last = took.evaluate(PLACES)
    assert first > last
    # A thought's button follows its beginning, and lines of a value are aligned.
    summary, value = page.locator(".thought-long > summary"), page.locator(".thoughts dd > code").first
    *_, (_, right, top) = summary.locator(".thought-start").evaluate(LINES)
    left, _, beside = summary.locator(".thought-more").evaluate(LINES)[0]
    assert direction(summary) == "ltr"
    assert left > right if beside == top else left == left_and_right(summary)[0]
    assert len({left for left, _, _ in value.evaluate(LINES)}) == 1
    page.keyboard.press("Escape")

    page.locator(".backend-settings").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(":focus")).to_be_attached()
    assert direction(dialog.locator("[inputmode=url]").first) == "ltr"
    tabs = dialog.get_by_role("tab")
    tabs.first.press("ArrowLeft")
    expect(tabs.nth(1)).to_be_focused()
    assert left_and_right(tabs.nth(1))[1] <= left_and_right(tabs.first)[0]
    tabs.nth(1).click()
    address = dialog.locator("#backend-documents")
    expect(address).to_have_attribute("placeholder", "{origin}/content/{source}")
    assert direction(address) == "ltr"
    leave(dialog)
    page.keyboard.press("?")
    keys = dialog.locator(".keys").first.locator("kbd")
    expect(keys).to_have_text(["Ctrl", "K"])
    assert left_and_right(keys.first)[1] <= left_and_right(keys.last)[0]
