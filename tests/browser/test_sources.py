"""From a citation to the passage it rests on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.axe import expect_no_violations, expect_no_violations_in_both_schemes
from tests.browser.places import opened_list
from tests.browser.places import sources as sources_in
from tests.browser.questions import LEAVE
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    choose,
    expect_settled,
    leaving_its_address,
    open_page,
    options_of,
    questions,
    size_of,
)

# Before the server can have answered.
PRESS_AND_ESCAPE = """citation => {
    citation.focus();
    citation.click();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
}"""
CITATION = re.compile(r"Citation 1: Leave_Policy\.pdf#page=\d")


@pytest.mark.wcag("2.4.3")
def test_a_citation_opens_its_source_with_the_passage_marked_and_escape_gives_the_focus_back(page: Page):
    ask(page, LEAVE)
    citations = expect_settled(page).get_by_role("button", name=CITATION)
    sources = sources_in(page)
    mark = sources.locator("[data-active] mark").first
    citations.first.focus()
    page.keyboard.press("Enter")
    expect(sources).to_be_focused()
    expect(sources.locator("[data-active]")).to_contain_text("Leave PolicyPDF · page ")
    expect(mark).to_contain_text("20 weeks of parental leave at full pay")
    expect(mark).to_be_in_viewport()
    citations.nth(2).click()
    expect(mark).not_to_contain_text("20 weeks of parental leave at full pay")
    citations.nth(1).evaluate(PRESS_AND_ESCAPE)
    expect(sources).to_have_count(0)
    expect(citations.nth(1)).to_be_focused()


def test_the_panel_is_beside_its_own_conversation_alone_and_goes_with_it(page: Page):
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name=CITATION).first.click()
    sources = sources_in(page)
    expect(sources.locator("[data-active]")).to_be_visible()
    former = address_of(page)
    page.get_by_role("button", name="New chat").click()
    expect(questions(page)).to_have_count(0)
    expect(sources).to_have_count(0)
    page.goto(former)
    expect_settled(page)
    expect(sources.locator("[data-active]")).to_be_visible()
    with leaving_its_address(page):
        choose(options_of(opened_list(page), LEAVE), "Delete")
    expect(questions(page)).to_have_count(0)
    expect(sources).to_have_count(0)
    expect(page.get_by_text("not there any more")).to_have_count(0)


def test_an_image_among_the_sources_is_shown_and_has_a_full_view(page: Page):
    ask(page, "Where is the AED?")
    expect_settled(page).get_by_role("button", name="Sources", exact=True).click()
    image = sources_in(page).get_by_role("img").first
    expect(image).to_be_visible()
    expect(image).not_to_have_js_property("naturalWidth", 0)
    sources_in(page).get_by_role("button", name=re.compile("^View .* in full$")).first.click()
    view = page.get_by_role("dialog")
    expect(view.get_by_role("img")).not_to_have_js_property("naturalWidth", 0)
    assert view.get_by_role("img").evaluate("image => image.naturalWidth === image.clientWidth")
    page.keyboard.press("Escape")
    expect(view).to_have_count(0)
    expect(sources_in(page)).to_be_visible()


LONG_PASSAGE = f"{'Much is said here. ' * 2000}Buoys are lifted every spring. {'And more is said. ' * 2000}"
CITING = (
    {
        "delta": {"content": ""},
        "context": {
            "data_points": {
                "text": [
                    "Paint.pdf#page=2: Buoys are painted red with lead-free paint. They float.",
                    f"Calendar.txt: {LONG_PASSAGE}",
                    "Unused.md: Nobody cites this.",
                ]
            }
        },
    },
    {
        "delta": {
            "content": "There is a plan. Buoys are painted red [Paint.pdf#page=2][Calendar.txt][invented.pdf].\n\n"
            "- They are lifted every spring [Calendar.txt].\n"
        }
    },
)
CLAIM = "[...(CSS.highlights.get('claim') ?? [])].map(String).join('|')"


@pytest.fixture
def citing(context: BrowserContext, stand_in: StandIn) -> Page:
    page = open_page(context, backend=stand_in.streaming(*CITING))
    ask(page, "What about buoys?")
    expect(expect_settled(page).locator(".citation")).to_have_count(4)
    return page


def test_sources_are_there_before_the_text_and_then_in_groups_also_what_was_not_found(
    context: BrowserContext, stand_in: StandIn
):
    page = open_page(context, backend=stand_in.held(*CITING))
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    ask(page, "What about buoys?")
    page.get_by_role("button", name="Sources").click()
    sources = sources_in(page)
    expect(sources.get_by_role("heading", level=3)).to_have_text(["Retrieved, not cited 3"])
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    unfold = sources.get_by_role("listitem").filter(has_text="Calendar").get_by_role("button", name="Show more")
    unfold.focus()
    stand_in.go_on()
    answer = expect_settled(page)
    expect(sources.get_by_role("heading", level=3)).to_have_text(
        ["Cited 2", "Retrieved, not cited 1", "Cited, but not found 1"]
    )
    expect(unfold).to_be_focused()
    expect(answer.locator(".grounding")).to_have_text("2 of 3 sentences and 2 of 3 sources cited")
    expect(answer.get_by_role("note")).to_have_text("1 cited source not found: “invented.pdf”")
    assert (fetched.count("sources"), fetched.count("grounding")) == (2, 1)
    expect(answer.get_by_role("group", name=re.compile("citations"))).to_have_count(1)
    group = answer.get_by_role("group", name="3 citations")
    expect(group.get_by_role("button")).to_have_count(3)
    group.get_by_role("button", name="Citation 3: invented.pdf, not found among the sources").click()
    active = sources.locator("[data-active]")
    expect(active).to_contain_text("invented.pdf")
    answer.get_by_role("button", name="Citation 2: Calendar.txt").last.click()
    expect(active.locator("mark")).to_have_text("Buoys are lifted every spring.")
    assert len(active.text_content()) < 2000
    active.get_by_role("button", name="Show more").click()
    expect(active.locator(".passage")).to_contain_text(LONG_PASSAGE.strip())


@pytest.mark.wcag("1.4.13")
def test_a_card_shows_title_page_and_passage_and_to_the_keyboard_which_keys_go_on(citing: Page):
    asked: list[str] = []
    citing.on("request", lambda request: asked.append(request.url) if request.url.endswith("/cards") else None)
    citation = citing.get_by_role("button", name="Citation 1: Paint.pdf#page=2")
    card = citing.get_by_role("tooltip")
    citation.hover()
    expect(card).to_contain_text("Paint PDF · page 2")
    expect(card.locator("mark")).to_have_text("Buoys are painted red with lead-free paint.")
    expect(citation).to_have_attribute("aria-describedby", "citation-card")
    expect(card).not_to_contain_text("goes to the next")
    citing.mouse.move(5, 5)
    expect(card).to_be_hidden()
    citing.get_by_role("button", name="Citation 3: invented.pdf").focus()
    expect(card).to_contain_text("Not found among the sources")
    citing.keyboard.press("Escape")
    expect(card).to_be_hidden()
    answers(citing).get_by_role("button", name="Thoughts").focus()
    citing.keyboard.press("Alt+ArrowUp")
    expect(card).to_contain_text("Calendar Text")
    expect(card).to_contain_text("goes to the next")
    citing.keyboard.press("Escape")
    citation.hover()
    expect(card).to_contain_text("Paint PDF · page 2")
    expect(card).not_to_contain_text("goes to the next")
    assert len(asked) == 1


def test_a_citation_that_a_key_scrolls_to_has_its_card_also_on_a_slow_machine(
    context: BrowserContext, stand_in: StandIn
):
    text = f"Buoys are painted red [Paint.pdf#page=2].\n\n{LONG_PASSAGE}\n\nThey float [Paint.pdf#page=2]."
    page = open_page(context, backend=stand_in.streaming(CITING[0], {"delta": {"content": text}}))
    ask(page, "What about buoys?")
    citations = expect_settled(page).locator(".citation")
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 10})
    for citation in (citations.last, citations.first):
        page.keyboard.press("Alt+ArrowUp")
        expect(citation).to_be_focused()
        expect(citation).to_be_in_viewport()
        expect(citation).to_have_attribute("aria-describedby", "citation-card")
        expect(page.get_by_role("tooltip")).to_be_visible()


def test_the_claim_and_the_passage_are_marked_together_and_keys_go_from_citation_to_citation(citing: Page):
    sources = sources_in(citing)
    citing.get_by_role("button", name="Citation 1: Paint.pdf#page=2").click()
    expect(sources.locator("[data-active] mark")).to_contain_text("painted red")
    citing.wait_for_function(f"() => {CLAIM} === 'Buoys are painted red'")
    expect(citing.locator(".citation[aria-current]")).to_have_text("1")
    citing.keyboard.press("Escape")
    expect(sources).to_have_count(0)
    citing.wait_for_function(f"() => {CLAIM} === ''")
    answers(citing).get_by_role("button", name="Thoughts").focus()
    citing.keyboard.press("Alt+ArrowUp")
    expect(citing.get_by_role("button", name="Citation 2: Calendar.txt").last).to_be_focused()
    citing.keyboard.press("Alt+ArrowUp")
    expect(citing.get_by_role("button", name="Citation 3: invented.pdf")).to_be_focused()
    citing.keyboard.press("Alt+ArrowDown")
    citing.keyboard.press("Enter")
    expect(sources.locator("[data-active]")).to_contain_text("CalendarText")
    expect(sources.get_by_role("button", name="Keys")).to_have_attribute("title", re.compile("next citation"))
    citing.keyboard.press("Alt+ArrowUp")
    expect(sources.locator("[data-active]")).to_contain_text("invented.pdf")
    citing.keyboard.press("Alt+ArrowUp")
    expect(sources.locator("[data-active]")).to_contain_text("CalendarText")
    citing.wait_for_function(f"() => {CLAIM} === 'Buoys are painted red'")


STOPS_ALONE = """() => [...document.querySelectorAll('.answer-text .cited')].filter((cited) => {
    const stop = document.createRange();
    stop.selectNodeContents(cited.lastChild);
    return stop.getBoundingClientRect().top >= cited.querySelector('button').getBoundingClientRect().bottom;
}).length"""


def test_a_claim_after_its_citation_is_marked_and_a_full_stop_after_one_stays_on_its_line(
    context: BrowserContext, stand_in: StandIn
):
    claims = "1. Rail first. [Paint.pdf]\n2. [Calendar.txt] Air next.\n\nAir next is slow.\n\n[Paint.pdf]\n\n"
    stops = " ".join(f"{'Buoys ' * length}are red [Paint.pdf]." for length in range(1, 30))
    backend = stand_in.held(CITING[0], {"delta": {"content": claims + stops}})
    stand_in.shelve(backend, "Calendar.txt", "Buoys are lifted every spring.")
    page = open_page(context, backend=backend)
    ask(page, "What about buoys?")
    page.get_by_role("button", name="Sources").click()
    opener = sources_in(page).get_by_role("button", name="Open Calendar.txt")
    opener.click()
    stand_in.go_on()
    citations = expect_settled(page).locator(".citation")
    expect(sources_in(page).locator(".sources-cited")).to_be_attached()
    expect(sources_in(page).get_by_role("group", name="Document Calendar.txt")).to_be_visible()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    for number, claim in enumerate(("Rail first", "Air next", "Air next is slow")):
        citations.nth(number).click()
        page.wait_for_function(f"() => {CLAIM} === '{claim}'")
    page.keyboard.press("Escape")
    expect(sources_in(page)).to_have_count(0)
    for width in range(320, 420, 10):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(STOPS_ALONE) == 0


def test_many_sources_and_a_huge_one_stay_usable(context: BrowserContext, stand_in: StandIn):
    points = [f"Buoy {number}.pdf: Buoy number {number} lies in the north." for number in range(500)]
    points[0] = "Huge.txt: " + "The sea is wide and the list of buoys is long. " * 5_000
    page = open_page(
        context,
        backend=stand_in.streaming(
            {"delta": {"content": ""}, "context": {"data_points": {"text": points}}},
            {"delta": {"content": "Buoy number 7 lies in the north [Buoy 7.pdf]. The sea is wide [Huge.txt]."}},
        ),
    )
    ask(page, "Where?")
    expect_settled(page).get_by_role("button", name="Citation 2: Huge.txt").click()
    sources = sources_in(page)
    expect(sources.locator("[data-active] mark").first).to_contain_text("The sea is wide")
    expect(sources.get_by_role("listitem")).to_have_count(500)
    assert size_of(page, "/sources") < 400_000
    sources.locator("[data-active]").get_by_role("button", name="Show more").click()
    expect(sources.locator("[data-active]")).to_contain_text("more characters are not shown")
    page.get_by_role("button", name="Citation 1: Buoy 7.pdf").click()
    expect(sources.locator("[data-active]")).to_contain_text("Buoy 7PDF")
    expect(sources.locator("[data-active] mark")).to_have_text("Buoy number 7 lies in the north.")


@pytest.mark.parametrize("width", [390, 1200])
def test_the_warning_of_what_was_not_found_says_what_it_means_and_leads_there(citing: Page, width: int):
    citing.set_viewport_size({"width": width, "height": 800})
    warning = answers(citing).get_by_role("button", name="1 cited source not found: “invented.pdf”")
    warning.focus()
    expect_no_violations(citing)
    assert "Treat what rests on it with care" in warning.evaluate("e => getComputedStyle(e, '::after').content")
    warning.press("Enter")
    sources = sources_in(citing)
    expect(sources.locator("[data-active]")).to_contain_text("is not among the sources that were retrieved")
    expect(sources).to_be_focused()
    citing.keyboard.press("Escape")
    expect(warning).to_be_focused()


def test_a_card_under_the_answer_opens_its_source_and_the_last_one_all(citing: Page):
    answer, sources = answers(citing), sources_in(citing)
    cards = answer.locator(".strip").get_by_role("button")
    expect(cards).to_have_count(3)
    expect(cards.nth(2)).to_have_accessible_name("Source that is not cited: Unused")
    expect_no_violations(citing)
    cards.first.focus()
    citing.keyboard.press("Enter")
    expect(sources).to_be_focused()
    expect(sources.locator("[data-active]")).to_contain_text("PaintPDF · page 2")
    expect_no_violations_in_both_schemes(citing)
    citing.keyboard.press("Escape")
    expect(cards.first).to_be_focused()
    line = answer.locator(".grounding")
    citing.keyboard.press("Shift+Tab")
    expect(line).to_be_focused()
    assert "Sentences that carry a citation" in line.evaluate("e => getComputedStyle(e, '::after').content")


def test_more_sources_than_cards_are_counted(context: BrowserContext, stand_in: StandIn):
    points = [f"Buoy {number}.pdf: Buoy number {number} lies in the north." for number in range(9)]
    said = {"delta": {"content": "It lies in the north [Buoy 7.pdf]."}, "context": {"data_points": {"text": points}}}
    page = open_page(context, backend=stand_in.streaming(said))
    ask(page, "Where?")
    strip = expect_settled(page).locator(".strip")
    expect(strip.get_by_role("button").first).to_have_accessible_name("Source 1: Buoy 7")
    strip.get_by_role("button", name="+6 more").click()
    expect(sources_in(page).get_by_role("listitem")).to_have_count(9)
    expect(sources_in(page).locator("[data-active]")).to_have_count(0)


MOVED = """() => {
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) window.moved.push(...shift.sources.map(({ node }) => node?.className ?? ""));
  }).observe({ type: "layout-shift" });
}"""


@pytest.mark.parametrize(("length", "missing"), [(300, ""), (1, " It is so [ghost.pdf].")])
def test_nothing_moves_when_the_cards_come(context: BrowserContext, stand_in: StandIn, length: int, missing: str):
    text = "Buoys are painted red and they float on the sea [Paint.pdf#page=2].\n\n" * length + missing
    page = open_page(context, backend=stand_in.streaming(CITING[0], {"delta": {"content": text}}))
    ask(page, "What about buoys?")
    expect_settled(page)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(r"/grounding$"), hold)
    tools = answers(page).locator(".tools")
    for width in (390, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        with page.expect_request(re.compile(r"/grounding$")):
            page.reload()
        expect(page.locator(".answer-text p").last).to_be_visible()
        page.evaluate("() => document.fonts.ready")
        before = tools.bounding_box()
        page.evaluate(MOVED)
        held.pop().continue_()
        expect(page.locator(".strip-card").first).to_be_visible()
        assert tools.bounding_box() == before
        assert page.evaluate("() => moved") == []


def test_on_a_phone_the_cards_scroll_sideways_and_the_cited_sentence_is_seen_above_the_sheet(citing: Page):
    citing.set_viewport_size({"width": 390, "height": 700})
    strip = answers(citing).locator(".strip")
    assert strip.evaluate("e => [e.scrollWidth > e.clientWidth, document.documentElement.scrollWidth]") == [True, 390]
    citation = citing.get_by_role("button", name="Citation 1: Paint.pdf#page=2")
    citation.click()
    sheet = sources_in(citing)
    expect(sheet.locator("[data-active] mark")).to_be_in_viewport()

    def top() -> float:
        place = sheet.bounding_box()
        assert place is not None
        return place["y"]

    assert top() == pytest.approx(0.4 * 700, abs=2)
    cited = citation.bounding_box()
    assert cited is not None
    assert cited["y"] + cited["height"] <= top()
    expect_no_violations(citing)
    handle = sheet.get_by_role("button", name="Full height")
    handle.press("Enter")
    expect(handle).to_have_attribute("aria-pressed", "true")
    assert top() < 50
    handle.click()
    assert top() == pytest.approx(0.4 * 700, abs=2)

    def pull(by: int) -> None:
        sheet.evaluate("sheet => Promise.all(sheet.getAnimations().map(({ finished }) => finished))")
        place = handle.bounding_box()
        assert place is not None
        x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
        citing.mouse.move(x, y)
        citing.mouse.down()
        citing.mouse.move(x, y + by, steps=4)
        citing.mouse.up()

    pull(-100)
    expect(handle).to_have_attribute("aria-pressed", "true")
    pull(100)
    expect(handle).to_have_attribute("aria-pressed", "false")
    # By more than a third of its height, so that it does not depend on the speed.
    pull(160)
    expect(sheet).to_have_count(0)


def test_the_panel_names_the_question_of_an_answer_that_is_not_the_last(citing: Page):
    ask(citing, "And what about paint?")
    expect_settled(citing, turns=2)
    question = sources_in(citing).get_by_text("What about buoys?")
    answers(citing).first.get_by_role("button", name=re.compile("Citation 1")).click()
    expect(question).to_be_visible()
    answers(citing).last.get_by_role("button", name=re.compile("Citation 1")).click()
    expect(question).to_have_count(0)


@pytest.mark.wcag("2.5.1", "2.5.7")
def test_only_a_pull_that_begins_at_the_handle_moves_the_sheet_and_a_press_beside_it_gives_the_focus_back(
    new_context: NewContext, stand_in: StandIn
):
    page = open_page(new_context(viewport={"width": 700, "height": 800}), backend=stand_in.streaming(*CITING))
    ask(page, "What about buoys?")
    citation = expect_settled(page).get_by_role("button", name="Citation 1").first
    citation.click()
    panel = sources_in(page)
    handle = panel.get_by_role("button", name="Full height")
    box, passage = handle.bounding_box(), panel.locator(".passage").first.bounding_box()
    assert box is not None
    assert passage is not None
    page.mouse.move(passage["x"] + 20, passage["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    expect(panel).to_be_visible()
    expect(handle).to_have_attribute("aria-pressed", "false")
    page.mouse.click(350, 20)
    expect(panel).to_have_count(0)
    expect(citation).to_be_focused()
