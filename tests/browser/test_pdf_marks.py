"""The mark of a passage in PDFs with columns, headers, footers, repeated sentences, and rotated pages."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import answers, get_answer
from tests.browser.opening import use
from tests.browser.places import box, sources
from tests.features.demo.serving import serving
from tests.stand_ins.handmade_pdfs import turned_pdf
from tests.stand_ins.shelf import Placed, Shelf, placed_pdf

LEFT = (
    "Members pay their fee once a year.",
    "Each member receives twenty-",
    "five days of paid leave in each cal-",
    "endar year, and may carry over five",
    "of them until the end of March.",
    "The fee is due in January.",
)
RIGHT = (
    "Boats are kept in the long shed.",
    "The key of the shed is with the",
    "harbour master, who notes the name",
    "of each borrower in the blue book",
    "and asks for the key in the evening.",
    "Oars are kept elsewhere.",
)
LEAVE = (
    "Each member receives twenty-five days of paid leave in each calendar year, and may carry over five of them until "
    "the end of March."
)
STORM = "In a storm the harbour is closed to all boats until the harbour master has looked at every mooring and rope."
FIRST, REST = STORM[:51], STORM[52:]
TITLE = "Repairs of boats and sails"
FOOT = "Handbook of the Sailing Club - Confidential - Page {}"
# A passage by the name of its source.
PASSAGES = {
    "Handbook.pdf#page=2": f"Members pay their fee once a year. {LEAVE} The fee is due in January.",
    "Handbook.pdf#page=3": f"Moorings are checked in spring. {STORM} Visitors wait outside.",
    "Handbook.pdf#page=1": f"3 {TITLE}\nSails are mended in winter. Planks are painted in spring.",
    "Handbook.pdf#page=5": "Every boat has a lamp at the mast. A lamp burns at night.",
    "Handbook.pdf": "The club was founded by three sailmakers. It has two sheds.",
    "Turned.pdf": "The chart lies on its side. It has two lines of text below each other.",
}
SAID = {
    "Handbook.pdf#page=2": LEAVE[:-1],
    "Handbook.pdf#page=3": STORM[:-1],
    "Handbook.pdf#page=1": TITLE,
    "Handbook.pdf#page=5": "Every boat has a lamp at the mast",
    "Handbook.pdf": "The club was founded by three sailmakers",
    "Turned.pdf": "The chart lies on its side. It has two lines of text below each other",
}


def handbook() -> bytes:
    """Five pages: contents, two columns line by line, a sentence that ends on the next page, its end, and an index."""
    foot: list[Placed] = [(20, 285, FOOT.format(number)) for number in range(1, 6)]
    contents: list[Placed] = [
        (20, 30, f"Contents. 1 Members ... 2. 2 Harbour ... 3. 3 {TITLE} ... 4"),
        (20, 60, "3"), (30, 60, TITLE),
        (20, 70, "Sails are mended in winter. Planks are painted in spring."),
    ]  # fmt: skip
    columns: list[Placed] = [
        line
        for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True))
        for line in ((20.0, 40.0 + 7 * row, left), (110.0, 40.0 + 7 * row, right))
    ]
    start: list[Placed] = [(20, 250, "Moorings are checked in spring."), (20, 257, FIRST)]
    end: list[Placed] = [(20, 10, "Sailing Club"), (20, 30, REST), (20, 37, "Visitors wait outside.")]
    index: list[Placed] = [(20, 40, "The club was founded by three sailmakers. It has two sheds.")]
    return placed_pdf(*([*page, foot[at]] for at, page in enumerate((contents, columns, start, end, index))))


@pytest.fixture(scope="module")
def shelved() -> Iterator[str]:
    shelf = Shelf()
    turned = ("The chart lies on its side.", "It has two lines of text", "below each other.")
    shelf.documents |= {"Handbook.pdf": handbook(), "Turned.pdf": turned_pdf(*turned)}
    shelf.sources = [f"{name}: {passage}" for name, passage in PASSAGES.items()]
    shelf.text = " ".join(f"{claim} [{name}]." for name, claim in SAID.items())
    with serving(shelf.app) as url:
        yield f"{url}/1/chat"


@pytest.fixture
def cited(page: Page, shelved: str) -> Page:
    """A page with an answer that cites each of the `PASSAGES`."""
    use(page, shelved)
    get_answer(page, "What does the club say?")
    return page


def opened(page: Page, source: str) -> Locator:
    """The document of a source, once its page is shown."""
    # The name without a page is the beginning of the others.
    answers(page).get_by_role("button", name=re.compile(rf"^Citation \d+: {re.escape(source)}(?!#)")).click()
    document = sources(page).get_by_role("group", name=re.compile("^Document "))
    if not document.count():
        sources(page).locator("[data-active] [data-document]").click()
    expect(document.locator(".document-body")).to_have_attribute("aria-busy", "false")
    return document


def marked(document: Locator, page: int) -> str:
    """The marked words of this page, once it is drawn."""
    expect(document.locator(f'.pdf-page[data-page="{page}"][data-marks]')).to_be_visible()
    return " ".join(document.locator(".pdf-text mark").all_inner_texts())


def shapes(mark: Locator) -> int:
    """The number of outlines in the drawn mark."""
    return (mark.get_attribute("d") or "").count("M")


def part_of_page(mark: Locator, page: Locator) -> tuple[float, float]:
    """Width and height of a mark as parts of its page."""
    own, whole = box(mark), box(page)
    return own["width"] / whole["width"], own["height"] / whole["height"]


def test_a_sentence_in_a_column_is_one_mark_that_follows_the_page(cited: Page):
    document = opened(cited, "Handbook.pdf#page=2")
    sheet, mark = document.locator(".pdf-page"), document.locator(".pdf-page path")
    assert marked(document, 2) == " ".join(LEFT[1:5])
    assert f"- mark: {LEFT[1]}" in document.get_by_role("region").aria_snapshot()
    assert shapes(mark) == 1
    width, height = part_of_page(mark, sheet)
    assert 0.2 < width < 0.4
    zoom_in = document.get_by_role("button", name="Zoom in")
    for change in (zoom_in.click, lambda: cited.set_viewport_size({"width": 1000, "height": 700})):
        drawn = sheet.element_handle()
        change()
        cited.wait_for_function("drawn => !drawn.isConnected", arg=drawn)
        expect(mark).to_be_in_viewport()
        assert part_of_page(mark, sheet) == pytest.approx((width, height), rel=0.1)
    cited.emulate_media(forced_colors="active")
    assert mark.evaluate("e => getComputedStyle(e).fill") == "none"


def test_a_passage_is_marked_on_both_of_its_pages(cited: Page):
    document = opened(cited, "Handbook.pdf#page=3")
    assert marked(document, 3) == FIRST
    heard = cited.locator("#announcements")
    document.get_by_role("button", name="The passage continues on page 4.").click()
    expect(document.get_by_role("region", name="Handbook.pdf, page 4 of 5")).to_be_visible()
    expect(document.get_by_role("note")).to_have_text("The passage begins on page 3.")
    assert marked(document, 4) == REST
    expect(heard).to_contain_text("Page 4 of 5. The passage is marked. The passage begins on page 3.")
    document.get_by_role("button", name="Next page").click()
    expect(document.get_by_role("note")).to_have_text("The passage is on page 3.")
    expect(document.locator(".pdf-page svg")).to_have_count(0)


def test_a_repeated_sentence_is_marked_at_its_passage_and_an_uncertain_one_is_not(cited: Page):
    document = opened(cited, "Handbook.pdf#page=1")
    assert marked(document, 1) == f"3 {TITLE}"
    page, mark = box(document.locator(".pdf-page")), box(document.locator(".pdf-page path"))
    assert (mark["y"] - page["y"]) / page["height"] == pytest.approx(58 / 297, abs=0.02)
    # A passage without a page is searched on all pages, and is not on the named page 5.
    document = opened(cited, "Handbook.pdf")
    assert marked(document, 5) == "The club was founded by three sailmakers."
    document = opened(cited, "Handbook.pdf#page=5")
    expect(document.get_by_role("note")).to_have_text("The passage was not found for certain, so nothing is marked.")
    expect(document.locator(".pdf-page svg")).to_have_count(0)


def test_a_mark_on_a_rotated_page_goes_down(cited: Page):
    document = opened(cited, "Turned.pdf")
    mark = document.locator(".pdf-page path")
    assert shapes(mark) == 1
    place = box(mark)
    assert place["height"] > 2 * place["width"]
