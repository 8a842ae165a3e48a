"""A phone that is held in one hand: its keyboard, its gestures, its edges, and targets for a thumb."""

from __future__ import annotations

import json
import re
from time import time
from typing import TypedDict

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.places import open_settings, sources
from tests.browser.questions import LEAVE, LONG
from tests.browser.stand_in import StandIn
from tests.browser.states import (
    LONG_URL,
    LONG_WORD,
    awkward,
    in_list,
    in_menus,
    in_panel,
    in_settings,
    settings,
    walk,
)
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_alive,
    expect_settled,
    message,
    open_page,
    questions,
)
from tests.browser.targets import too_small

PORTRAIT = {"width": 390, "height": 844}
LANDSCAPE = {"width": 844, "height": 390}

# Safari's keyboard lies over the page. Chromium's makes the page smaller, so this stands in for the part of the browser
# that tells of it.
SAFARI = """
  const part = Object.assign(new EventTarget(), { scale: 1, offsetTop: 0 });
  const whole = document;
  Object.assign(part, { offsetLeft: 0, pageLeft: 0, pageTop: 0 });
  Object.defineProperty(part, "width", { get: () => whole.documentElement.clientWidth / part.scale });
  Object.defineProperty(part, "height", { get: () => part.seen ?? whole.documentElement.clientHeight });
  Object.defineProperty(window, "visualViewport", { value: part });
  window.see = (seen) => { Object.assign(part, seen); part.dispatchEvent(new Event("resize")); };
"""


class Box(TypedDict):
    x: float
    y: float
    width: float
    height: float


def phone(
    new_context: NewContext, viewport: dict[str, int] = PORTRAIT, *, script: str = "", backend: str | None = None
) -> Page:
    """A tab on a phone of this size."""
    context = new_context(viewport=viewport, has_touch=True, is_mobile=True)
    if script:
        context.add_init_script(script)
    return open_page(context, backend=backend)


def box(element: Locator) -> Box:
    place = element.bounding_box()
    assert place is not None
    return Box(**place)


def see(page: Page, height: float | None, top: float = 0, scale: float = 1) -> None:
    """Have Safari show this part of the page."""
    page.evaluate("seen => see(seen)", {"seen": height, "offsetTop": top, "scale": scale})


def expect_between(element: Locator, top: float, bottom: float) -> None:
    """That all of the element is between these heights of the screen."""
    element.page.wait_for_function(
        """([element, top, bottom]) => {
            const place = element.getBoundingClientRect();
            return place.height > 0 && place.top >= top - 1 && place.bottom <= bottom + 1;
        }""",
        arg=[element.element_handle(), top, bottom],
    )


def expect_top(element: Locator, top: float) -> None:
    element.page.wait_for_function(
        "([element, top]) => element.getBoundingClientRect().top === top", arg=[element.element_handle(), top]
    )


@pytest.mark.parametrize(
    ("viewport", "keyboard", "moved"),
    [(PORTRAIT, 336, 120), (LANDSCAPE, 220, 80), ({"width": 320, "height": 568}, 260, 0)],
    ids=["portrait", "landscape", "small"],
)
def test_over_the_keyboard_of_safari_stand_the_box_and_the_end_of_the_conversation(
    new_context: NewContext, viewport: dict[str, int], keyboard: int, moved: int
):
    page = phone(new_context, viewport, script=SAFARI)
    ask(page, LONG)
    last = expect_settled(page).get_by_role("group", name="Follow-up questions").get_by_role("button").last
    header = page.get_by_role("banner")
    before = box(page.locator(".composer"))
    message(page).tap()
    seen = viewport["height"] - keyboard
    see(page, seen, top=moved)
    for part in (page.locator(".composer"), last):
        expect_between(part, moved, moved + seen)
    if viewport == LANDSCAPE:
        expect(header).to_be_hidden()
    else:
        expect_between(header, moved, moved + seen)
    message(page).fill("A line of a long question\n" * 20)
    expect_between(page.locator(".composer"), moved, moved + seen)
    assert box(page.locator(".composer"))["height"] <= max(seen / 2, 96)
    message(page).fill("")
    see(page, None)
    expect(header).to_be_visible()
    page.wait_for_function(
        "before => document.querySelector('.composer').getBoundingClientRect().y === before", arg=before["y"]
    )
    assert box(page.locator(".composer")) == before


def test_two_fingers_that_zoom_in_are_no_keyboard(new_context: NewContext):
    page = phone(new_context, script=SAFARI)
    before = box(page.locator(".composer"))
    message(page).tap()
    see(page, PORTRAIT["height"] / 2, top=200, scale=2)
    assert box(page.locator(".composer")) == before
    see(page, (PORTRAIT["height"] - 336) / 2, top=200, scale=2)
    expect_between(page.locator(".composer"), 0, PORTRAIT["height"] - 336)


def test_where_the_page_becomes_smaller_with_the_keyboard_the_end_stays_in_sight_too(new_context: NewContext):
    page = phone(new_context)
    ask(page, LONG)
    last = expect_settled(page).get_by_role("group", name="Follow-up questions").get_by_role("button").last
    for width, height in ((390, 508), (844, 170)):
        message(page).tap()
        page.set_viewport_size({"width": width, "height": height})
        for part in (page.locator(".composer"), last):
            expect_between(part, 0, height)


@pytest.mark.parametrize(
    ("viewport", "seen", "safari"),
    [(PORTRAIT, 508, True), (LANDSCAPE, 150, True), (PORTRAIT, 508, False), (LANDSCAPE, 170, False)],
    ids=["Safari, portrait", "Safari, landscape", "smaller page, portrait", "smaller page, landscape"],
)
def test_the_field_of_a_dialog_that_is_typed_in_stays_in_sight_with_the_button_that_saves(
    new_context: NewContext, viewport: dict[str, int], seen: int, safari: bool
):
    page = phone(new_context, viewport, script=SAFARI if safari else "")
    dialog = settings(page)
    save = dialog.get_by_role("button", name="Save")
    for field in (dialog.get_by_label("Other options, as JSON"), dialog.get_by_role("textbox", name="Backend URL")):
        field.scroll_into_view_if_needed()
        field.tap()
        if safari:
            see(page, seen, top=40)
        else:
            page.set_viewport_size({"width": viewport["width"], "height": seen})
        top = 40 if safari else 0
        expect_between(save, top, top + seen)
        below = box(save)["y"]
        if field.evaluate("field => field.localName") == "input":
            expect_between(field, top, below)
        see(page, None) if safari else page.set_viewport_size(viewport)


def test_a_field_in_a_sheet_stays_in_sight_over_the_keyboard(new_context: NewContext):
    page = phone(new_context, script=SAFARI)
    ask(page, LONG)
    expect_settled(page)
    answers(page).get_by_role("button", name="Thoughts").tap()
    thoughts = page.get_by_role("dialog", name="Thoughts")
    thoughts.get_by_role("button", name="Raw").tap()
    thoughts.locator(".thought-json > summary").first.tap()
    field = thoughts.get_by_role("searchbox", name="Search in the JSON").first
    field.tap()
    see(page, 508, top=100)
    expect_between(thoughts, 100, 608)
    expect_between(field, 100, 608)


SMALL_TEXT = """() => [...document.querySelectorAll("input, select, textarea, [contenteditable]")]
    .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map((field) => field.outerHTML)"""


@pytest.mark.wcag("2.5.8")
def test_everything_that_is_pressed_is_as_large_as_a_finger_and_no_field_makes_the_phone_zoom(
    new_context: NewContext, stand_in: StandIn
):
    page = phone(new_context)
    for state in walk(page, stand_in):
        assert (state, too_small(page)) == (state, [])
        assert (state, page.evaluate(SMALL_TEXT)) == (state, [])


def test_the_keyboard_of_a_phone_leaves_addresses_as_they_are_typed_and_says_what_its_return_key_does(
    new_context: NewContext,
):
    page = phone(new_context)
    expect(message(page)).to_have_attribute("enterkeyhint", "send")
    dialog = settings(page)
    address = dialog.get_by_role("textbox", name="Backend URL")
    expect(address).to_have_attribute("inputmode", "url")
    dialog.get_by_role("combobox", name="How the key is sent").select_option("header")
    documents = dialog.locator("#backend-documents")
    for field in (address, dialog.get_by_role("textbox", name="Name of the header"), documents):
        for name, value in {"autocapitalize": "none", "autocorrect": "off", "spellcheck": "false"}.items():
            expect(field).to_have_attribute(name, value)
    dialog.get_by_role("button", name="Cancel").tap()
    expect(dialog).to_have_count(0)
    message(page).tap()
    page.keyboard.type(LONG)
    page.keyboard.press("Enter")
    expect_settled(page)


class Finger:
    """A finger on the screen, which the browser takes for one: it scrolls, taps and is held too."""

    MOVING = 0.1
    RESTING = 0.15

    def __init__(self, page: Page) -> None:
        self._browser: CDPSession = page.context.new_cdp_session(page)
        self._time = 0.0

    def _touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        self._browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places, "timestamp": self._time})

    def put(self, x: float, y: float) -> None:
        self._time = max(self._time, time() - self.MOVING - self.RESTING)
        self._touch("touchStart", (x, y))

    def move(self, at: tuple[float, float], by: tuple[float, float], *, rests: bool = True) -> None:
        """Move by a way, in a time that is told to the browser, and taken from nobody; then rest, or not."""
        self.put(*at)
        for part in range(1, 11):
            self._time += self.MOVING / 10
            self._touch("touchMove", (at[0] + by[0] * part / 11, at[1] + by[1] * part / 11))
        self._time += self.RESTING if rests else self.MOVING / 10
        self._touch("touchMove", (at[0] + by[0], at[1] + by[1]))

    def lift(self) -> None:
        self._touch("touchEnd")

    def flick(self, at: tuple[float, float], by: tuple[float, float]) -> None:
        """Lift the finger while it moves."""
        self.move(at, by, rests=False)
        self.lift()

    def pull(self, at: tuple[float, float], by: tuple[float, float]) -> None:
        """Lift the finger once it rests."""
        self.move(at, by)
        self.lift()


def opened_sources(page: Page) -> Locator:
    """The sheet of the sources of the first answer, at its place."""
    # A tap within a third of a second after a flick is none for Chromium.
    answers(page).first.get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(sources(page).locator("[data-active]")).to_be_visible()
    return sources(page)


def head_of(sheet: Locator) -> tuple[float, float]:
    """A place of the head of a sheet where nothing else is pressed."""
    place = box(sheet)
    return place["x"] + place["width"] / 2, place["y"] + 16


def opened_list_by_finger(page: Page) -> Locator:
    page.get_by_role("button", name="Conversations", exact=True).tap()
    listed = page.get_by_role("navigation", name="Conversations")
    expect(listed.locator(".entry").first).to_be_visible()
    return listed


@pytest.mark.wcag("2.5.1", "2.5.7")
def test_a_sheet_follows_the_finger_springs_back_and_is_pulled_or_flicked_away(new_context: NewContext):
    page = phone(new_context)
    ask(page, LEAVE)
    expect_settled(page)
    sheet = opened_sources(page)
    finger = Finger(page)
    before = box(sheet)
    finger.move(head_of(sheet), (0, 100))
    page.wait_for_function(
        "top => document.querySelector('.side-panel').getBoundingClientRect().y === top", arg=before["y"] + 100
    )
    finger.lift()
    page.wait_for_function(
        "top => document.querySelector('.side-panel').getBoundingClientRect().y === top", arg=before["y"]
    )
    finger.pull(head_of(sheet), (0, before["height"] * 0.4))
    expect(sheet).to_have_count(0)
    sheet = opened_sources(page)
    finger.flick(head_of(sheet), (0, 80))
    expect(sheet).to_have_count(0)
    sheet = opened_sources(page)
    finger.pull(head_of(sheet), (0, -150))
    handle = sheet.get_by_role("button", name="Full height")
    expect(handle).to_have_attribute("aria-pressed", "true")
    expect_top(sheet, 32)
    finger.pull(head_of(sheet), (0, 200))
    expect(handle).to_have_attribute("aria-pressed", "false")
    expect_top(sheet, before["y"])
    handle.tap()
    expect(handle).to_have_attribute("aria-pressed", "true")


def test_what_scrolls_in_a_sheet_is_scrolled_and_moves_no_sheet(new_context: NewContext):
    page = phone(new_context)
    ask(page, LEAVE)
    expect_settled(page)
    sheet = opened_sources(page)
    before = box(sheet)
    Finger(page).pull((before["x"] + 150, before["y"] + 350), (0, -200))
    page.wait_for_function("() => document.querySelector('.side-panel').scrollTop > 100")
    assert box(sheet) == before
    sheet.get_by_role("tab", name="Thoughts").tap()
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_visible()


def test_the_list_of_conversations_is_pushed_back_to_its_edge(new_context: NewContext):
    page = phone(new_context)
    ask(page, LEAVE)
    expect_settled(page)
    listed = opened_list_by_finger(page)
    finger = Finger(page)
    link = box(listed.get_by_role("link").first)
    at = (link["x"] + 150, link["y"] + 20)
    at_x = "x => document.querySelector('.conversation-list').getBoundingClientRect().x === x"
    finger.move(at, (-60, 0))
    page.wait_for_function(at_x, arg=-60)
    finger.lift()
    page.wait_for_function(at_x, arg=0)
    finger.pull(at, (-140, 4))
    expect(listed).to_have_count(0)
    expect(questions(page)).to_have_count(1)


def test_where_motion_is_reduced_a_sheet_leaves_the_cited_sentence_in_sight_and_has_no_animation(
    new_context: NewContext,
):
    page = phone(new_context)
    page.emulate_media(reduced_motion="reduce")
    ask(page, LEAVE)
    expect_settled(page)
    sheet = opened_sources(page)
    before = box(sheet)
    cited = box(answers(page).get_by_role("button", name=re.compile("Citation 1")).first)
    assert 0 < cited["y"] < before["y"]
    Finger(page).pull(head_of(sheet), (0, 100))
    assert sheet.evaluate("sheet => sheet.getAnimations({ subtree: true }).length") == 0
    expect_top(sheet, before["y"])


ELSEWHERE = "/health"


def phone_with_an_answer(new_context: NewContext, viewport: dict[str, int] = PORTRAIT) -> Page:
    """A page with an answer, which was gone to from another place."""
    page = new_context(viewport=viewport, has_touch=True, is_mobile=True).new_page()
    page.goto(ELSEWHERE)
    page.goto("/")
    expect_alive(page)
    ask(page, LEAVE)
    expect_settled(page)
    address_of(page)
    return page


FORWARD = """() => new Promise((gone) => {
    navigation.addEventListener("currententrychange", () => gone(), { once: true });
    history.forward();
})"""


def back(page: Page) -> None:
    page.evaluate("history.back()")


def expect_back_to_leave(page: Page) -> None:
    back(page)
    expect(page).to_have_url(re.compile(f"{ELSEWHERE}$"))


def expect_no_entry_of_a_step(page: Page) -> None:
    page.wait_for_function("() => !history.state?.steps")


def test_back_closes_what_lies_over_the_page_from_the_top_and_then_leaves_the_page(new_context: NewContext):
    page = phone_with_an_answer(new_context)
    address = page.url
    sheet = opened_sources(page)
    sheet.locator("[data-document]").first.tap()
    document = sheet.get_by_role("group", name=re.compile("Document"))
    expect(document.locator("canvas")).to_be_visible()
    back(page)
    expect(document).to_have_count(0)
    expect(sheet).to_be_visible()
    back(page)
    expect(sheet).to_have_count(0)
    listed = opened_list_by_finger(page)
    back(page)
    expect(listed).to_have_count(0)
    dialog = settings(page)
    dialog.get_by_role("tab", name="Report").tap()
    dialog.get_by_role("button", name="How well does it keep to the protocol?").tap()
    report = page.get_by_role("dialog", name="Protocol report")
    expect(report).to_be_visible()
    back(page)
    expect(report).to_have_count(0)
    expect(dialog).to_be_visible()
    back(page)
    expect(dialog).to_have_count(0)
    assert page.url == address
    expect(questions(page)).to_have_count(1)
    expect_back_to_leave(page)


def test_what_is_closed_in_another_way_leaves_nothing_for_back_and_forward_opens_nothing(new_context: NewContext):
    page = phone_with_an_answer(new_context)
    address = page.url
    page.locator(".page").evaluate("page => { page.dataset.stays = ''; }")
    sheet = opened_sources(page)
    page.wait_for_function("() => history.state.steps === 1")
    sheet.locator("[data-document]").first.tap()
    page.wait_for_function("() => history.state.steps === 2")
    sheet.get_by_role("button", name="Close sources").last.tap()
    expect(sheet).to_have_count(0)
    expect_no_entry_of_a_step(page)
    page.evaluate(FORWARD)
    expect_no_entry_of_a_step(page)
    assert page.url == address
    expect(questions(page)).to_have_count(1)
    opened_sources(page)
    page.wait_for_function("() => history.state.steps === 1")
    back(page)
    expect(sheet).to_have_count(0)
    page.evaluate(FORWARD)
    expect_no_entry_of_a_step(page)
    expect(sheet).to_have_count(0)
    # It would be another, had the router heard of it.
    expect(page.locator(".page")).to_have_attribute("data-stays", "")
    expect_back_to_leave(page)


def test_a_conversation_that_is_chosen_in_the_list_stands_before_the_one_that_was_left(new_context: NewContext):
    page = phone_with_an_answer(new_context)
    first = page.url
    page.get_by_role("button", name="New chat").tap()
    expect(questions(page)).to_have_count(0)
    ask(page, "What does the vision plan cover?")
    expect_settled(page)
    page.wait_for_function("first => location.pathname.startsWith('/c/') && location.href !== first", arg=first)
    second = page.url
    listed = opened_list_by_finger(page)
    page.wait_for_function("() => history.state.steps === 1")
    listed.get_by_role("link", name=LEAVE).tap()
    expect(listed).to_have_count(0)
    expect(page).to_have_url(first)
    expect(questions(page)).to_contain_text(LEAVE)
    back(page)
    expect(page).to_have_url(second)
    expect(questions(page)).to_contain_text("vision plan")
    page.evaluate("history.forward()")
    expect(page).to_have_url(first)
    expect(questions(page)).to_contain_text(LEAVE)


def test_a_page_that_was_loaded_anew_under_a_sheet_is_left_by_as_many_steps_back(new_context: NewContext):
    page = phone_with_an_answer(new_context)
    sheet = opened_sources(page)
    page.wait_for_function("() => history.state.steps === 1")
    page.reload()
    expect_alive(page)
    expect_settled(page)
    if sheet.count():
        back(page)
        expect(sheet).to_have_count(0)
        expect_no_entry_of_a_step(page)
    expect_back_to_leave(page)


def test_the_address_that_a_conversation_gets_under_a_sheet_stays_when_the_sheet_is_gone(
    new_context: NewContext, stand_in: StandIn
):
    held = stand_in.held({"delta": {"content": "It is "}}, {"delta": {"content": "here."}})
    page = phone(new_context, backend=held)
    ask(page, "Where?")
    page.get_by_role("button", name="Conversations", exact=True).tap()
    listed = page.get_by_role("navigation", name="Conversations")
    page.wait_for_function("() => history.state.steps === 1")
    stand_in.go_on()
    address = address_of(page)
    back(page)
    expect(listed).to_have_count(0)
    expect_no_entry_of_a_step(page)
    assert page.url == address
    expect(answers(page)).to_contain_text("It is here.")


def test_where_there_is_room_for_a_panel_back_leaves_the_page(new_context: NewContext):
    page = phone_with_an_answer(new_context, {"width": 1200, "height": 800})
    opened_sources(page)
    open_settings(page)
    expect(page.locator(".side-panel")).to_be_visible()
    expect_no_entry_of_a_step(page)
    expect_back_to_leave(page)


def test_a_citation_that_is_held_shows_its_card_and_a_tap_elsewhere_takes_it_away(new_context: NewContext):
    page = phone(new_context)
    ask(page, LEAVE)
    citation = expect_settled(page).get_by_role("button", name=re.compile("Citation 1")).first
    citation.scroll_into_view_if_needed()
    card = page.get_by_role("tooltip")
    place = box(citation)
    page.clock.install()
    finger = Finger(page)
    finger.put(place["x"] + 10, place["y"] + 10)
    expect(card).to_contain_text("Leave Policy")
    finger.lift()
    expect(card).to_be_visible()
    assert page.evaluate("getSelection().isCollapsed")
    card.tap()
    page.clock.run_for(1000)
    expect(card).to_be_visible()
    page.get_by_role("article", name="Question").tap()
    expect(card).to_be_hidden()
    expect(sources(page)).to_have_count(0)
    citation.tap()
    expect(sources(page).locator("[data-active]")).to_be_visible()
    expect(card).to_be_hidden()


WIDER = """() => {
    const SIDEWAYS = ".table-scroll, pre, .strip, .document-body, .formula, textarea, input";
    const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
    return [document.documentElement, ...document.querySelectorAll("body *")]
        .filter((element) => !element.matches(SIDEWAYS) && (element === document.documentElement || scrolls(element)))
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className, scrollWidth, clientWidth }) => `${className}: ${scrollWidth} in ${clientWidth}`);
}"""


@pytest.mark.wcag("1.4.10")
def test_nothing_scrolls_sideways_on_the_narrowest_phone_but_tables_code_and_cards(
    new_context: NewContext, stand_in: StandIn
):
    page = phone(new_context, {"width": 320, "height": 568})
    for state in walk(page, stand_in):
        assert (state, page.evaluate(WIDER)) == (state, [])


def test_words_without_an_end_stay_within_the_narrowest_phone(new_context: NewContext, stand_in: StandIn):
    context = new_context(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    saved = {"selected": "own:0", "own": [{"id": "own:0", "name": LONG_WORD[:100], "url": awkward(stand_in)}]}
    context.add_init_script(f"localStorage['chat-ui-backend'] ||= {json.dumps(json.dumps(saved))}")
    page = open_page(context)
    ask(page, f"{LONG_WORD} {LONG_URL}")
    answer = expect_settled(page)
    assert too_small(page) == []
    for state in in_panel(page, answer):
        assert (state, page.evaluate(WIDER), too_small(page)) == (state, [], [])
    for states in (in_menus(page), in_list(page, LONG_WORD[:40]), in_settings(page)):
        for state in states:
            assert (state, page.evaluate(WIDER)) == (state, [])
    questions(page).get_by_role("button", name="Edit question").tap()
    expect(page.get_by_role("textbox", name="Edited question")).to_be_focused()
    assert page.evaluate(WIDER) == []


UNDER_AN_EDGE = """async ({ top, right, bottom, left }) => {
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
    return [...document.querySelectorAll("button, a[href], input, select, textarea, summary, [role^=menuitem]")]
        .filter((element) => element.checkVisibility() && !element.closest("[inert], [aria-hidden=true], [hidden]"))
        .flatMap((element) => {
            element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
            const at = element.getBoundingClientRect();
            const hit = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
            if (!at.width || !element.contains(hit) || element.matches(".visually-hidden, .sheet-handle")) return [];
            const isUnder = at.left < left || at.right > innerWidth - right || at.top < top
                || at.bottom > innerHeight - bottom;
            const name = element.ariaLabel ?? element.textContent;
            return isUnder ? [`${element.className} ${name}: ${JSON.stringify(at)}`] : [];
        });
}"""


@pytest.mark.parametrize(
    ("viewport", "edges"),
    [
        pytest.param(PORTRAIT, {"top": 47, "right": 0, "bottom": 34, "left": 0}, marks=pytest.mark.thorough),
        (LANDSCAPE, {"top": 0, "right": 47, "bottom": 21, "left": 47}),
        pytest.param(
            {"width": 568, "height": 320},
            {"top": 0, "right": 30, "bottom": 21, "left": 30},
            marks=pytest.mark.thorough,
        ),
    ],
    ids=["portrait", "landscape", "small landscape"],
)
def test_nothing_that_is_pressed_lies_under_the_notch_the_corners_or_the_bar_of_a_screen(
    new_context: NewContext, stand_in: StandIn, viewport: dict[str, int], edges: dict[str, int]
):
    page = phone(new_context, viewport)
    page.context.new_cdp_session(page).send("Emulation.setSafeAreaInsetsOverride", {"insets": edges})
    for state in walk(page, stand_in):
        assert (state, page.evaluate(UNDER_AN_EDGE, edges)) == (state, [])


@pytest.mark.parametrize("viewport", [LANDSCAPE, {"width": 568, "height": 320}], ids=["large", "small"])
@pytest.mark.wcag("1.3.4")
def test_on_its_side_the_box_takes_half_of_the_screen_at_most(new_context: NewContext, viewport: dict[str, int]):
    page = phone(new_context, viewport)
    ask(page, LEAVE)
    expect_settled(page)
    attach(page, *[{**PICTURE, "name": f"{number}.png"} for number in range(4)])
    expect(attached(page)).to_have_count(4)
    message(page).fill("A line of a long question\n" * 30)
    assert box(page.locator(".composer"))["height"] <= viewport["height"] / 2
    expect(page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Remove 0.png").tap()
    expect(attached(page)).to_have_count(3)
