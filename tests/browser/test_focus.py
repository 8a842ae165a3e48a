import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.answering import answers, expect_settled, expect_streaming, get_answer, start_answer
from tests.browser.asking import LEAVE, LONG, ask, message, questions
from tests.browser.attaching import attach_picture
from tests.browser.clocks import late_timers
from tests.browser.listening import held_requests
from tests.browser.opening import NewContext, address_of, open_page, reload, use
from tests.browser.places import choose, leave, open_settings, opened_list, options_of
from tests.browser.stand_in import StandIn, delta
from tests.browser.walks import CITATION

SAID = delta("Said.", followup_questions=["And then?"])
BODY = "document.activeElement === document.body"


def press(control: Locator) -> None:
    """Activate with the keyboard."""
    control.focus()
    control.press("Enter")


def button(page: Page, name: str | re.Pattern[str]) -> Locator:
    return page.get_by_role("button", name=name).first


@pytest.mark.wcag("2.4.3")
def test_the_focus_goes_to_the_box_after_asking_stopping_or_regenerating(page: Page, stand_in: StandIn):
    begun = delta("A. ")
    attach_picture(page)
    press(button(page, re.compile("^Remove")))
    expect(message(page)).to_be_focused()
    press(page.get_by_role("group", name="Starter questions").get_by_role("button").first)
    expect_settled(page)
    expect(message(page)).to_be_focused()
    page.goto("/c/nothing")
    press(button(page, "Start a new chat"))
    expect(page.get_by_role("group", name="Starter questions")).to_be_visible()
    expect(message(page)).to_be_focused()

    endless = [begun, stand_in.WAIT_FOR_EVER]
    use(page, stand_in.one_after_the_other(endless, [begun, SAID], [SAID], [begun, stand_in.WAIT_UNTIL_TOLD, SAID]))
    start_answer(page, "Tell me.")
    press(button(page, "Stop"))
    expect_settled(page)
    expect(message(page)).to_be_focused()
    press(button(page, "Retry"))
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page)
    expect(message(page)).to_be_focused()
    press(page.get_by_role("group", name="Follow-up questions").get_by_role("button").first)
    expect_settled(page, turns=2)
    expect(message(page)).to_be_focused()
    # The focus is not taken from another element.
    ask(page, "Tell me more.")
    expect(questions(page)).to_have_count(3)
    expect_streaming(page)
    button(page, "Stop").focus()
    page.get_by_role("heading", name="Chat").click()
    assert page.evaluate(BODY)
    stand_in.go_on()
    expect_settled(page, turns=3)
    assert page.evaluate(BODY)


@pytest.mark.wcag("2.4.3")
def test_the_focus_stays_at_a_question_an_answer_and_their_versions(page: Page, stand_in: StandIn):
    long = delta("A line.\n\n" * 40)
    use(page, stand_in.one_after_the_other([SAID], [SAID], [long, stand_in.WAIT_UNTIL_TOLD, SAID]))
    get_answer(page, "word " * 1000)
    press(button(page, "Show the whole question"))
    expect(button(page, "Edit question")).to_be_focused()
    press(button(page, "Edit question"))
    press(button(page, "Cancel"))
    expect(button(page, "Edit question")).to_be_focused()
    press(button(page, "Regenerate"))
    expect(page.get_by_text("2 / 2")).to_be_visible()
    expect_settled(page)
    press(button(page, "Previous answer"))
    expect(button(page, "Next answer")).to_be_focused()
    press(button(page, "Next answer"))
    expect(button(page, "Previous answer")).to_be_focused()
    press(button(page, "Edit question"))
    edited = page.get_by_role("textbox", name="Edited question")
    expect(edited).to_be_focused()
    edited.fill("Second?")
    press(button(page, "Ask again"))
    expect(questions(page)).to_contain_text(["Second?"])
    expect_streaming(page)
    expect(message(page)).to_be_focused()

    thoughts, dialog = button(page, "Thoughts"), page.get_by_role("dialog", name="Thoughts")
    press(thoughts)
    expect(dialog).to_be_visible()
    # The end of the answer renders its buttons anew, behind the dialog.
    stand_in.go_on()
    expect(page.locator("article.answer[aria-busy=false]")).to_have_count(1)
    leave(dialog)
    expect(thoughts).to_be_focused()
    thoughts.click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(thoughts).to_be_focused()
    press(button(page, "Previous question"))
    expect(questions(page)).to_contain_text(["word word"])
    expect(button(page, "Next question")).to_be_focused()
    press(button(page, "Next question"))
    expect(page.get_by_text("A line.")).to_have_count(40)
    expect(button(page, "Previous question")).to_be_focused()
    expect(button(page, "Previous question")).to_be_in_viewport()


def expect_undo_with_late_timers(page: Page, title: str) -> None:
    """Expect the focus on Undo where the menu's timer comes after the server's answer and before the new list."""
    options = options_of(page.get_by_role("navigation"), title)
    options.click()
    lists = held_requests(page, re.compile(r"/api/conversations/$"))
    with late_timers(page):
        page.get_by_role("menuitem", name="Delete").click()
        expect(button(page, "Undo")).to_be_focused()
    for one in lists:
        one.continue_()
    page.unroute_all()
    expect(options).to_have_count(0)
    expect(button(page, "Undo")).to_be_focused()


@pytest.mark.wcag("2.4.3")
def test_the_list_keeps_the_focus_after_each_action(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    get_answer(page, "First?")
    listed = opened_list(page)
    press(options_of(listed, "First?"))
    press(page.get_by_role("menuitem", name="Pin"))
    expect(options_of(listed, "First?")).to_be_focused()
    expect(listed.get_by_role("img", name="Pinned")).to_be_visible()
    for key in ("Enter", "Escape"):
        press(listed.get_by_role("button", name=re.compile("^Options of")))
        press(page.get_by_role("menuitem", name="Rename"))
        expect(listed.get_by_role("textbox", name="Title")).to_be_focused()
        page.keyboard.type("Second")
        page.keyboard.press(key)
        expect(options_of(listed, "Second")).to_be_focused()
    press(listed.get_by_role("button", name="Data…"))
    data = page.get_by_role("dialog", name="Data")
    press(data.get_by_role("button", name="Delete all conversations"))
    expect(data.get_by_role("button", name="Cancel")).to_be_focused()
    press(data.get_by_role("button", name="Cancel"))
    expect(data.get_by_role("button", name="Delete all conversations")).to_be_focused()
    press(data.get_by_role("button", name="Close"))
    expect(listed.get_by_role("button", name="Data…")).to_be_focused()
    choose(options_of(listed, "Second"), "Delete")
    expect(questions(page)).to_have_count(0)
    expect(button(page, "Undo")).to_be_focused()
    # The list may still show the deleted entry.
    with page.expect_response(re.compile("/restore$")):
        press(button(page, "Undo"))
    expect(button(page, "Options of Second")).to_be_visible()
    assert not page.evaluate(BODY)
    expect_undo_with_late_timers(page, "Second")
    press(listed.get_by_role("button", name="Close conversations"))
    expect(page.get_by_role("button", name="Conversations", exact=True)).to_be_focused()


IN_SHEET = """sheet => {
    const focused = document.activeElement;
    if (focused === document.body) return "left";
    if (!sheet.contains(focused)) return `behind: ${focused.outerHTML.slice(0, 200)}`;
    const head = sheet.querySelector(".panel-head").getBoundingClientRect();
    const at = focused.getBoundingClientRect();
    const isInHead = focused === sheet || focused.closest(".panel-head") !== null;
    // An element taller than the room below the head is partly visible.
    const seenFrom = at.height < 80 ? at.top : at.bottom - 24;
    const isUnder = !isInHead && at.height > 0 && seenFrom < head.bottom - 1;
    return isUnder ? `under the head: ${focused.outerHTML.slice(0, 200)}` : "seen";
}"""


def expect_focus_to_stay_in(page: Page, sheet: Locator) -> None:
    """Tab in both directions, then close the sheet with a key."""
    element = sheet.element_handle()
    for key in ("Tab", "Shift+Tab"):
        places = []
        for _ in range(12):
            page.keyboard.press(key)
            places.append(page.evaluate(IN_SHEET, element))
        assert set(places) <= {"seen", "left"}
        assert "seen" in places
    page.keyboard.press("Escape") if page.evaluate(BODY) is False else sheet.press("Escape")
    expect(sheet).to_have_count(0)
    message(page).focus()
    expect(message(page)).to_be_focused()


@pytest.mark.wcag("2.4.3", "2.4.11")
def test_the_focus_stays_in_a_sheet_on_small_screens(page: Page):
    answer = get_answer(page, LEAVE)
    for width, height in ((320, 256), (900, 700)):
        page.set_viewport_size({"width": width, "height": height})
        answer.get_by_role("button", name=CITATION).first.click()
        sheet = page.get_by_role("region", name="Sources")
        expect(sheet.locator("[data-active]")).to_be_visible()
        expect_focus_to_stay_in(page, sheet)
        sheet = opened_list(page)
        expect(sheet.get_by_role("link").first).to_be_visible()
        expect_focus_to_stay_in(page, sheet)
    sheet = opened_list(page)
    page.mouse.click(800, 350)
    expect(sheet).to_have_count(0)
    opened_list(page)
    page.set_viewport_size({"width": 1200, "height": 700})
    expect(page.locator("[inert]")).to_have_count(0)
    message(page).focus()
    expect(message(page)).to_be_focused()
    page.set_viewport_size({"width": 900, "height": 700})
    expect(sheet).to_be_focused()


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
def test_the_focused_element_is_not_covered(new_context: NewContext, size: tuple[int, int]):
    page = open_page(new_context(viewport={"width": size[0], "height": size[1]}))
    get_answer(page, LONG)

    def expect_focus_to_be_seen(stops: int) -> None:
        for _ in range(stops):
            page.keyboard.press("Tab")
            assert page.evaluate(HIDDEN_FOCUS) is None
            if page.locator(".citation:focus").count():
                # Its card does not cover the next focus either.
                expect(page.get_by_role("tooltip")).to_be_visible()

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
def test_every_action_works_with_the_keyboard(page: Page):
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
    leave(page.get_by_role("region", name="Sources"))
    tab_to("Thoughts")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Thoughts")).to_be_visible()
    leave(page.get_by_role("dialog"))
    expect(page.get_by_role("button", name="Thoughts")).to_be_focused()
    tab_to("Backend settings")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Backend settings").locator(":focus")).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Backend settings")).to_be_focused()

    # The first tab stop skips the header.
    page.get_by_role("button", name="Conversations", exact=True).focus()
    page.keyboard.press("Shift+Tab")
    skip = page.get_by_role("link", name="Skip to the message")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(message(page)).to_be_focused()
    assert page.url == address

    # From the box, or from a clicked place in the answer, to the citations.
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


@pytest.fixture(
    params=[True, pytest.param(False, marks=pytest.mark.thorough)],
    ids=["the browser keeps a place", "our script keeps it"],
)
def anchoring(context: BrowserContext, request: pytest.FixtureRequest) -> BrowserContext:
    """A context with the browser's scroll anchoring, or without."""
    if not request.param:
        context.add_init_script(NO_ANCHORING)
    return context


# The places of the last question in the view, after each frame.
PLACES = """() => {
  window.places = [];
  const view = document.querySelector("[role=log]");
  const question = [...view.querySelectorAll("article.question")].at(-1);
  // After the page's own observers, and before the frame is painted.
  const observer = new ResizeObserver(() => {
    window.places.push(Math.round(question.getBoundingClientRect().top - view.getBoundingClientRect().top));
  });
  for (const part of [view, question.nextElementSibling, question.nextElementSibling.querySelector(".answer-text")])
    observer.observe(part);
}"""


@pytest.mark.wcag("2.2.2")
def test_a_question_stays_at_the_top_while_its_answer_grows_below_it(anchoring: BrowserContext, stand_in: StandIn):
    pieces = [delta(f"Line {number}.\n\n" * 10) for number in range(8)]
    held = [pieces[0], stand_in.WAIT_UNTIL_TOLD, *pieces[1:]]
    page = open_page(anchoring, backend=stand_in.one_after_the_other([delta("Short.")], [*pieces], held))
    get_answer(page, "What came first?")
    page.get_by_role("log").press("Home")
    get_answer(page, "What came before?", turns=2)
    expect(answers(page).first).not_to_be_in_viewport()
    button = page.get_by_role("button", name="Jump to latest")
    expect(button).to_be_visible()
    ask(page, "Count.")
    expect(answers(page).nth(2).locator(".answer-text p")).to_have_count(10)
    expect(button).to_have_count(0)
    page.evaluate(PLACES)
    stand_in.go_on()
    expect_settled(page, turns=3)
    expect(button).to_be_visible()
    [place] = set(page.evaluate("places"))
    assert 0 < place < 40
    message(page).fill("A draft\nof several\nlines")
    expect(page.get_by_text("Line 0.", exact=True).last).to_be_in_viewport()
    assert set(page.evaluate("places")) == {place}
    button.click()
    expect(page.get_by_text("Line 7.", exact=True).last).to_be_in_viewport()
    expect(button).to_have_count(0)
    page.get_by_role("log").hover()
    page.mouse.wheel(0, -150)
    page.wait_for_function("() => document.querySelector('[role=log]').scrollTop < -100")
    expect(button).to_have_count(0)
    page.mouse.wheel(0, -150)
    expect(button).to_be_visible()
    reload(page)
    expect(page.get_by_text("Line 7.", exact=True).last).to_be_in_viewport()


# Messages of the server arrive after the notice of a question that waits.
LATE = """
  const { get, set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
  const late = (listener) => (event) => void setTimeout(() => listener(event), window.late ?? 0);
  Object.defineProperty(WebSocket.prototype, "onmessage", {
    get() { return get.call(this); },
    set(listener) { set.call(this, listener && late(listener)); },
  });
"""


# The answer grows after the layout without the waiting question, in the same frame.
GROWS = """() => {
  const view = document.querySelector("[role=log]");
  new MutationObserver((changes) => {
    const removed = changes.flatMap((change) => [...change.removedNodes]);
    if (!removed.some((one) => one.matches?.(".question-waiting"))) return;
    view.getBoundingClientRect();
    [...view.querySelectorAll("article.answer")].at(-1).style.paddingBlockEnd = "2000px";
  }).observe(view, { childList: true, subtree: true });
}"""


def test_a_question_that_waited_for_a_slow_server_goes_to_the_top(context: BrowserContext, stand_in: StandIn):
    context.add_init_script(LATE)
    page = open_page(context, backend=stand_in.one_after_the_other([delta("Short.")], [delta("Long.")]))
    get_answer(page, "What came first?")
    page.evaluate(GROWS)
    page.evaluate("() => { window.late = 1200; }")
    get_answer(page, "What came before?", turns=2)
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    expect(page.get_by_role("heading", name="What came before?")).to_be_in_viewport()


def test_the_place_of_a_reader_further_up_stays(anchoring: BrowserContext, stand_in: StandIn):
    first, *others = (delta(f"Line {number}.\n\n" * 40) for number in range(5))
    page = open_page(anchoring, backend=stand_in.held(first, *others))
    expect(start_answer(page, "Count.").locator(".answer-text p")).to_have_count(40)
    log, streaming = page.get_by_role("log"), answers(page).last
    log.evaluate("log => { log.scrollTop = -200; }")
    line = page.get_by_text("Line 0.", exact=True).nth(30)
    before, height = (element.evaluate(PLACE) for element in (line, streaming))
    stand_in.go_on()
    expect_settled(page)
    assert streaming.evaluate(PLACE)["height"] > height["height"] + 200
    assert abs(line.evaluate(PLACE)["top"] - before["top"]) < 3
