import re
from itertools import islice
from time import time
from typing import Final

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.answering import answers, expect_settled, get_answer
from tests.browser.asking import LEAVE, LONG, ask, message, questions
from tests.browser.opening import NewContext, address_of, expect_alive, open_page, reload
from tests.browser.places import box, open_settings, opened_list, report, sources
from tests.browser.reflow import scrolling
from tests.browser.stand_in import StandIn, delta
from tests.browser.targets import too_small, zooming
from tests.browser.walks import CITATION, beside, listed

PORTRAIT: Final = {"width": 390, "height": 844}
LANDSCAPE: Final = {"width": 844, "height": 390}

LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3
LONG_URL = f"https://example.com/{'very-long-path/' * 12}?{'parameter=value&' * 12}"
LONG_CODE = f"```python\nvalue = {' + '.join(f'number_{number}' for number in range(60))}\n```"
LONG_NAMES = [f"column_{number}_of_a_table_with_long_names" for number in range(12)]
LONG_TABLE = "\n".join((f"| {' | '.join(LONG_NAMES)} |", f"|{'---|' * 12}", f"| {' | '.join(map(str, range(12)))} |"))


def awkward(stand_in: StandIn) -> str:
    """The address of a backend with answers, sources and thoughts too wide for a phone."""
    words = f"{LONG_WORD} {LONG_URL} `{LONG_WORD}` **{LONG_WORD}** [{LONG_WORD}.pdf] and [nowhere.pdf]"
    text = f"{words}\n\n{LONG_CODE}\n\n{LONG_TABLE}\n\n"
    context = {
        "data_points": {"text": [f"{LONG_WORD}.pdf: {LONG_WORD} {LONG_URL}", f"{LONG_URL}: {LONG_WORD}"]},
        "thoughts": [
            {"title": LONG_WORD, "description": LONG_URL, "props": {LONG_WORD: LONG_WORD, "token_usage": {"a": 1}}},
            {"title": "Search", "description": [{"id": LONG_WORD, "content": LONG_WORD * 5, "score": 0.123456}]},
            {"title": "Prompt", "description": [{"role": LONG_WORD, "content": LONG_URL}]},
            {"title": "Deep", "description": {"deep": {LONG_WORD: [LONG_URL, {LONG_WORD: [LONG_WORD]}]}}},
        ],
        "followup_questions": [f"{LONG_WORD}?", "Anything else?"],
    }
    return stand_in.streaming({"context": context}, delta(text))


# Safari's keyboard covers the page, and Chromium's shrinks it. So this stands in for Safari's visual viewport.
SAFARI = """
  const part = Object.assign(new EventTarget(), { scale: 1, offsetTop: 0 });
  const whole = document;
  Object.assign(part, { offsetLeft: 0, pageLeft: 0, pageTop: 0 });
  Object.defineProperty(part, "width", { get: () => whole.documentElement.clientWidth / part.scale });
  Object.defineProperty(part, "height", { get: () => part.seen ?? whole.documentElement.clientHeight });
  Object.defineProperty(window, "visualViewport", { value: part });
  window.see = (seen) => { Object.assign(part, seen); part.dispatchEvent(new Event("resize")); };
"""


def phone(
    new_context: NewContext, viewport: dict[str, int] = PORTRAIT, *, script: str = "", backend: str | None = None
) -> Page:
    """A tab with a phone's size."""
    context = new_context(viewport=viewport, has_touch=True, is_mobile=True)
    if script:
        context.add_init_script(script)
    return open_page(context, backend=backend)


def see(page: Page, height: float | None, top: float = 0, scale: float = 1) -> None:
    """Move the visual viewport, as Safari does."""
    page.evaluate("seen => see(seen)", {"seen": height, "offsetTop": top, "scale": scale})


def expect_between(element: Locator, top: float, bottom: float) -> None:
    """Check that the whole element is between these heights."""
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


def typed_in(page: Page) -> tuple[Locator, Locator, Locator]:
    """The dialog of backend settings, its first and its last field."""
    dialog = open_settings(page)
    return dialog, dialog.get_by_role("textbox", name="Backend URL"), dialog.get_by_label("Other options, as JSON")


def last_of_page(page: Page) -> Locator:
    """The last element of the conversation."""
    return answers(page).last.get_by_role("group", name="Follow-up questions").get_by_role("button").last


@pytest.mark.wcag("1.3.4")
@pytest.mark.parametrize(
    ("viewport", "seen", "moved"), [(PORTRAIT, 508, 120), (LANDSCAPE, 170, 80)], ids=["portrait", "landscape"]
)
def test_the_box_the_end_and_the_typed_field_stay_above_safaris_keyboard(
    new_context: NewContext, viewport: dict[str, int], seen: int, moved: int
):
    page = phone(new_context, viewport, script=SAFARI)
    get_answer(page, LONG)
    page.get_by_role("button", name="Jump to latest").tap()
    composer, header = page.locator(".composer"), page.get_by_role("banner")
    before = box(composer)
    message(page).tap()
    see(page, seen, top=moved)
    for part in (composer, last_of_page(page)):
        expect_between(part, moved, moved + seen)
    if viewport == LANDSCAPE:
        expect(header).to_be_hidden()
    else:
        expect_between(header, moved, moved + seen)
    message(page).fill("A line of a long question\n" * 30)
    expect_between(composer, moved, moved + seen)
    assert box(composer)["height"] <= max(seen / 2, 96)
    see(page, None)
    assert box(composer)["height"] <= viewport["height"] / 2
    expect(page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
    message(page).fill("")
    expect_top(composer, before["y"])
    assert box(composer) == before
    # Pinch zoom.
    see(page, viewport["height"] / 2, top=100, scale=2)
    assert box(composer) == before
    see(page, None)
    dialog, *fields = typed_in(page)
    for field in fields:
        field.tap()
        see(page, seen, top=40)
        expect_between(dialog.get_by_role("button", name="Save"), 40, 40 + seen)


def test_the_end_and_the_typed_field_stay_in_view_on_a_smaller_page(new_context: NewContext):
    page = phone(new_context)
    expect(message(page)).to_have_attribute("enterkeyhint", "send")
    message(page).tap()
    page.keyboard.type(LONG)
    page.keyboard.press("Enter")
    expect_settled(page)
    page.get_by_role("button", name="Jump to latest").tap()
    message(page).tap()
    page.set_viewport_size({"width": 390, "height": 508})
    for part in (page.locator(".composer"), last_of_page(page)):
        expect_between(part, 0, 508)
    page.set_viewport_size(PORTRAIT)
    dialog, address, _ = typed_in(page)
    address.tap()
    page.set_viewport_size({"width": 390, "height": 300})
    save = dialog.get_by_role("button", name="Save")
    expect_between(save, 0, 300)
    expect_between(address, 0, box(save)["y"])
    expect(address).to_have_attribute("inputmode", "url")
    dialog.get_by_role("combobox", name="Authentication").select_option("header")
    for field in (address, dialog.get_by_label("Name of the header"), dialog.locator("#backend-documents")):
        for name, value in {"autocapitalize": "none", "autocorrect": "off", "spellcheck": "false"}.items():
            expect(field).to_have_attribute(name, value)


class Finger:
    """A finger that scrolls, taps and holds."""

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
        """Move along a path with timestamps of its own, and rest at the end if asked to."""
        self.put(*at)
        for part in range(1, 11):
            self._time += self.MOVING / 10
            self._touch("touchMove", (at[0] + by[0] * part / 11, at[1] + by[1] * part / 11))
        self._time += self.RESTING if rests else self.MOVING / 10
        self._touch("touchMove", (at[0] + by[0], at[1] + by[1]))

    def lift(self) -> None:
        self._touch("touchEnd")

    def flick(self, at: tuple[float, float], by: tuple[float, float]) -> None:
        """Lift the finger during a movement."""
        self.move(at, by, rests=False)
        self.lift()

    def pull(self, at: tuple[float, float], by: tuple[float, float]) -> None:
        """Lift the finger at rest."""
        self.move(at, by)
        self.lift()


def opened_sources(page: Page) -> Locator:
    """The open sources sheet of the first answer."""
    # Chromium ignores a tap within a third of a second after a flick.
    answers(page).first.get_by_role("button", name=CITATION).first.click()
    expect(sources(page).locator("[data-active]")).to_be_visible()
    return sources(page)


def head_of(sheet: Locator) -> tuple[float, float]:
    """A place in the head of a sheet without a control."""
    place = box(sheet)
    return place["x"] + place["width"] / 2, place["y"] + 16


@pytest.mark.wcag("2.5.1", "2.5.7")
def test_a_sheet_follows_the_finger_and_closes_on_a_pull_or_flick(new_context: NewContext):
    page = phone(new_context)
    answer = get_answer(page, LEAVE)
    place = box(questions(page).first)
    answer.get_by_role("button", name="Sources").click()
    expect(sources(page).get_by_role("listitem").first).to_be_visible()
    assert abs(box(questions(page).first)["y"] - place["y"]) < 1
    page.keyboard.press("Escape")
    sheet = opened_sources(page)
    finger = Finger(page)
    before = box(sheet)
    finger.move(head_of(sheet), (0, 100))
    expect_top(sheet, before["y"] + 100)
    finger.lift()
    expect_top(sheet, before["y"])
    page.emulate_media(reduced_motion="reduce")
    finger.pull(head_of(sheet), (0, 100))
    assert sheet.evaluate("sheet => sheet.getAnimations({ subtree: true }).length") == 0
    expect_top(sheet, before["y"])
    page.emulate_media(reduced_motion="no-preference")
    finger.pull((before["x"] + 150, before["y"] + 350), (0, -200))
    page.wait_for_function("() => document.querySelector('.side-panel').scrollTop > 100")
    assert box(sheet) == before
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
    page.get_by_role("button", name="Close sources").tap()

    found = opened_list(page)
    link = box(found.get_by_role("link").first)
    at = (link["x"] + 150, link["y"] + 20)
    at_x = "x => document.querySelector('.conversation-list').getBoundingClientRect().x === x"
    finger.move(at, (-60, 0))
    page.wait_for_function(at_x, arg=-60)
    finger.lift()
    page.wait_for_function(at_x, arg=0)
    finger.pull(at, (-140, 4))
    expect(found).to_have_count(0)
    expect(questions(page)).to_have_count(1)


def test_a_held_citation_shows_its_card_and_a_tapped_one_stays_in_view(new_context: NewContext):
    page = phone(new_context)
    page.emulate_media(reduced_motion="reduce")
    citation = get_answer(page, LEAVE).get_by_role("button", name=CITATION).first
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
    sheet = sources(page)
    expect(sheet.locator("[data-active]")).to_be_visible()
    expect(card).to_be_hidden()
    assert 0 < box(citation)["y"] < box(sheet)["y"]


ELSEWHERE = "/health"

FORWARD = """() => new Promise((gone) => {
    navigation.addEventListener("currententrychange", () => gone(), { once: true });
    history.forward();
})"""


def back(page: Page) -> None:
    page.evaluate("history.back()")


def expect_back_to_close(page: Page, part: Locator) -> None:
    back(page)
    expect(part).to_have_count(0)


def expect_steps(page: Page, count: int) -> None:
    """Check the number of history entries above the page's."""
    page.wait_for_function("count => (history.state?.steps ?? 0) === count", arg=count)


def test_back_closes_overlays_from_the_top_and_then_leaves_the_page(new_context: NewContext):
    page = new_context(viewport=PORTRAIT, has_touch=True, is_mobile=True).new_page()
    for path in (ELSEWHERE, "/"):
        page.goto(path)
    expect_alive(page)
    get_answer(page, LEAVE)
    address = address_of(page)
    page.locator(".page").evaluate("page => { page.dataset.stays = ''; }")
    sheet = opened_sources(page)
    sheet.locator("[data-document]").first.tap()
    document = sheet.get_by_role("group", name=re.compile("Document"))
    expect(document.locator("canvas")).to_be_visible()
    expect_back_to_close(page, document)
    expect(sheet).to_be_visible()
    expect_back_to_close(page, sheet)
    found = opened_list(page)
    expect_back_to_close(page, found)
    dialog = open_settings(page)
    expect_back_to_close(page, report(page))
    expect(dialog).to_be_visible()
    expect_back_to_close(page, dialog)

    # Closing it otherwise removes its history entry.
    opened_sources(page)
    expect_steps(page, 1)
    sheet.locator("[data-document]").first.tap()
    expect_steps(page, 2)
    sheet.get_by_role("button", name="Close sources").last.tap()
    expect(sheet).to_have_count(0)
    expect_steps(page, 0)
    page.evaluate(FORWARD)
    expect_steps(page, 0)
    expect(sheet).to_have_count(0)
    assert page.url == address
    # The router must not notice the change.
    expect(page.locator(".page")).to_have_attribute("data-stays", "")

    # Reload below a sheet.
    opened_sources(page)
    expect_steps(page, 1)
    reload(page)
    expect_settled(page)
    if sheet.count():
        expect_back_to_close(page, sheet)
        expect_steps(page, 0)

    # A panel beside the page has no history entry.
    page.set_viewport_size({"width": 1200, "height": 800})
    opened_sources(page)
    open_settings(page)
    expect(page.locator(".side-panel")).to_be_visible()
    expect_steps(page, 0)
    back(page)
    expect(page).to_have_url(re.compile(f"{ELSEWHERE}$"))


def test_a_conversation_has_its_history_entry_below_any_overlay(new_context: NewContext, stand_in: StandIn):
    held = stand_in.held(delta("It is "), delta("here."))
    page = phone(new_context, backend=held)
    ask(page, "First?")
    page.get_by_role("button", name="Conversations", exact=True).tap()
    found = page.get_by_role("navigation", name="Conversations")
    expect_steps(page, 1)
    stand_in.go_on()
    first = address_of(page)
    expect_back_to_close(page, found)
    expect_steps(page, 0)
    assert page.url == first
    expect(answers(page)).to_contain_text("It is here.")

    page.get_by_role("button", name="New chat").tap()
    expect(questions(page)).to_have_count(0)
    get_answer(page, "Second?")
    page.wait_for_function("first => location.pathname.startsWith('/c/') && location.href !== first", arg=first)
    second = page.url
    opened_list(page)
    expect_steps(page, 1)
    found.get_by_role("link", name="First?").tap()
    expect(found).to_have_count(0)
    for address, question in ((first, "First?"), (second, "Second?")):
        expect(page).to_have_url(address)
        expect(questions(page)).to_contain_text(question)
        back(page)


@pytest.mark.wcag("1.4.10", "2.5.8")
def test_a_phone_has_every_control_in_reach_and_a_tap_raises_no_keyboard(new_context: NewContext):
    page = phone(new_context)
    viewport = (page.locator("meta[name=viewport]").get_attribute("content") or "").split(",")
    said = dict(part.strip().split("=") for part in viewport)
    wanted = {"width": "device-width", "viewport-fit": "cover", "interactive-widget": "resizes-content"}
    assert said.items() >= wanted.items()
    assert not {"user-scalable", "maximum-scale"} & said.keys()
    page.get_by_role("group", name="Starter questions").get_by_role("button").first.tap()
    expect_settled(page)
    expect(page.get_by_role("log", name="Conversation")).to_be_focused()
    message(page).fill(LONG)
    page.get_by_role("button", name="Send").tap()
    answer = expect_settled(page, turns=2)
    expect(page.get_by_role("log", name="Conversation")).to_be_focused()
    assert (too_small(page), zooming(page), scrolling(page)) == ([], [], [])
    page.get_by_role("log").evaluate("log => { log.scrollTop = 0; }")
    answer.get_by_role("button", name=CITATION).first.tap()
    expect(sources(page).locator("[data-active]")).to_be_visible()
    assert box(sources(page))["width"] == 390
    assert (too_small(page), scrolling(page)) == ([], [])
    page.get_by_role("button", name="Close sources").tap()
    open_settings(page)
    assert (too_small(page), zooming(page), scrolling(page)) == ([], [], [])


MIDDLES = """() => [...document.querySelectorAll(".header :is(button, h1, .backend)")]
    .map((part) => part.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2)"""


def test_the_parts_of_the_header_are_in_one_line(new_context: NewContext):
    for width in (390, 1024):
        page = phone(new_context, {"width": width, "height": 844})
        middles = page.evaluate(MIDDLES)
        assert len(middles) == 6
        assert max(middles) - min(middles) <= 0.5, width


COVERED = """menu => [...menu.querySelectorAll("[role^=menuitem]")].map((item) => item.getBoundingClientRect())
    .filter((place) => place.bottom <= innerHeight)
    .filter((place) => !menu.contains(document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2)))
    .length"""


def test_menus_are_above_the_box_the_list_and_panels(new_context: NewContext):
    for viewport in ({"width": 390, "height": 500}, {"width": 1024, "height": 500}):
        page = open_page(new_context(viewport=viewport, has_touch=True))
        answer = get_answer(page, LEAVE)

        def menu_of(button: Locator, page: Page = page) -> None:
            expect(page.get_by_role("menu")).to_have_count(0)
            button.click()
            menu = page.get_by_role("menu")
            expect(menu).to_be_visible()
            assert menu.evaluate(COVERED) == 0
            page.keyboard.press("Escape")

        menu_of(answer.get_by_role("button", name="Other ways to copy"))
        menu_of(page.get_by_role("combobox", name="Backend"))
        menu_of(opened_list(page).get_by_role("button", name="Options of"))
        page.get_by_role("button", name="Close conversations").click()
        if viewport["width"] > 960:
            opened_sources(page)
        menu_of(page.get_by_role("button", name="More", exact=True))


def test_a_document_has_the_full_height_of_a_phone_with_its_zoom(new_context: NewContext):
    page = phone(new_context)
    get_answer(page, LEAVE)
    before = box(opened_sources(page))["height"]
    sources(page).get_by_role("button", name=re.compile("^Open ")).first.tap()
    drawn = sources(page).locator(".pdf-page")
    expect(drawn).to_be_visible()
    assert box(sources(page))["height"] == PORTRAIT["height"] - 32
    # The text, without the margins of the page, is as wide as the phone.
    assert (box(drawn)["width"] > 1.2 * PORTRAIT["width"], box(drawn)["x"] < 0) == (True, True)
    assert (too_small(page), scrolling(page)) == ([], [])
    sources(page).get_by_role("button", name="Zoom out").tap()
    page.wait_for_function("() => document.querySelector('.pdf-page').offsetWidth < innerWidth")
    sources(page).get_by_role("button", name="Back to sources").tap()
    assert box(sources(page))["height"] == before


def test_a_low_window_leaves_most_of_its_height_to_the_conversation(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 320, "height": 256}))
    get_answer(page, LEAVE)
    assert box(page.get_by_role("log"))["height"] >= 150
    expect(page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)


def test_unbroken_words_fit_the_narrowest_phone(new_context: NewContext, stand_in: StandIn):
    context = new_context(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    page = open_page(context, backend=[(LONG_WORD[:100], awkward(stand_in))])
    answer = get_answer(page, f"{LONG_WORD} {LONG_URL}")
    assert scrolling(page) == []
    for state in beside(page, answer):
        assert (state, scrolling(page)) == (state, [])
    questions(page).get_by_role("button", name="Edit question").tap()
    expect(page.get_by_role("textbox", name="Edited question")).to_be_focused()
    assert scrolling(page) == []
    page.get_by_role("button", name="Cancel").tap()
    for state in islice(listed(page, LONG_WORD[:40]), 3):
        assert (state, scrolling(page)) == (state, [])
