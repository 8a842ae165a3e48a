import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chat_ui.rendering.ai_notice import DEFAULT
from tests.browser.asking import ask_at_once, message
from tests.browser.axe import expect_no_violations
from tests.browser.hearing import heard_to, listen
from tests.browser.opening import NewContext, open_page
from tests.browser.places import box, from_more, opened_list, run_command, sources
from tests.browser.stand_in import StandIn, delta
from tests.browser.test_presenting import FILE, QUESTIONS, SCREEN, SCRIPT, SMALL, everything_said, opened_script

KEEP_KEYS = """() => {
    globalThis.taken = [];
    addEventListener("keydown", (event) => {
        taken.push(event.defaultPrevented);
        event.preventDefault();
    });
}"""
QUESTION = "How much leave do I get?"
EACH = "leave.pdf: Each parent has 20 weeks."
LEFT = delta("Each parent has 20 weeks [leave.pdf]. Ask your manager early.", EACH, "annual.pdf: 27 days.")
RIGHT = delta(
    "Each parent has 12 weeks [handbook.pdf]. Ask your manager early [gone.pdf].", "handbook.pdf: Twelve weeks.", EACH
)


def column(page: Page, side: str) -> Locator:
    return page.get_by_role("region", name=side, exact=True)


def comparison(page: Page) -> Locator:
    return page.get_by_role("region", name="Comparison")


def comparing(context: BrowserContext, left: str, right: str) -> Page:
    """A page that compares these two backends, before the first question."""
    page = open_page(context, backend=[("Before", left), ("After", right)])
    listen(page)
    from_more(page, "Compare")
    page.get_by_role("combobox", name="Backend of the right column").select_option("After")
    expect(page.locator(".composer-chips")).to_contain_text("Before and After")
    return page


def expect_both(page: Page) -> None:
    """Both columns have ended, and one can be chosen."""
    expect(comparison(page).get_by_role("button", name="Left is better")).to_be_visible()


def expect_ended(page: Page, side: str) -> None:
    """The newest answer of the column is whole, and the page knows its end."""
    expect(column(page, side).locator(".answer-text").last).to_have_attribute("data-status", re.compile("."))
    expect(column(page, side).locator(".working")).to_have_count(0)


def test_two_arms_answer_one_question_and_are_compared(context: BrowserContext, stand_in: StandIn):
    page = comparing(context, stand_in.streaming(LEFT), stand_in.streaming(RIGHT))
    ask_at_once(page, QUESTION)
    expect_both(page)
    expect(column(page, "Left").get_by_role("article", name="Answer")).to_contain_text("20 weeks")
    expect(column(page, "Right").get_by_role("article", name="Answer")).to_contain_text("12 weeks")
    # Either may be the first to end.
    heard_to(page, "Left: Finished")
    said = heard_to(page, "Right: Finished").said
    assert {f"Left: Answering. {DEFAULT}", "Right: Answering.", "Left: Finished, with one source."} <= set(said)
    assert any(words.startswith("Right: Each parent has 12 weeks") for words in said)

    comparison(page).get_by_role("button", name="Sources and figures").click()
    differences = page.get_by_role("region", name="Sources and figures")
    figures = differences.get_by_role("row")
    expect(figures.filter(has_text="Claims cited")).to_have_text("Claims cited1 of 21 of 2")
    expect(figures.filter(has_text="Citations not found")).to_contain_text("gone.pdf")
    lists = [differences.locator("section").nth(place) for place in range(3)]
    for found, text in zip(
        lists, ("Annual, PDF", "Leave, PDF left number 1, right number 2", "Handbook, PDF"), strict=True
    ):
        expect(found.get_by_role("listitem")).to_have_count(1)
        expect(found.get_by_role("listitem")).to_contain_text(text)

    comparison(page).get_by_role("button", name="Differences").click()
    words = page.get_by_role("region", name="Differences").locator(".word-differences")
    expect(words.locator("del")).to_have_text(["20"])
    expect(words.locator("ins")).to_have_text(["12"])

    column(page, "Right").get_by_role("button", name=re.compile("^Citation 1")).click()
    expect(sources(page).locator("[data-active]")).to_contain_text("Twelve weeks")
    page.keyboard.press("Escape")

    page.keyboard.press("Control+p")
    page.emulate_media(media="print")
    for side, name in (("Left", "Before"), ("Right", "After")):
        expect(column(page, side).get_by_role("heading", name=side)).to_be_visible()
        expect(column(page, side)).to_contain_text(name)
    expect(message(page)).to_be_hidden()
    page.emulate_media(media="screen")
    expect_arms_to_be_tabs_on_a_phone(page)


def expect_arms_to_be_tabs_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    # The differences are a sheet over the page.
    page.get_by_role("region", name="Differences").get_by_role("button", name="Close").click()
    differences = comparison(page).get_by_role("button", name="Differences")
    expect(differences).to_be_focused()
    differences.click()
    expect_no_violations(page, "differences")
    page.keyboard.press("F2")
    expect(page.locator("[inert], .scrim")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(comparison(page).get_by_text("Which answer is better?")).to_be_visible()
    assert box(comparison(page))["height"] < 56
    tabs = page.get_by_role("tab")
    expect(page.get_by_role("tabpanel", name="Left")).to_contain_text("Each parent")
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tabs.last).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Right")).to_contain_text("Each parent")
    expect(page.get_by_role("tabpanel", name="Left")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect_no_violations(page, "tabs")
    page.get_by_role("button", name="End comparison").click()
    expect(tabs).to_have_count(0)


def test_a_better_answer_is_chosen_by_keys_and_kept(context: BrowserContext, stand_in: StandIn):
    right = stand_in.one_after_the_other([RIGHT], [delta("It begins."), stand_in.WAIT_FOR_EVER])
    page = comparing(context, stand_in.streaming(LEFT), right)
    ask_at_once(page, QUESTION)
    expect_both(page)
    comparison(page).focus()
    page.keyboard.press("ArrowRight")
    better = comparison(page).get_by_role("button", pressed=True)
    expect(better).to_have_accessible_name("Right is better")
    page.keyboard.press("=")
    expect(better).to_have_accessible_name("Tie")
    heard_to(page, "Chosen: both are equal.")
    # The message box and the differences have their own keys, and the browser those with Ctrl, Alt or Shift.
    message(page).press("ArrowLeft")
    comparison(page).get_by_role("button", name="Differences").click()
    page.get_by_role("region", name="Differences").press("ArrowRight")
    page.evaluate(KEEP_KEYS)
    comparison(page).focus()
    for keys in ("Control+=", "Alt+ArrowLeft", "Shift+ArrowRight", "Meta+ArrowLeft"):
        page.keyboard.press(keys)
    assert set(page.evaluate("taken")) == {False}
    page.reload()
    expect_both(page)
    expect(better).to_have_accessible_name("Tie")
    expect(page.get_by_role("combobox", name="Backend of the right column")).to_have_value("own:1")

    run_command(page, "Export this conversation as a page")
    going_out = page.get_by_role("dialog", name="Export")
    expect(going_out).to_contain_text("Only the left side of the comparison is included.")
    page.keyboard.press("Escape")
    other = context.new_page()
    other.goto(page.url)
    expect_both(other)
    listed = opened_list(page).locator(".entry")
    expect(listed).to_have_count(1)
    page.get_by_role("button", name="Conversations", exact=True).click()
    run_command(page, "End comparison")
    expect(column(page, "Right")).to_have_count(0)
    expect(page.get_by_role("log", name="Conversation", exact=True)).to_contain_text("20 weeks")
    expect(opened_list(page).locator(".entry")).to_have_count(2)
    expect(column(other, "Right")).to_have_count(0)
    run_command(page, "Compare")
    page.get_by_role("combobox", name="Backend of the right column").select_option("After")
    comparison(page).get_by_role("button", name="Ask the question on the right too").click()
    page.get_by_role("button", name="Stop the right answer").click()
    expect(column(page, "Right")).to_contain_text("You stopped this answer.")
    expect(column(page, "Right").get_by_role("article", name="Question")).to_have_text([QUESTION])


TOPS = """() => [...document.querySelectorAll(".column .thread")].map((view) =>
    view.querySelectorAll(".question-text")[1].getBoundingClientRect().top - view.getBoundingClientRect().top)"""


def test_both_columns_scroll_together_and_equal_questions_stay_level(context: BrowserContext, stand_in: StandIn):
    short, long = ("\n\n".join(["Each parent has 20 weeks."] * count) for count in (30, 70))
    page = comparing(context, stand_in.saying(short), stand_in.saying(long))
    for number, question in enumerate(("How much leave?", "And next year?"), 1):
        ask_at_once(page, question)
        for side in ("Left", "Right"):
            expect(column(page, side).get_by_role("article", name="Answer")).to_have_count(number)
            expect_ended(page, side)
    place = page.evaluate(TOPS)[0]
    left = column(page, "Left").get_by_role("log")
    left.press("Home")
    page.wait_for_function(f"() => ({TOPS})().every((top) => top > 600) && ({TOPS})()[0] < ({TOPS})()[1]")
    left.hover()
    page.mouse.wheel(0, page.evaluate(TOPS)[0] - place)
    page.wait_for_function(f"place => ({TOPS})().every((top) => Math.abs(top - place) < 2)", arg=place)


@pytest.mark.thorough
def test_a_comparison_is_presented_and_each_step_waits_for_both_answers(new_context: NewContext, stand_in: StandIn):
    held = stand_in.held(delta("It begins."), delta(" It ends."))
    page = comparing(new_context(viewport=SCREEN), stand_in.streaming(LEFT), held)
    dialog = opened_script(page)
    dialog.locator("input[type=file]").set_input_files({**FILE, "buffer": SCRIPT.encode()})
    dialog.get_by_role("button", name="Present", exact=True).click()
    expect(comparison(page)).to_be_hidden()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(sources(page)).to_be_visible()
    expect(column(page, "Right").locator(".answer-text")).to_contain_text("It begins.")
    page.keyboard.press("PageDown")
    heard_to(page, "The answer is still being written.")
    stand_in.go_on()
    expect_ended(page, "Right")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    first, second = QUESTIONS[:2]
    for side, words in (("Left", "20 weeks"), ("Right", "It ends.")):
        expect(column(page, side).get_by_role("heading", name=second)).to_be_visible()
        expect(column(page, side).get_by_role("article", name="Answer").last).to_contain_text(words)
        expect_ended(page, side)
    # The step ends once its part is open. An earlier key would be ignored.
    expect(sources(page)).to_be_visible()
    page.keyboard.press("PageUp")
    for side in ("Left", "Right"):
        expect(column(page, side).get_by_role("heading", name=first)).to_be_visible()
        expect(column(page, side).get_by_role("heading", name=second)).to_be_hidden()
    assert not re.search("Before|After|Options|Backend|better|differ", everything_said(page))
    assert page.evaluate(SMALL) == []
    expect_no_violations(page, "presenting")
    page.keyboard.press("Escape")
    expect_both(page)
