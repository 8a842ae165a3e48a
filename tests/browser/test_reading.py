import json
import random
import re
from typing import Final

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.answering import answers, expect_settled, get_answer
from tests.browser.asking import LEAVE, message
from tests.browser.axe import SETTLED
from tests.browser.opening import address_of, open_page, use
from tests.browser.places import box, leave, open_preferences
from tests.browser.stand_in import StandIn, delta

SOURCES: Final = delta("", *[f"{one}.pdf: A." for one in "abc"])
ENDS: Final = (
    "{w} [a.pdf].", "{w}. [b.pdf]", "{w} [a.pdf][b.pdf].", "{w} [a.pdf], [c.pdf]!", "“{w}” [b.pdf].", "({w} [c.pdf]).",
    "**{w}** [a.pdf]:", "`{w}` [b.pdf]?", "*{w}[c.pdf]*.", "{w}[a.pdf].", "{w} [nothing.pdf].", "浮標[b.pdf]。",
    "{w} [a.pdf][b.pdf][c.pdf]",
)  # fmt: skip
ALONE: Final = """() => [...document.querySelectorAll('.answer-text .cited')].filter((cited) => {
    const leaf = cited.closest('p, li, td');
    const walker = document.createTreeWalker(leaf, NodeFilter.SHOW_TEXT);
    walker.currentNode = cited;
    const before = walker.previousNode();
    const range = document.createRange();
    const buttons = [...cited.querySelectorAll('button')].map((button) => button.getBoundingClientRect());
    const apart = (rect) => buttons.some(({ top, bottom }) => rect.top >= bottom || rect.bottom <= top);
    range.selectNodeContents(cited);
    if ([...range.getClientRects()].some(apart)) return true;
    if (!before || !before.data.trim()) return false;
    const end = before.data.trimEnd().length;
    range.setStart(before, end - 1);
    range.setEnd(before, end);
    return apart(range.getBoundingClientRect());
}).map((cited) => cited.parentElement.textContent.slice(0, 200))"""
LETTERS: Final = """() => {
    const text = document.querySelector('.answer-text p').firstChild;
    const range = document.createRange();
    const lines = new Map();
    for (let at = 0; at < text.length; at++) {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const { bottom } = range.getBoundingClientRect();
        lines.set(bottom, (lines.get(bottom) ?? 0) + 1);
    }
    return [...lines.values()].slice(0, -1).map((letters) => letters - 1);
}"""
SHIFTS: Final = """window.shifts = []; new PerformanceObserver((list) => {
    // A node that is gone has no place.
    const moved = list.getEntries().flatMap(({ sources }) => sources.map(({ node }) => node)).filter(Boolean);
    window.shifts.push(...moved.map((node) => {
        const part = node.closest ? node : node.parentElement;
        return [part?.className, Boolean(part?.closest(".answer, .composer-frame"))];
    }));
}).observe({ type: 'layout-shift', buffered: true })"""
"""The parts of the page that moved, and whether each is of an answer, which grows, or of the box below it."""

HEIGHTS: Final = """() => { window.heights = []; new MutationObserver(() => {
    const chips = document.querySelector(".answer > .chips");
    if (chips) window.heights.push(chips.offsetHeight);
}).observe(document, { childList: true, subtree: true }); }"""


def sentences(count: int) -> list[str]:
    chance = random.Random(7)

    def words() -> str:
        lengths = [chance.randint(1, 11) for _ in range(chance.randint(1, 14))]
        return " ".join("".join(chance.choices("aeinrst", k=length)) for length in lengths)

    return [chance.choice(ENDS).format(w=words()) for _ in range(count)]


def test_lines_have_60_to_75_letters_and_citations_stay_with_their_words(page: Page, stand_in: StandIn):
    plain = "The harbour is deep and the buoys that lie before it are painted red in every spring of the year. " * 12
    text = "\n\n".join([plain, *(" ".join(sentences(10)) for _ in range(50))])
    use(page, stand_in.streaming(SOURCES, delta(text)))
    get_answer(page, "Tell me")
    page.add_style_tag(content=".answer { content-visibility: visible !important }")
    # A finished answer of this length loads in parts, and a search needs all of them.
    page.keyboard.press("Control+f")
    expect(page.locator(".answer-text > *")).to_have_count(51)
    page.evaluate("document.fonts.ready")
    assert page.evaluate("[...document.fonts].some(({ family, status }) => /Geist/.test(family) && status == 'loaded')")
    lines = page.evaluate(LETTERS)
    assert 60 <= sum(lines) / len(lines) <= 75
    for width in (320, 390, 1024):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(ALONE) == []


REGIONS = [
    ("Region", "Suppliers", "Volume (EUR m)", "On time", "Late", "Payment holds", "Delay (days)", "Contact", "Comment"),
    ("---",) * 9,
    ("EMEA", "1,204", "842.3", "93.1 %", "83", "41", "12.4", "emea@contoso.example", "Two audits pending in Antwerp"),
    ("APAC", "1,540", "655.0", "95.4 %", "71", "22", "9.1", "apac@contoso.example", "Typhoon extension granted"),
]
LINES_OF = """cells => cells.map((cell) => {
    const words = document.createRange();
    words.selectNodeContents(cell);
    return [cell.textContent, new Set(Array.from(words.getClientRects(), ({ top }) => top)).size];
})"""


def edges(page: Page, table: Locator) -> list[bytes]:
    """Pictures of a table's left and right edge, between its button and its head."""
    place = box(table)
    sides = (place["x"] + 1, place["x"] + place["width"] - 3)
    return [page.screenshot(clip={"x": x, "y": place["y"] + 2, "width": 2, "height": 2}) for x in sides]


def test_a_wide_table_is_wider_than_the_text_and_shows_at_which_edge_it_goes_on(page: Page, stand_in: StandIn):
    wide = "\n".join(f"| {' | '.join(row)} |" for row in REGIONS)
    use(page, stand_in.saying(f"Text.\n\n{wide}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"))
    page.set_viewport_size({"width": 1440, "height": 900})
    tables = get_answer(page, "Tell me").get_by_role("group", name="Table: ")
    expect(tables).to_have_count(2)
    table, narrow = box(tables.first), box(tables.last)
    assert narrow["width"] < table["width"] <= 960
    assert abs(table["x"] + table["width"] / 2 - narrow["x"] - narrow["width"] / 2) <= 1
    plain = edges(page, tables.first)
    assert plain[0] == plain[1]

    page.set_viewport_size({"width": 390, "height": 900})
    assert box(tables.first)["width"] == box(tables.last)["width"]
    lines = dict(tables.first.locator("td").evaluate_all(LINES_OF))
    assert lines["Typhoon extension granted"] <= 3
    assert lines["93.1\u00a0%"] == 1
    start = edges(page, tables.first)
    tables.first.evaluate("table => { table.scrollLeft = 40; }")
    between = edges(page, tables.first)
    tables.first.evaluate("table => { table.scrollLeft = table.scrollWidth; }")
    end = edges(page, tables.first)
    assert start[0] == end[1] == plain[0]
    assert plain[0] not in {start[1], *between, end[0]}


def middle(page: Page) -> bool:
    place = box(page.locator(".composer"))
    return place["y"] + place["height"] < 600


BEHIND: Final = "element => getComputedStyle(element, '::after').content"


def test_the_box_moves_to_the_end_of_the_page_and_nothing_else_moves(context: BrowserContext):
    context.add_init_script(SHIFTS)
    page = open_page(context)
    assert middle(page)
    starters = page.get_by_role("group", name="Starter questions")
    expect(starters).to_be_visible()
    get_answer(page, LEAVE)
    expect(starters).to_have_count(0)
    assert not middle(page)
    address_of(page)
    assert [part for part, grows in page.evaluate("window.shifts") if not grows] == []
    page.reload()
    citation = expect_settled(page).get_by_role("button", name="Citation 1").first
    expect(answers(page).get_by_role("button", name="Thoughts")).to_be_visible()
    assert not middle(page)
    assert page.evaluate("window.shifts") == []

    # Names of sources beside numbers are a preference.
    assert citation.evaluate(BEHIND) == "none"
    dialog = open_preferences(page)
    dialog.get_by_role("group", name="Citations").get_by_role("radio", name="Numbers and names").check()
    assert citation.evaluate(BEHIND) == '"Leave Policy"'
    leave(dialog)
    expect(page.get_by_role("button", name="More", exact=True)).to_be_focused()
    page.reload()
    expect_settled(page)
    assert citation.evaluate(BEHIND) == '"Leave Policy"'
    page.set_viewport_size({"width": 800, "height": 700})
    assert citation.evaluate(BEHIND) == "none"

    # A problem is shown beside its button.
    page.evaluate("() => { navigator.clipboard.write = () => Promise.reject(new Error('not allowed')); }")
    copy = answers(page).get_by_role("button", name="Copy answer")
    copy.click()
    expect(copy).to_have_attribute("data-problem", re.compile("blocked copying"))
    assert "blocked copying" in copy.evaluate(BEHIND)

    page.set_viewport_size({"width": 1200, "height": 800})
    page.get_by_role("button", name="New chat").click()
    expect(starters).to_be_visible()
    expect(page).to_have_url("/")
    expect(message(page)).to_be_focused()
    assert middle(page)
    for height in (256, 500):
        page.set_viewport_size({"width": 320, "height": height})
        expect(message(page)).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)


def test_text_that_is_added_to_an_answer_changes_no_styles_around_it(browser: Browser, page: Page, stand_in: StandIn):
    use(page, stand_in.streaming(SOURCES, delta("Buoys are red [a.pdf].")))
    get_answer(page, "Colour?")
    # The tools of a stored conversation come after its answer.
    expect(page.get_by_role("button", name="Share")).to_be_visible()
    page.wait_for_function(SETTLED)
    browser.start_tracing(page=page, categories=["disabled-by-default-devtools.timeline.invalidationTracking"])
    page.locator(".answer-text").evaluate("""async (text) => {
        text.append(Object.assign(document.createElement("div"), { className: "block", innerHTML: "<p>Red.</p>" }));
        for (const frame of [1, 2]) await new Promise(requestAnimationFrame);
    }""")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    changed = {str(event["args"].get("data", {}).get("nodeName")) for event in events}
    # An ancestor with `:has()`, and an element's name behind it in a rule, would change all elements of this name.
    assert "DIV class='block'" in changed
    assert not [name for name in changed if name.startswith("svg")]


def test_elements_below_an_answer_have_their_height_at_once(context: BrowserContext):
    """A citation that moves after the end is missed by a press at that time."""
    page = open_page(context)
    get_answer(page, LEAVE)
    page.evaluate(HEIGHTS)
    get_answer(page, LEAVE, turns=2)
    height = box(page.get_by_role("group", name="Follow-up questions"))["height"]
    assert set(page.evaluate("window.heights")) == {round(height)}
