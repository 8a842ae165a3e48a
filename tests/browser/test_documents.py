"""The document behind a source, beside the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from chat_ui.conversations.archive.archive import FORMAT, VERSION
from chat_ui.demo.library import DOCUMENTS
from chat_ui.protocol.transport.guard import origin_of
from tests.backends.shelf import MB, Shelf, pdf
from tests.browser.axe import expect_no_violations
from tests.browser.places import sources
from tests.browser.questions import LEAVE
from tests.browser.talking import NewContext, answers, ask, expect_settled, open_page
from tests.demo.serving import serving

MARKED = "CSS.highlights.get('passage') ? [...CSS.highlights.get('passage')].map(String).join(' | ') : ''"


SOURCES = {
    "Buoys.pdf#page=1": "Buoys are painted red.",
    "Buoys.pdf#page=9": "Every spring they are lifted.",
    "Notes.md": "Paint comes from Bergen.",
    **{name: f"Passage of {name}." for name in ("Broken.pdf", "Secret.pdf", "Gone.txt", "Wall.pdf", "Huge.pdf")},
    **{name: f"Passage of {name}." for name in ("Map.png", "Prices.csv", "Page.html", "Plan.docx", "Endless.pdf")},
    "just words": "It has no document.",
}


@pytest.fixture(scope="module")
def shelved() -> Iterator[str]:
    """A backend that cites all of `SOURCES`, in order; some of its documents cannot be had."""
    shelf = Shelf()
    shelf.documents |= {
        "Buoys.pdf": pdf("Buoys are painted red.", "Every spring they are lifted."),
        "Notes.md": b"# Paint\n\nMuch is needed. **Paint** comes from *Bergen*.\n",
        "Broken.pdf": b"%PDF-1.7\n" + b"nothing of a PDF follows " * 100,
        "Secret.pdf": PlainTextResponse("no", status_code=403),
        "Wall.pdf": Shelf.sign_in_page(),
        "Huge.pdf": Shelf.claims_to_be(300 * MB),
        "Map.png": (DOCUMENTS / "Office_Map.png").read_bytes(),
        "Prices.csv": b'Buoy;Price\nN1;"1,200"\n',
        "Page.html": b"<p>Red is the colour</p><script>parent.ran = top.ran = 1</script>",
        "Plan.docx": b"PK not really",
        "Endless.pdf": shelf.endless(),
    }
    shelf.sources = [f"{name}: {passage}" for name, passage in SOURCES.items()]
    shelf.text = " ".join(f"{passage.rstrip('.')} [{name}]." for name, passage in SOURCES.items())
    with serving(shelf.app) as url:
        yield f"{url}/1/chat"


def open_document(page: Page, citation: str) -> Locator:
    """The document behind a citation of the answer that cites all."""
    ask(page, "What is there?")
    expect_settled(page).get_by_role("button", name=citation).click()
    sources(page).locator("[data-active] [data-document]").click()
    return sources(page).get_by_role("group", name=re.compile("^Document "))


def open_first_document(page: Page, question: str) -> Locator:
    """The document behind the first citation of the answer to `question`."""
    ask(page, question)
    expect_settled(page).get_by_role("button", name=re.compile("Citation 1")).first.click()
    sources(page).locator("[data-active] [data-document]").click()
    return sources(page).get_by_role("group", name=re.compile("^Document "))


def test_a_pdf_opens_at_the_page_of_the_source_with_the_passage_marked(page: Page):
    document = open_first_document(page, LEAVE)
    expect(document.locator(".pdf-page canvas")).to_be_visible()
    number = int(document.locator(".pdf-page").get_attribute("data-page"))
    expect(document.get_by_role("spinbutton", name="Page")).to_have_value(str(number))
    expect(document.get_by_text(re.compile(r"^of \d+$"))).to_be_visible()
    page.wait_for_function(f"() => /20 ?weeks ?of ?parental ?leave/.test({MARKED})")


def test_pages_are_turned_and_zoomed_and_one_beyond_the_end_says_so(context: BrowserContext, shelved: str):
    page = open_page(context, backend=shelved)
    document = open_document(page, "Citation 2: Buoys.pdf#page=9")
    expect(document.get_by_role("note")).to_contain_text("names page 9, but this document has 2 pages")
    expect(document.get_by_role("region", name="Buoys.pdf, page 2 of 2")).to_contain_text(
        "Every spring they are lifted"
    )
    document.get_by_role("button", name="Previous page").click()
    shown = document.get_by_role("region", name="Buoys.pdf, page 1 of 2")
    expect(shown).to_contain_text("Buoys are painted red.")
    expect(document.get_by_role("button", name="Previous page")).to_be_disabled()
    width = document.locator(".pdf-page").bounding_box()["width"]
    document.get_by_role("button", name="Zoom in").click()
    page.wait_for_function("width => document.querySelector('.pdf-page').clientWidth > width * 1.1", arg=width)
    shown.focus()
    page.keyboard.press("PageDown")
    expect(document.get_by_role("region", name="Buoys.pdf, page 2 of 2")).to_contain_text("Every spring")


def test_another_citation_turns_the_page_without_loading_the_document_again(context: BrowserContext, shelved: str):
    page = open_page(context, backend=shelved)
    document = open_document(page, "Citation 1: Buoys.pdf#page=1")
    expect(document.get_by_role("region", name="Buoys.pdf, page 1 of 2")).to_contain_text("Buoys are painted red.")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/documents/" in request.url else None)
    answers(page).get_by_role("button", name="Citation 2: Buoys.pdf#page=9").click()
    expect(document.get_by_role("region", name="Buoys.pdf, page 2 of 2")).to_contain_text("Every spring")
    assert asked == []
    answers(page).get_by_role("button", name="Citation 3: Notes.md").click()
    expect(document.get_by_role("region", name="Notes.md")).to_contain_text("Paint comes from Bergen.")
    page.wait_for_function(f"() => {MARKED} === 'Paint comes from Bergen'")


@pytest.mark.parametrize(
    ("citation", "words"),
    [
        ("Citation 4: Broken.pdf", "cannot be read"),
        ("Citation 5: Secret.pdf", "does not let you"),
        ("Citation 6: Gone.txt", "no document called"),
        ("Citation 7: Wall.pdf", "web page"),
        ("Citation 8: Huge.pdf", "300 MB"),
        ("Citation 13: Endless.pdf", "larger than 20 MB"),
    ],
)
def test_a_document_that_cannot_be_had_says_why_with_its_passage(
    context: BrowserContext, shelved: str, citation: str, words: str
):
    page = open_page(context, backend=shelved)
    document = open_document(page, citation)
    expect(document.get_by_role("alert")).to_contain_text(words)
    expect(sources(page).locator(".document-passage")).to_contain_text("Passage of")
    ways_out = 1 if citation.endswith("Broken.pdf") else 0
    expect(document.get_by_role("link", name="Try the browser's own viewer")).to_have_count(ways_out)
    expect(document.get_by_role("link", name=re.compile("^Download"))).to_have_count(ways_out)


def test_a_citation_without_a_document_goes_back_to_the_list_at_its_place(context: BrowserContext, shelved: str):
    page = open_page(context, backend=shelved)
    document = open_document(page, "Citation 1: Buoys.pdf#page=1")
    expect(document.locator(".pdf-page")).to_be_visible()
    answers(page).get_by_role("button", name="Citation 14: just words").click()
    expect(document).to_have_count(0)
    expect(sources(page).locator("[data-active]")).to_contain_text("It has no document.")
    expect(sources(page).locator("[data-active]")).to_be_in_viewport()


def test_documents_come_from_where_a_person_says(page: Page, shelved: str):
    page.get_by_role("button", name="Backend settings").click()
    dialog = page.get_by_role("dialog", name="Backend settings")
    dialog.get_by_role("textbox", name="Backend URL").fill(shelved)
    field = dialog.get_by_role("textbox", name="Documents")
    field.fill("{origin}/files")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("needs {source}")
    field.fill("{origin}/elsewhere/files?name={source}")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    document = open_document(page, "Citation 1: Buoys.pdf#page=1")
    expect(document.get_by_role("region", name="Buoys.pdf, page 1 of 2")).to_contain_text("Buoys are painted red.")


def test_each_kind_is_shown_as_what_it_is(context: BrowserContext, shelved: str):
    page = open_page(context, backend=shelved)
    document = open_document(page, "Citation 9: Map.png")
    expect(document.get_by_role("img", name="Map.png")).not_to_have_js_property("naturalWidth", 0)
    answers(page).get_by_role("button", name="Citation 10: Prices.csv").click()
    expect(document.get_by_role("columnheader", name="Buoy")).to_be_visible()
    expect(document.get_by_role("cell", name="1,200")).to_be_visible()
    answers(page).get_by_role("button", name="Citation 11: Page.html").click()
    expect(document.get_by_role("region", name="Page.html")).to_contain_text("Red is the colour")
    assert page.evaluate("window.ran") is None
    answers(page).get_by_role("button", name="Citation 12: Plan.docx").click()
    expect(sources(page).locator(".document-passage")).to_contain_text("Passage of Plan.docx")
    with page.expect_download() as download:
        document.get_by_role("link", name="Download Plan.docx").last.click()
    assert download.value.suggested_filename == "Plan.docx"


def test_an_imported_conversation_calls_nobody_and_shows_its_passages(context: BrowserContext):
    asked: list[str] = []

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            asked.append(scope["path"])
        await PlainTextResponse("here")(scope, receive, send)

    with serving(noting) as stranger:
        page = open_page(context)
        answer = {
            "answer": {
                "text": "It is red [report.html]. ![red](http://127.0.0.1:9/red.png)",
                "data_points": [{"id": "report.html", "source": "report.html", "text": "Red is the colour."}],
            },
            "backend": {"url": f"{stranger}/any/path/chat", "profile": "own:1", "documents": f"{stranger}/{{source}}"},
        }
        talk = {"title": "Buoys", "turns": [{"id": "a", "question": "What colour?", "answers": [answer]}]}
        file = {"format": FORMAT, "version": VERSION, "conversations": [talk]}
        page.request.post("/api/conversations/import", data=file, headers={"Origin": origin_of(page.url)})
        found = page.request.get("/api/conversations/").json()["conversations"][0]
        page.goto(f"/c/{found['id']}")
        answered = expect_settled(page)
        expect(answered.locator(".grounding")).to_be_visible()
        answered.get_by_role("button", name=re.compile("Citation 1")).click()
        expect(sources(page)).to_contain_text("Red is the colour.")
        expect(sources(page)).to_contain_text("from a backend that is not on offer here")
        expect(sources(page).locator("[data-document]")).to_have_count(0)
        answered.get_by_role("button", name="Regenerate").click()
        expect_settled(page)
        assert asked == []


def test_escape_goes_back_to_the_sources_and_then_to_the_citation(page: Page):
    document = open_first_document(page, LEAVE)
    expect(document.locator(".pdf-page")).to_be_visible()
    page.keyboard.press("Escape")
    expect(document).to_have_count(0)
    expect(sources(page).locator("[data-active] [data-document]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(sources(page)).to_have_count(0)
    expect(answers(page).get_by_role("button", name=re.compile("Citation 1")).first).to_be_focused()


def test_the_width_of_sources_is_changed_with_the_keyboard_and_kept(page: Page):
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Sources").click()
    width = sources(page).bounding_box()["width"]
    handle = sources(page).get_by_role("separator", name="Width of sources")
    handle.press("ArrowLeft")
    handle.press("ArrowLeft")
    page.wait_for_function("width => document.querySelector('.sources-panel').clientWidth > width + 60", arg=width)
    page.reload()
    expect(sources(page)).to_be_visible()
    page.wait_for_function("width => document.querySelector('.sources-panel').clientWidth > width + 60", arg=width)


def test_the_width_of_sources_is_changed_with_the_mouse(page: Page):
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Sources").click()
    handle = sources(page).get_by_role("separator", name="Width of sources").bounding_box()
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + 200)
    page.mouse.down()
    page.mouse.move(600, handle["y"] + 220, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "() => Math.abs(document.querySelector('.sources-panel').getBoundingClientRect().x - 600) < 12"
    )


def test_pdf_code_is_loaded_with_the_first_pdf_and_not_before(page: Page):
    loaded = "performance.getEntriesByType('resource').filter(entry => /pdf_view|pdf\\.worker/.test(entry.name)).length"
    ask(page, LEAVE)
    expect_settled(page).get_by_role("button", name="Sources").click()
    expect(sources(page).get_by_role("listitem").first).to_be_visible()
    assert page.evaluate(loaded) == 0
    sources(page).locator("[data-kind=pdf]").first.click()
    expect(sources(page).locator(".pdf-page")).to_be_visible()
    assert page.evaluate(loaded) >= 1


def test_on_a_phone_a_document_is_a_sheet(new_context: NewContext):
    page = open_page(new_context(viewport={"width": 390, "height": 700}, is_mobile=True))
    document = open_first_document(page, LEAVE)
    expect(document.locator(".pdf-page")).to_be_visible()
    assert sources(page).bounding_box()["width"] == 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_axe_finds_nothing_with_a_document_open(page: Page):
    document = open_first_document(page, LEAVE)
    expect(document.locator(".pdf-page")).to_be_visible()
    expect_no_violations(page)
    page.keyboard.press("Escape")
    answers(page).get_by_role("button", name=re.compile("Citation 1")).first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    expect_no_violations(page)
