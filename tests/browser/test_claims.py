"""Claims that differ from their passages: marks in the answer, the line below it, cards, Sources and preferences."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.answering import expect_settled, get_answer, start_answer
from tests.browser.asking import ask
from tests.browser.axe import expect_no_violations_in_both_schemes
from tests.browser.opening import address_of, reload, use
from tests.browser.places import leave, open_preferences, sources
from tests.browser.stand_in import StandIn, delta

LEAVE = "Leave.pdf#page=2: Parents get 12 weeks of paid leave. They ask for it at least two months before."
FEES = "Fees.txt: The fee for members is $40 a month."
TEXT = (
    "Parents get **20 weeks** of paid leave [Leave.pdf#page=2]. They ask for it at least two months before "
    "[Leave.pdf#page=2].\n\nThe fee for members is $40 a month [Leave.pdf#page=2]."
)
NOTE = "The answer says 20 weeks. The passage says 12 weeks."
LINE = "2 figures and names agree with the cited passages, 1 is not in the cited passages, 1 differs: “20 weeks”"


@pytest.fixture
def answer(page: Page, stand_in: StandIn) -> Locator:
    use(page, stand_in.streaming(delta("", LEAVE, FEES), delta(TEXT)))
    return get_answer(page, "How long is leave?")


def mark(answer: Locator) -> Locator:
    return answer.get_by_role("mark").filter(has_text="20 weeks")


def line(answer: Locator) -> Locator:
    return answer.get_by_role("button", name=LINE)


@pytest.mark.wcag("1.3.1", "1.4.1", "1.4.3")
def test_a_differing_figure_is_marked_once_the_answer_is_complete_and_after_a_reload(page: Page, answer: Locator):
    for _ in range(2):
        expect(mark(answer)).to_have_text("20 weeks")
        expect(answer.locator(".answer-text p").first).to_match_aria_snapshot(
            "- paragraph:\n  - text: Parents get\n  - strong:\n    - mark: 20 weeks (differs from the passage)\n"
        )
        expect(mark(answer)).to_have_css("text-decoration-style", "wavy")
        expect(answer.locator(".claim-differs")).to_have_count(1)
        expect(line(answer)).to_be_visible()
        address_of(page)
        reload(page)
        answer = expect_settled(page)
    expect_no_violations_in_both_schemes(page)


def test_marks_that_come_late_leave_the_focus_and_the_open_citation(page: Page, stand_in: StandIn):
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/grounding", hold)
    use(page, stand_in.streaming(delta("", LEAVE, FEES), delta(TEXT)))
    ask(page, "How long is leave?")
    citation = page.locator(".answer-text[data-status] [data-use='0']")
    citation.press("Enter")
    expect(sources(page).locator("[data-active] .claim-note")).to_have_text(NOTE)
    citation.focus()
    for route in held:
        route.continue_()
    expect(page.locator(".claim-differs")).to_have_text("20 weeks")
    expect(citation).to_be_focused()
    expect(citation).to_have_attribute("data-active", "")


@pytest.mark.wcag("4.1.3")
def test_a_complete_sentence_is_marked_before_the_answer_ends_and_stays_marked(page: Page, stand_in: StandIn):
    first, *others = TEXT.partition("\n")
    use(page, stand_in.held(delta(first, LEAVE, FEES), *map(delta, others)))
    answer = start_answer(page, "How long is leave?")
    expect(mark(answer)).to_have_css("text-decoration-style", "wavy")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.evaluate("window.marked = document.querySelector('.claim-differs')")
    stand_in.go_on()
    expect(expect_settled(page).get_by_role("button", name="1 differs: “20 weeks”")).to_be_visible()
    assert page.evaluate("marked.isConnected && document.querySelectorAll('.claim-differs').length") == 1


@pytest.mark.wcag("2.1.1")
def test_the_line_leads_to_the_difference_and_a_doubt_has_it_filled_in(page: Page, answer: Locator):
    line(answer).press("Enter")
    active = sources(page).locator("[data-active]")
    expect(active.locator(".claim-note")).to_have_text(NOTE)
    expect(active.locator("mark.claim-part")).to_have_text("12 weeks")
    expect(answer.locator("[data-use='0']")).to_have_attribute("data-active", "")
    doubt = sources(page).get_by_role("button", name="Not in this passage")
    # A key does not wait until the earlier feedback is there.
    expect(doubt).to_be_enabled()
    doubt.press("Enter")
    expect(sources(page).get_by_label("Comment (optional)")).to_have_value(NOTE)


@pytest.mark.wcag("2.1.1")
def test_a_card_shows_both_texts_and_leads_to_the_source_that_has_the_part(page: Page, answer: Locator):
    card = page.get_by_role("tooltip")
    answer.locator("[data-use='0']").hover()
    expect(card.locator(".claim-note")).to_have_text(NOTE)
    expect(card.locator("mark.claim-part")).to_have_text("12 weeks")
    answer.locator("[data-use='2']").hover()
    expect(card.locator(".claim-note")).to_have_text("$40 is in Fees.")
    card.get_by_role("button", name="Fees").click()
    expect(sources(page).locator("[data-active]")).to_contain_text("The fee for members is $40 a month.")
    expect(card).to_be_hidden()
    answer.locator("[data-use='2']").press("Enter")
    sources(page).locator("[data-active]").get_by_role("button", name="Fees").press("Enter")
    expect(sources(page).locator("[data-active]")).to_contain_text("The fee for members is $40 a month.")


def test_preferences_hide_the_differences_and_a_presentation_does_not_show_them(page: Page, answer: Locator):
    def expect_shown(is_shown: bool) -> None:
        expect(line(answer)).to_be_visible(visible=is_shown)
        expect(mark(answer)).to_have_css("text-decoration-line", "underline" if is_shown else "none")

    def choose(name: str) -> None:
        dialog = open_preferences(page)
        dialog.get_by_role("group", name="Differences from cited passages").get_by_label(name, exact=True).check()
        leave(dialog)

    expect_shown(True)
    choose("Hidden")
    expect_shown(False)
    choose("Shown")
    expect_shown(True)
    page.evaluate("document.documentElement.dataset.presenting = ''")
    expect_shown(False)
    page.evaluate("delete document.documentElement.dataset.presenting")
    choose("Shown, also in presentations")
    page.evaluate("document.documentElement.dataset.presenting = ''")
    expect_shown(True)
