import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from starlette.responses import PlainTextResponse

from chat_ui.features.demo.library import DOCUMENTS
from tests.browser.answering import answers, get_answer
from tests.browser.asking import LEAVE
from tests.browser.listening import held_requests
from tests.browser.opening import use
from tests.browser.places import box, leave, open_settings, opened_list, opened_tab, save, sources
from tests.features.demo.serving import serving
from tests.features.office.packages import docx, paragraph
from tests.features.office.workbooks import xlsx
from tests.stand_ins.handmade_pdfs import chinese_pdf, scanned_pdf, turned_pdf
from tests.stand_ins.shelf import MB, Shelf, pdf

# The first key's change is done before the next task, without a frame between.
ESCAPE_TWICE = """async () => {
    const escape = () => new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
    document.activeElement.dispatchEvent(escape());
    await new Promise((next) => queueMicrotask(() => queueMicrotask(next)));
    document.activeElement.dispatchEvent(escape());
}"""
MARKED = "CSS.highlights.get('passage') ? [...CSS.highlights.get('passage')].map(String).join(' | ') : ''"

SOURCES = {
    "Buoys.pdf#page=1": "Buoys are painted red.",
    "Buoys.pdf#page=9": "Every spring they are lifted.",
    "Notes.md": "Paint comes from Bergen.",
    **{name: f"Passage of {name}." for name in ("Broken.pdf", "Secret.pdf", "Gone.txt", "Huge.pdf")},
    **{name: f"Passage of {name}." for name in ("Map.png", "Prices.csv", "Page.html", "Plan.docx")},
    "just words": "It has no document.",
    "Leave.pdf": "员工每年有二十天年假。",
    "Scan.pdf": "It was scanned.",
    "Unknown.pdf": "It was scanned by a stranger.",
    "Turned.pdf": "It lies on its side.",
    "Torn.pdf#page=1": "It lost a page.",
}


@pytest.fixture(scope="module")
def shelved() -> Iterator[str]:
    """A backend that cites all of `SOURCES` in order. Some of its documents cannot be loaded."""
    shelf = Shelf()
    shelf.documents |= {
        "Buoys.pdf": pdf("Buoys are painted red.", "Every spring they are lifted."),
        "Torn.pdf": pdf("It lost a page.", "This one.").replace(b"\n5 0 R]", b"\n0 0 R]"),
        "Notes.md": b"# Paint\n\nMuch is needed. **Paint** comes from *Bergen*.\n",
        "Broken.pdf": b"%PDF-1.7\n" + b"nothing of a PDF follows " * 100,
        "Secret.pdf": PlainTextResponse("no", status_code=403),
        "Huge.pdf": Shelf.claims_to_be(300 * MB),
        "Map.png": (DOCUMENTS / "Office_Map.png").read_bytes(),
        "Prices.csv": b'Buoy;Price\nN1;"1,200"\n',
        "Page.html": b"<p>Red is the colour</p><script>parent.ran = top.ran = 1</script>",
        "Plan.docx": b"PK not really",
        "Leave.pdf": chinese_pdf(SOURCES["Leave.pdf"]),
        "Scan.pdf": scanned_pdf("JBIG2"),
        "Unknown.pdf": scanned_pdf("JPX"),
        "Turned.pdf": turned_pdf(SOURCES["Turned.pdf"]),
    }
    shelf.sources = [f"{name}: {passage}" for name, passage in SOURCES.items()]
    shelf.text = " ".join(f"{passage.rstrip('.')} [{name}]." for name, passage in SOURCES.items())
    with serving(shelf.app) as url:
        yield f"{url}/1/chat"


def cite(page: Page, source: str) -> None:
    answers(page).get_by_role("button", name=re.compile(rf"^Citation \d+: {re.escape(source)}")).click()


def open_active_document(page: Page) -> Locator:
    """Open the document of the active source."""
    sources(page).locator("[data-active] [data-document]").click()
    return sources(page).get_by_role("group", name=re.compile("^Document "))


@pytest.fixture
def cited(page: Page, shelved: str) -> Page:
    """A page with the answer that cites all of `SOURCES`."""
    use(page, shelved)
    get_answer(page, "What is there?")
    return page


def test_a_pdf_opens_at_the_cited_page_and_escape_goes_back_in_steps(page: Page):
    loaded = "performance.getEntriesByType('resource').filter(entry => /pdf_view|pdf\\.worker/.test(entry.name)).length"
    citation = get_answer(page, LEAVE).get_by_role("button", name=re.compile("Citation 1")).first
    citation.click()
    expect(sources(page).get_by_role("listitem").first).to_be_visible()
    assert page.evaluate(loaded) == 0
    document = open_active_document(page)
    expect(document.locator(".pdf-page canvas")).to_be_visible()
    assert page.evaluate(loaded) >= 1
    number = int(document.locator(".pdf-page").get_attribute("data-page"))
    expect(document.get_by_role("spinbutton", name="Page")).to_have_value(str(number))
    expect(document.get_by_text(re.compile(r"^of \d+$"))).to_be_visible()
    marked = document.locator(".pdf-text mark").all_inner_texts()
    assert "20 weeks of parental leave" in " ".join(" ".join(marked).split())
    leave(document)
    expect(sources(page).locator("[data-active] [data-document]")).to_be_focused()
    leave(sources(page))
    expect(citation).to_be_focused()
    # Two keys within a frame both count.
    citation.click()
    open_active_document(page)
    page.evaluate(ESCAPE_TWICE)
    expect(sources(page)).to_have_count(0)


def test_the_list_closes_where_a_document_leaves_no_room_for_the_conversation(page: Page):
    page.set_viewport_size({"width": 1024, "height": 768})
    answer = get_answer(page, LEAVE)
    listed, main = opened_list(page), page.get_by_role("main")
    send = page.get_by_role("button", name="Send")
    answer.get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(sources(page).locator("[data-active]")).to_be_visible()
    expect(listed).to_be_visible()
    sources(page).get_by_role("button", name=re.compile("^Open ")).first.click()
    expect(listed).to_have_count(0)
    expect(sources(page).get_by_role("group", name="Document Leave_Policy.pdf")).to_be_focused()
    opened_list(page)
    for part, least in ((main, 360), (sources(page), 360)):
        assert box(part)["width"] >= least
    composer = box(page.locator(".composer"))
    assert box(send)["x"] + box(send)["width"] > composer["x"] + composer["width"] - 12


@pytest.mark.wcag("2.1.1", "2.5.7")
def test_the_width_of_sources_is_changed_by_mouse_and_keyboard_and_kept(page: Page):
    get_answer(page, LEAVE).get_by_role("button", name="Sources").click()
    handle = sources(page).get_by_role("separator", name="Width of sources")
    place = handle.bounding_box()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + 200)
    page.mouse.down()
    page.mouse.move(800, place["y"] + 220, steps=4)
    page.mouse.up()
    at = "x => Math.abs(document.querySelector('.side-panel').getBoundingClientRect().x - x) < 12"
    page.wait_for_function(at, arg=800)
    handle.press("ArrowLeft")
    handle.press("ArrowLeft")
    page.wait_for_function(at, arg=800 - 0.1 * 1200)
    page.reload()
    expect(sources(page).get_by_role("listitem").first).to_be_visible()
    page.wait_for_function(at, arg=800 - 0.1 * 1200)
    for edge in (600, 352, 816):
        handle.click()
        page.wait_for_function(at, arg=edge)
    page.set_viewport_size({"width": 390, "height": 700})
    sources(page).locator("[data-kind=pdf]").first.click()
    expect(sources(page).locator(".pdf-page")).to_be_visible()
    assert sources(page).bounding_box()["width"] == 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_documents_come_from_the_set_address_and_each_kind_is_displayed(page: Page, shelved: str):
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(shelved)
    field = opened_tab(dialog, "Documents").get_by_role("textbox", name="Documents")
    field.fill("{origin}/files")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("needs {source}")
    field.fill("{origin}/elsewhere/files?name={source}")
    save(dialog)
    get_answer(page, "What is there?")
    cite(page, "Notes.md")
    document = open_active_document(page)
    expect(document.get_by_role("region", name="Notes.md")).to_contain_text("Paint comes from Bergen.")
    page.wait_for_function(f"() => {MARKED} === 'Paint comes from Bergen'")
    cite(page, "Map.png")
    expect(document.get_by_role("img", name="Map.png")).not_to_have_js_property("naturalWidth", 0)
    cite(page, "Prices.csv")
    expect(document.get_by_role("columnheader", name="Buoy")).to_be_visible()
    expect(document.get_by_role("cell", name="1,200")).to_be_visible()
    cite(page, "Page.html")
    expect(document.get_by_role("region", name="Page.html")).to_contain_text("Red is the colour")
    assert page.evaluate("window.ran") is None
    cite(page, "Plan.docx")
    expect(sources(page).locator(".document-passage")).to_contain_text("Passage of Plan.docx")
    with page.expect_download() as download:
        document.get_by_role("link", name="Download Plan.docx").last.click()
    assert download.value.suggested_filename == "Plan.docx"
    cite(page, "just words")
    expect(document).to_have_count(0)
    expect(sources(page).locator("[data-active]")).to_contain_text("It has no document.")
    expect(sources(page).locator("[data-active]")).to_be_in_viewport()


def test_a_word_document_opens_at_each_passage_and_says_where_nothing_is_certain(page: Page):
    filler = "".join(paragraph(f"Filling paragraph {number}.") for number in range(80))
    red, green = "The northern buoys are painted red.", "The southern buoys are painted green."
    heading = '<w:outlineLvl w:val="0"/>'
    shelf = Shelf()
    shelf.documents["Manual.docx"] = docx(
        paragraph("North", heading) + filler + paragraph(red) + paragraph("South", heading) + filler + paragraph(green)
    )
    shelf.sources = [f"Manual.docx#page={page}: {words}" for page, words in enumerate((red, green, "All is blue."), 1)]
    shelf.text = f"{red} [Manual.docx#page=1] {green} [Manual.docx#page=2] All is blue [Manual.docx#page=3]."
    with serving(shelf.app) as url:
        use(page, f"{url}/1/chat")
        get_answer(page, "What is there?")
        cite(page, "Manual.docx#page=1")
        document = open_active_document(page)
        mark, note = document.locator("mark.passage-part"), document.get_by_role("note")
        expect(mark).to_have_text([red])
        expect(mark).to_be_in_viewport()
        cite(page, "Manual.docx#page=2")
        expect(mark).to_have_text([green])
        expect(mark).to_be_in_viewport()
        contents = document.get_by_role("combobox", name="Contents")
        page.keyboard.press("F2")
        expect(page.get_by_role("region", name="Presentation")).to_be_attached()
        expect(mark).to_be_in_viewport()
        contents.press("b")
        page.get_by_role("button", name="Show the page again").press("b")
        page.keyboard.press("Escape")
        expect(mark).to_be_in_viewport()
        contents.select_option("North")
        expect(document.get_by_role("heading", name="North")).to_be_in_viewport()
        expect(mark).not_to_be_in_viewport()
        contents.press("ArrowDown")
        expect(document.get_by_role("heading", name="South")).to_be_in_viewport()
        expect(note).to_have_count(0)
        contents.select_option("Contents")
        expect(mark).to_be_in_viewport()
        cite(page, "Manual.docx#page=3")
        expect(note).to_have_text("The passage was not found for certain, so nothing is marked.")
        expect(document.locator(".document-passage")).to_have_attribute("open", "")
        expect(mark).to_have_count(0)


def test_a_sheet_scrolls_below_its_letters_and_contents_lead_back_to_the_cited_cell(page: Page):
    shelf = Shelf()
    rows = [[f"c{row}-{column}" for column in range(30)] for row in range(1, 300)]
    shelf.documents["Costs.xlsx"] = xlsx({"North": rows, "South": [["All of it"]]})
    shelf.sources = ["Costs.xlsx#North!Z250: The cost of lamps."]
    shelf.text = "Lamps cost this [Costs.xlsx#North!Z250]."
    with serving(shelf.app) as url:
        use(page, f"{url}/1/chat")
        get_answer(page, "What do lamps cost?")
        cite(page, "Costs.xlsx#North!Z250")
        document = open_active_document(page)
        contents, mark = document.get_by_role("combobox", name="Contents"), document.locator("mark.passage-part")
        seen = [
            mark, document.get_by_role("columnheader", name="Z", exact=True),
            document.get_by_role("rowheader", name="250", exact=True),
        ]  # fmt: skip
        for one in seen:
            expect(one).to_be_in_viewport()
        contents.focus()
        contents.select_option("South")
        expect(document.get_by_role("cell", name="All of it")).to_be_in_viewport()
        contents.select_option("Contents")
        expect(mark).to_have_text(["c250-25"])
        for one in seen:
            expect(one).to_be_in_viewport()
        expect(contents).to_be_focused()


def test_a_cited_table_is_marked_by_row_in_answer_source_and_document(page: Page):
    table = "".join(f"<tr><td>{name}</td><td>9 crowns</td></tr>" for name in ("A stove", "A <b>red</b> tent", "A dome"))
    shelf = Shelf()
    shelf.sources = [f"Costs.html: Costs. <table>{table}</table>"]
    shelf.documents["Costs.html"] = f"<h1>Costs</h1><p>Of 9 crowns.</p><table>{table}</table>".encode()
    shelf.text = (
        "Costs of tents [Costs.html]:\n\n| Tent | Cost |\n|-|-|\n| Red tent | 9 crowns |\n| Dome | 9 crowns |\n"
    )
    with serving(shelf.app) as url:
        use(page, f"{url}/1/chat")
        get_answer(page, "What do tents cost?")
        cite(page, "Costs.html")
        active = sources(page).locator("[data-active]")
        expect(active.locator("mark")).to_have_text(["A ", "red", " tent", "9 crowns", "A dome", "9 crowns"])
        claim = page.evaluate("[...CSS.highlights.get('claim')].map(range => String(range).replace(/\\s+/g, ' '))")
        assert claim == ["Costs of tents", "Red tent 9 crowns", "Dome 9 crowns"]
        open_active_document(page)
        page.wait_for_function(f"() => {MARKED}.replace(/\\s+/g, ' ') === 'A red tent9 crowns | A dome9 crowns'")


def test_a_source_opens_wherever_it_is_pressed_with_its_passage_folded(cited: Page):
    held = held_requests(cited, re.compile(r"/documents/\d+/shown"))
    cite(cited, "Notes.md")
    document = sources(cited).get_by_role("group", name="Document Notes.md")
    passage = sources(cited).locator("[data-active] .passage")
    place = passage.bounding_box()
    cited.mouse.move(place["x"] + 1, place["y"] + 10)
    cited.mouse.down()
    cited.mouse.move(place["x"] + 90, place["y"] + 10, steps=4)
    cited.mouse.up()
    assert cited.evaluate("() => getSelection().toString()").startswith("Paint ")
    expect(document).to_have_count(0)
    cited.evaluate("() => getSelection().removeAllRanges()")
    with cited.expect_request(re.compile(r"/documents/\d+/shown")):
        passage.click()
    body = document.get_by_role("region", name="Notes.md")
    expect(body).to_have_attribute("aria-busy", "true")
    bars = "e => { const { animationName, height } = getComputedStyle(e, '::before'); return [animationName, height]; }"
    assert body.evaluate(bars) == ["skeleton", "224px"]
    cited.emulate_media(reduced_motion="reduce")
    assert body.evaluate(bars)[0] == "none"
    expect(sources(cited).get_by_role("tablist")).to_have_count(0)
    assert document.locator(".document-bar").bounding_box()["height"] == 40
    expect(document.get_by_text("Paint comes from Bergen.")).to_be_hidden()
    held[0].continue_()
    expect(body).to_contain_text("Paint comes from Bergen.")
    document.get_by_text("The passage").click()
    expect(document.locator(".document-passage .passage")).to_be_visible()
    leave(document)
    cited.unroute_all()
    sources(cited).locator("[data-active] .source-title").click()
    expect(document.locator(".document-name")).to_have_text("Notes Markdown")
    document.get_by_role("button", name="Close sources").click()
    expect(sources(cited)).to_have_count(0)


def test_pdf_pages_turn_and_zoom_and_a_missing_document_says_why(cited: Page):
    cite(cited, "Buoys.pdf#page=1")
    document = open_active_document(cited)
    first = document.get_by_role("region", name="Buoys.pdf, page 1 of 2")
    second = document.get_by_role("region", name="Buoys.pdf, page 2 of 2")
    note = document.get_by_role("note")
    expect(first).to_contain_text("Buoys are painted red.")
    asked: list[str] = []
    cited.on("request", lambda request: asked.append(request.url) if "/documents/" in request.url else None)
    cite(cited, "Buoys.pdf#page=9")
    expect(note).to_contain_text("names page 9, but this document has 2 pages")
    expect(second).to_contain_text("Every spring they are lifted")
    document.get_by_role("button", name="Previous page").click()
    expect(first).to_contain_text("Buoys are painted red.")
    expect(document.get_by_role("button", name="Previous page")).to_be_disabled()
    width = document.locator(".pdf-page").bounding_box()["width"]
    document.get_by_role("button", name="Zoom in").click()
    cited.wait_for_function("width => document.querySelector('.pdf-page').clientWidth > width * 1.1", arg=width)
    first.focus()
    cited.keyboard.press("PageDown")
    expect(second).to_contain_text("Every spring")
    assert asked == []

    cite(cited, "Torn.pdf#page=1")
    shown = document.get_by_role("region", name="Torn.pdf, page 1 of 2")
    expect(shown).to_contain_text("It lost a page.")
    document.get_by_role("button", name="Next page").click()
    expect(document.get_by_role("alert")).to_contain_text("Page 2 cannot be shown here.")
    document.get_by_role("spinbutton", name="Page").fill("1.5")
    expect(shown).to_contain_text("It lost a page.")
    expect(document.get_by_role("alert")).to_have_count(0)

    refusals = {
        "Broken.pdf": "cannot be shown",
        "Secret.pdf": "not have permission",
        "Gone.txt": "not have a document called",
        "Huge.pdf": "300 MB",
    }
    for name, words in refusals.items():
        cite(cited, name)
        expect(document.get_by_role("alert")).to_contain_text(words)
        expect(sources(cited).locator(".document-passage")).to_contain_text(f"Passage of {name}")
        ways_out = 1 if name == "Broken.pdf" else 0
        expect(document.get_by_role("link", name="Use the browser's PDF viewer")).to_have_count(ways_out)
        expect(document.get_by_role("link", name=re.compile("^Download"))).to_have_count(2 * ways_out)


@pytest.mark.thorough
def test_a_pdf_uses_bundled_resources_and_a_decoding_failure_is_told(cited: Page):
    cite(cited, "Leave.pdf")
    document = open_active_document(cited)
    note = document.get_by_role("note").filter(has_text="Not all of page 1 can be shown here.")
    expect(document.locator(".pdf-text")).to_contain_text(SOURCES["Leave.pdf"])
    expect(document.locator(".pdf-page")).to_have_attribute("data-marks", "1")
    cite(cited, "Unknown.pdf")
    expect(note.get_by_role("link", name="Download Unknown.pdf")).to_be_visible()
    cite(cited, "Scan.pdf")
    expect(document.get_by_role("region", name="Scan.pdf, page 1 of 1")).to_have_attribute("aria-busy", "false")
    drawn = document.locator(".pdf-page canvas").evaluate(
        "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"
    )
    assert drawn > 1
    expect(note).to_have_count(0)
    cite(cited, "Turned.pdf")
    expect(document.get_by_role("region", name="Turned.pdf, page 1 of 1")).to_have_attribute("aria-busy", "false")
    words = document.locator(".pdf-text span").first.bounding_box()
    assert words["height"] > 4 * words["width"]
    # A narrow page is fitted to its text.
    drawn = document.locator(".pdf-page").element_handle()
    cited.set_viewport_size({"width": 390, "height": 844})
    cited.wait_for_function("drawn => !drawn.isConnected", arg=drawn)
    assert document.locator(".pdf-page").bounding_box()["width"] > 390
