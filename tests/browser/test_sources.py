import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import answers, expect_settled, get_answer
from tests.browser.asking import ask, new_chat, questions
from tests.browser.axe import expect_no_violations
from tests.browser.listening import held_requests
from tests.browser.opening import address_of, leaving_its_address, size_of, use
from tests.browser.places import box, choose, opened_list, options_of
from tests.browser.places import sources as sources_in
from tests.browser.stand_in import StandIn, delta

# Before the server's answer.
PRESS_AND_ESCAPE = """citation => {
    citation.focus();
    citation.click();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
}"""
LONG_PASSAGE = f"{'Much is said here. ' * 2000}Buoys are lifted every spring. {'And more is said. ' * 2000}"
CITING = (
    delta(
        "",
        "Paint.pdf#page=2: Buoys are painted red with lead-free paint. They float.",
        f"Calendar.txt: {LONG_PASSAGE}",
        "Unused.md: Nobody cites this.",
    ),
    delta(
        "There is a plan. Buoys are painted red [Paint.pdf#page=2][Calendar.txt][invented.pdf].\n\n"
        "- They are lifted every spring [Calendar.txt].\n"
    ),
)
CLAIM = "[...(CSS.highlights.get('claim') ?? [])].map(String).join('|')"


@pytest.fixture
def citing(page: Page, stand_in: StandIn) -> Page:
    use(page, stand_in.streaming(*CITING))
    expect(get_answer(page, "What about buoys?").locator(".citation")).to_have_count(4)
    return page


def active_in(page: Page) -> Locator:
    return sources_in(page).locator("[data-active]")


@pytest.mark.wcag("1.4.13")
def test_a_card_shows_title_page_passage_and_its_keys(page: Page, stand_in: StandIn):
    more = "\n\nMuch is said here." * 40
    end = delta(f"{more}\n\n{'Much is said here. ' * 30}They float [Unused.md].")
    use(page, stand_in.streaming(*CITING, end))
    citations = get_answer(page, "What about buoys?").locator(".citation")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/cards") else None)
    card = page.get_by_role("tooltip")
    answers(page).get_by_role("button", name="Thoughts").focus()
    # Scrolling to a citation by key keeps its card.
    for citation in (citations.last, citations.nth(3), citations.nth(2)):
        page.keyboard.press("Alt+ArrowUp")
        expect(citation).to_be_focused()
        expect(citation).to_be_in_viewport()
        expect(citation).to_have_attribute("aria-describedby", "citation-card")
        expect(card).to_be_visible()
        expect(card).to_contain_text(" next, ")
        below, above = citation.bounding_box(), card.bounding_box()
        assert below and above and below["y"] - above["y"] - above["height"] < 200
    expect(card).to_contain_text("Not found among the retrieved")
    card.evaluate("card => { card.style.width = '200px'; }")
    lines = card.locator(".card-keys > span").evaluate_all(
        "phrases => phrases.map((one) => one.getClientRects().length)"
    )
    assert lines == [1, 1, 1]
    assert card.locator(".card-keys").evaluate("keys => keys.scrollWidth <= keys.clientWidth")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    citation = page.get_by_role("button", name="Citation 1: Paint.pdf#page=2")
    citation.hover()
    expect(card).to_contain_text("Paint PDF · page 2")
    expect(card.locator("mark")).to_have_text("Buoys are painted red with lead-free paint.")
    expect(citation).to_have_attribute("aria-describedby", "citation-card")
    expect(card).not_to_contain_text(" next, ")
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()
    assert len(asked) == 1


def test_a_card_stays_while_its_answer_grows(page: Page, stand_in: StandIn):
    more = delta("\n\nMuch is said here." * 40)
    use(page, stand_in.streaming(*CITING, stand_in.WAIT_UNTIL_TOLD, more))
    ask(page, "What about buoys?")
    citation = answers(page).locator(".citation").first
    citation.hover()
    card = page.get_by_role("tooltip")
    expect(card).to_be_visible()
    card.evaluate("""card => {
        window.hidings = [];
        const watch = new MutationObserver((changes) => window.hidings.push(...changes));
        watch.observe(card, { attributeFilter: ["hidden"] });
    }""")
    stand_in.go_on()
    expect_settled(page)
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    expect(card).to_be_visible()
    assert page.evaluate("window.hidings.length") == 0
    # A table scrolls sideways.
    citation.evaluate("one => { one.style.marginLeft = '2px'; one.dispatchEvent(new Event('scroll')); }")
    page.wait_for_function("() => window.hidings.length > 1")
    expect(card).to_be_visible()
    citation.evaluate("one => one.remove()")
    page.mouse.move(1150, 750)
    expect(card).to_be_hidden()


@pytest.mark.wcag("2.4.3")
def test_a_citation_opens_its_source_and_escape_gives_the_focus_back(citing: Page):
    citation = citing.get_by_role("button", name="Citation 1: Paint.pdf#page=2")
    sources, active = sources_in(citing), active_in(citing)
    citation.focus()
    citing.keyboard.press("Enter")
    expect(sources).to_be_focused()
    expect(active).to_contain_text("PaintPDF · page 2")
    expect(active.locator("mark")).to_have_text("Buoys are painted red with lead-free paint.")
    expect(active.locator("mark")).to_be_in_viewport()
    citing.wait_for_function(f"() => {CLAIM} === 'Buoys are painted red'")
    expect(citing.locator(".citation[aria-current]")).to_have_text("1")
    tints = [
        part.evaluate("(part, of) => getComputedStyle(part, of).backgroundColor", of)
        for part, of in ((active.locator("mark"), None), (answers(citing).locator("p").first, "::highlight(claim)"))
    ]
    assert tints[0] == tints[1] != "rgba(0, 0, 0, 0)"
    citing.keyboard.press("Alt+ArrowDown")
    expect(active).to_contain_text("CalendarText")
    citing.keyboard.press("Alt+ArrowDown")
    expect(active).to_contain_text("invented.pdf")
    citing.keyboard.press("Alt+ArrowDown")
    expect(active.locator("mark")).to_have_text("Buoys are lifted every spring.")
    citation.evaluate(PRESS_AND_ESCAPE)
    expect(sources).to_have_count(0)
    expect(citation).to_be_focused()
    citing.wait_for_function(f"() => {CLAIM} === ''")

    warning = answers(citing).get_by_role("button", name="1 cited source not found: “invented.pdf”")
    warning.focus()
    assert "Check its statement" in warning.evaluate("e => getComputedStyle(e, '::after').content")
    warning.press("Enter")
    expect(active).to_contain_text("not among the retrieved sources")
    expect(sources).to_be_focused()
    citing.keyboard.press("Escape")
    expect(warning).to_be_focused()

    cards = answers(citing).locator(".strip").get_by_role("button")
    expect(cards).to_have_count(3)
    expect(cards.nth(2)).to_have_accessible_name("Source not cited: Unused")
    cards.first.focus()
    citing.keyboard.press("Enter")
    expect(sources).to_be_focused()
    expect(active).to_contain_text("PaintPDF · page 2")
    citing.keyboard.press("Escape")
    expect(cards.first).to_be_focused()
    line = answers(citing).locator(".grounding")
    citing.keyboard.press("Shift+Tab")
    expect(line).to_be_focused()
    assert "A claim is a sentence" in line.evaluate("e => getComputedStyle(e, '::after').content")


def test_sources_come_before_the_text_and_then_in_groups_with_missing_ones(page: Page, stand_in: StandIn):
    backend = stand_in.held(*CITING)
    stand_in.shelve(backend, "Calendar.txt", "Buoys are lifted every spring.")
    use(page, backend)
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    ask(page, "What about buoys?")
    streaming = answers(page)
    expect(streaming.get_by_text("Reading 3 sources…")).to_be_visible()
    cards = streaming.locator(".strip-card")
    expect(cards).to_have_count(3)
    expect(streaming.locator(".grounding")).to_be_hidden()
    place = box(cards.first)
    page.get_by_role("button", name="Sources").click()
    sources, active = sources_in(page), active_in(page)
    expect(sources.get_by_role("heading", level=3)).to_have_text(["Also retrieved 3"])
    assert box(cards.first)["y"] == place["y"]
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    opener = sources.get_by_role("button", name="Open Calendar.txt")
    opener.click()
    stand_in.go_on()
    answer = expect_settled(page)
    expect(sources.locator(".sources-cited")).to_be_attached()
    expect(sources.get_by_role("group", name="Document Calendar.txt")).to_be_visible()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    expect(sources.get_by_role("heading", level=3)).to_have_text(
        ["Cited 2", "Also retrieved 1", "Cited, but not found 1"]
    )
    expect(answer.locator(".grounding")).to_have_text("2 of 3 claims cited")
    expect(answer.get_by_role("note")).to_have_text("1 cited source not found: “invented.pdf”")
    assert (fetched.count("sources"), fetched.count("grounding")) == (2, 2)
    expect(answer.get_by_role("group", name=re.compile("citations"))).to_have_count(1)
    group = answer.get_by_role("group", name="3 citations")
    expect(group.get_by_role("button")).to_have_count(3)
    group.get_by_role("button", name="Citation 3: invented.pdf, not found among the sources").click()
    expect(active).to_contain_text("invented.pdf")
    answer.get_by_role("button", name="Citation 2: Calendar.txt").last.click()
    expect(active.locator("mark")).to_have_text("Buoys are lifted every spring.")
    assert len(active.text_content()) < 2000
    active.get_by_role("button", name="Show more").click()
    expect(active.locator(".passage")).to_contain_text(LONG_PASSAGE.strip())


def test_the_panel_names_its_question_and_closes_with_its_conversation(citing: Page):
    get_answer(citing, "And what about paint?", turns=2)
    sources = sources_in(citing)
    question = sources.get_by_text("What about buoys?")
    answers(citing).first.get_by_role("button", name=re.compile("Citation 1")).click()
    expect(question).to_be_visible()
    answers(citing).last.get_by_role("button", name=re.compile("Citation 1")).click()
    expect(question).to_have_count(0)
    expect(active_in(citing)).to_be_visible()
    former = address_of(citing)
    new_chat(citing)
    expect(sources).to_have_count(0)
    citing.goto(former)
    expect_settled(citing, turns=2)
    expect(active_in(citing)).to_be_visible()
    with leaving_its_address(citing):
        choose(options_of(opened_list(citing), "What about buoys?"), "Delete")
    expect(questions(citing)).to_have_count(0)
    expect(sources).to_have_count(0)
    expect(citing.get_by_text("The conversation was deleted")).to_have_count(0)


@pytest.mark.wcag("2.5.1", "2.5.7")
def test_a_phone_shows_the_cited_sentence_above_a_sheet_moved_by_its_head(citing: Page):
    citing.set_viewport_size({"width": 390, "height": 700})
    strip = answers(citing).locator(".strip")
    assert strip.evaluate("e => [e.scrollWidth > e.clientWidth, document.documentElement.scrollWidth]") == [True, 390]
    citation = citing.get_by_role("button", name="Citation 1: Paint.pdf#page=2")
    citation.click()
    sheet = sources_in(citing)
    handle = sheet.get_by_role("button", name="Full height")
    expect(active_in(citing).locator("mark")).to_be_in_viewport()

    def settled(part: Locator) -> tuple[float, float, float, float]:
        """The position and size of a part of the sheet at rest."""
        sheet.evaluate("sheet => Promise.all(sheet.getAnimations().map(({ finished }) => finished))")
        place = box(part)
        return place["x"], place["y"], place["width"], place["height"]

    def pull(x: float, y: float, by: float) -> None:
        citing.mouse.move(x, y)
        citing.mouse.down()
        citing.mouse.move(x, y + by, steps=4)
        citing.mouse.up()

    def pull_head(by: float) -> None:
        x, y, width, height = settled(handle)
        pull(x + width / 2, y + height / 2, by)

    low = settled(sheet)[1]
    assert low == pytest.approx(0.4 * 700, abs=2)
    _, y, _, height = settled(citation)
    assert y + height <= low
    handle.press("Enter")
    expect(handle).to_have_attribute("aria-pressed", "true")
    assert settled(sheet)[1] < 50
    handle.click()
    expect(handle).to_have_attribute("aria-pressed", "false")
    assert settled(sheet)[1] == pytest.approx(0.4 * 700, abs=2)
    x, y, _, _ = settled(sheet.locator(".passage").first)
    pull(x + 20, y + 10, low - y)
    expect(handle).to_have_attribute("aria-pressed", "false")
    pull_head(-100)
    expect(handle).to_have_attribute("aria-pressed", "true")
    pull_head(100)
    expect(handle).to_have_attribute("aria-pressed", "false")
    # More than a third of the height, so that the speed does not matter.
    pull_head(160)
    expect(sheet).to_have_count(0)
    citation.click()
    expect(sheet).to_be_visible()
    citing.mouse.click(195, 20)
    expect(sheet).to_have_count(0)
    expect(citation).to_be_focused()


@pytest.mark.thorough
def test_many_sources_and_a_huge_one_stay_usable(page: Page, stand_in: StandIn):
    points = [f"Buoy {number}.pdf: Buoy number {number} lies in the north." for number in range(500)]
    points[0] = "Huge.txt: " + "The sea is wide and the list of buoys is long. " * 5_000
    text = "Buoy number 7 lies in the north [Buoy 7.pdf]. The sea is wide [Huge.txt]."
    use(page, stand_in.streaming({"context": {"data_points": {"text": points}}}, delta(text)))
    answer = get_answer(page, "Where?")
    sources, active = sources_in(page), active_in(page)
    answer.locator(".strip").get_by_role("button", name="+497 more").click()
    expect(sources.get_by_role("listitem")).to_have_count(500)
    expect(active).to_have_count(0)
    assert size_of(page, "/sources") < 400_000
    answer.get_by_role("button", name="Citation 2: Huge.txt").click()
    expect(active.locator("mark").first).to_contain_text("The sea is wide")
    active.get_by_role("button", name="Show more").click()
    expect(active).to_contain_text("more characters are not shown")
    page.get_by_role("button", name="Citation 1: Buoy 7.pdf").click()
    expect(active).to_contain_text("Buoy 7PDF")
    expect(active.locator("mark")).to_have_text(["Buoy number ", "7", " lies in the north."])


MOVED = """() => {
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) window.moved.push(...shift.sources.map(({ node }) => node?.className ?? ""));
  }).observe({ type: "layout-shift" });
}"""


@pytest.mark.thorough
def test_cards_appear_without_a_layout_shift(page: Page, stand_in: StandIn):
    long = "Buoys are painted red and they float on the sea [Paint.pdf#page=2].\n\n" * 300
    for text in (long, "Buoys are red [Paint.pdf#page=2]. It is so [ghost.pdf]."):
        use(page, stand_in.streaming(CITING[0], delta(text)))
        new_chat(page)
        get_answer(page, "What about buoys?")
        address_of(page)
        held = held_requests(page, re.compile(r"/grounding$"))
        for width in (390, 1200):
            page.set_viewport_size({"width": width, "height": 800})
            with page.expect_request(re.compile(r"/grounding$")):
                page.reload()
            expect(page.locator(".answer-text p").last).to_be_visible()
            page.evaluate("() => document.fonts.ready")
            tools = answers(page).locator(".tools")
            before = tools.bounding_box()
            page.evaluate(MOVED)
            held.pop().continue_()
            expect(page.locator(".strip-card").first).to_be_visible()
            assert tools.bounding_box() == before
            assert page.evaluate("() => moved") == []
        page.unroute_all()
    expect_no_violations(page)
