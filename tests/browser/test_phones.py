"""A phone that is held in one hand: its keyboard, its gestures, its edges, and targets for a thumb."""

from __future__ import annotations

from typing import TypedDict

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.questions import LONG
from tests.browser.stand_in import StandIn
from tests.browser.states import awkward, in_panel, settings, walk
from tests.browser.talking import NewContext, answers, ask, expect_settled, message, open_page
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


def test_everything_that_is_pressed_is_as_large_as_a_finger_and_no_field_makes_the_phone_zoom(
    new_context: NewContext, stand_in: StandIn
):
    page = phone(new_context)
    for state in walk(page, stand_in):
        assert (state, too_small(page)) == (state, [])
        assert (state, page.evaluate(SMALL_TEXT)) == (state, [])


def test_on_its_side_no_field_makes_the_phone_zoom(new_context: NewContext):
    page = phone(new_context, LANDSCAPE)
    settings(page)
    assert page.evaluate(SMALL_TEXT) == []


def test_what_warns_of_a_source_and_what_has_long_words_is_as_large_as_a_finger_too(
    new_context: NewContext, stand_in: StandIn
):
    page = phone(new_context, backend=awkward(stand_in))
    ask(page, "What has no room?")
    answer = expect_settled(page)
    assert too_small(page) == []
    for state in in_panel(page, answer):
        assert (state, too_small(page)) == (state, [])


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
