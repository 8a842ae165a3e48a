"""Copies of an answer and a table, a printed conversation, and an exported file."""

from collections.abc import Callable
from datetime import date
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pypdf import PdfReader

from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.rendering.ai_notice import DEFAULT
from chat_ui.rendering.exported_page.page_document import ExportedTurn, exported_page
from tests.browser.answering import answers, copied, get_answer
from tests.browser.axe import expect_no_violations
from tests.browser.opening import RUN, OpenFile, use
from tests.browser.places import choose, opened_list, options_of
from tests.browser.stand_in import StandIn, delta
from tests.rendering.hostile import HOSTILE

ANSWER = (
    delta("", "Paint.pdf#page=2: Red.", "Rope.txt: Long."),
    delta(
        "Buoys are **red** [Paint.pdf#page=2].\nSecond line [Rope.txt][invented.pdf].\n\n"
        "| what | how much [Rope.txt] |\n|---|---|\n| rope | 3 \\| 4 m |\n| paint | *2 l* |\n\n"
        "```python\nif red:\n    paint()\n```\n\n![Chart](https://charts.example/a.png)\n"
    ),
)
COLUMNS = "|".join(f" responsible department {number} " for number in range(9))
FIGURES = ("1/1/2", "1,20/4", "93.1 %", "a@suppliers.contoso.example", "Typhoon extension granted")
WIDE = (
    f"|{COLUMNS}|\n{'|---' * 9}|\n|{COLUMNS}|\n\n```\n{'paint() ' * 60}\n```\n\n"
    f"| {' | '.join(FIGURES * 2)} |\n{'|---' * 10}|\n| {' | '.join(FIGURES * 2)} |\n"
)


def test_an_answer_is_copied_with_references_and_a_table_as_cells(page: Page, stand_in: StandIn):
    cells = ('=WEBSERVICE("http://x.test")', "@SUM(A1)", "+1+cmd", "-2+3", "-5", "+3,5 %", "-", "a=b")
    formulas = "| " + " | ".join(cells) + " |\n" + "|---" * len(cells) + "|\n"
    use(page, stand_in.one_after_the_other(ANSWER, [delta(formulas)]))
    answer = get_answer(page, "What about buoys?")
    markdown = copied(page, answer.get_by_role("button", name="Copy answer"))
    assert "Buoys are **red** [1].\nSecond line [2][3]." in markdown
    assert markdown.endswith(
        "References:\n\n1. Paint.pdf#page=2\n2. Rope.txt\n3. invented.pdf (not found among the sources)\n\n"
        f"*{DEFAULT}*\n"
    )
    rich = page.evaluate("async () => (await (await navigator.clipboard.read())[0].getType('text/html')).text()")
    assert '<strong>red</strong> <span class="cited"><sup>[1]</sup>.</span>' in rich
    assert "<li>Paint.pdf#page=2</li>" in rich
    assert f"<em>{DEFAULT}</em>" in rich
    assert "button" not in rich
    assert "Copy" not in rich
    copy_table = answer.get_by_role("button", name="Copy table")
    expect(copy_table).to_have_css("opacity", "0")
    table = copied(page, copy_table, "Table copied.")
    expect(copy_table).to_have_css("opacity", "1")
    assert table == "what\thow much\nrope\t3 | 4 m\npaint\t2 l"
    answer.get_by_role("button", name="Other ways to copy").click()
    # A further way is one more of `tests/test_ai_notice.py`.
    expect(page.get_by_role("menuitem")).to_have_text(["Markdown only", "Without citations"])
    text = copied(page, page.get_by_role("menuitem", name="Without citations"))
    assert text.startswith("Buoys are **red**.\nSecond line.\n\n| what | how much |")
    assert "Paint.pdf" not in text
    assert "    paint()" in text
    answer = get_answer(page, "And formulas?", turns=2)
    table = copied(page, answer.get_by_role("button", name="Copy table"), "Table copied.")
    assert table.split("\t") == [*(f"'{cell}" for cell in cells[:4]), *cells[4:]]


def test_a_printed_page_is_light_and_whole_with_references(page: Page, stand_in: StandIn):
    page.emulate_media(color_scheme="dark")
    use(page, stand_in.one_after_the_other(ANSWER, [delta(WIDE)]))
    get_answer(page, "What about buoys?")
    wide = get_answer(page, "And what is wide?", turns=2)
    answer = answers(page).first
    answer.get_by_role("button", name="Sources", exact=True).click()
    expect(page.get_by_role("region", name="Sources")).to_be_visible()
    expect(answer.locator(".references")).to_be_attached()
    printed = PdfReader(BytesIO(page.pdf())).pages
    words = "".join(leaf.extract_text() for leaf in printed)
    assert words.startswith("What about buoys? – Chat\n")
    assert str(date.today().year) in words.splitlines()[1]
    assert DEFAULT in " ".join(words.split())
    assert "Buoys are red" in words
    assert "[1]" in words
    assert "[3?]" in words
    assert "invented.pdf (not found among the sources)" in words
    for control in ("Regenerate", "Copy", "Thoughts", "Ask a question", "Show image"):
        assert control not in words
    assert "Chart (https://charts.example/a.png)" in words
    assert "1. Paint, p. 2" in words
    # Ten columns have a page in landscape, and figures stay whole.
    [wide_leaf] = (leaf for leaf in printed if leaf.mediabox.width > leaf.mediabox.height)
    found = " ".join(wide_leaf.extract_text().replace("\n", "|").split())
    assert [found.count(figure) for figure in FIGURES[:3]] == [4, 4, 4]
    assert wide.evaluate("answer => parseFloat(answer.style.minHeight)") > 0
    page.emulate_media(media="print")
    expect(wide).to_have_css("min-height", "0px")
    expect(answer.locator(".references")).to_be_visible()
    expect(answer.locator(".references")).to_contain_text("invented.pdf (not found among the sources)")
    expect(answer.get_by_role("note")).to_be_visible()
    for control in (".header", ".composer", ".side-panel", ".tools", ".copy-table", ".copy-code"):
        expect(page.locator(control).first).to_be_hidden()
    citation = answer.locator(".citation").first.evaluate(
        "e => getComputedStyle(e, '::before').content + e.textContent + getComputedStyle(e, '::after').content"
    )
    assert citation.replace('"', "") == "[1]"
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    leaves = page.locator(".answer :is(p, td, code), .ai-notice").all()
    ink = {leaf.evaluate("leaf => getComputedStyle(leaf).color") for leaf in leaves}
    assert (paper, ink) == ("rgb(255, 255, 255)", {"rgb(0, 0, 0)"})
    # Columns and lines of code are not cut off.
    page.set_viewport_size({"width": 660, "height": 900})
    for part in (wide.locator(".table-scroll").first, wide.locator("pre")):
        assert part.evaluate("part => part.scrollWidth <= part.clientWidth")


PAINT = DataPoint(
    "Paint.pdf#page=2",
    "Paint.pdf",
    "Buoys are red and float. " + "Nothing of that. " * 400 + "Ropes are long and thin.",
)
ROPE = DataPoint("Rope.md", "Rope.md", "<table><tr><td>Ropes cost ten euro a metre.</td></tr></table>")
TABLE = "| " + " | ".join(f"Column{n}" for n in range(14)) + " |\n" + "|---" * 14 + "|\n" + "| a word " * 14 + "|\n"
TEXT = (
    "Buoys are red and float [Paint.pdf#page=2]. Ropes are long and thin [Paint.pdf#page=2]. "
    f"Ropes cost ten euro a metre [Rope.md]. Anchors hold [Gone.pdf].\n\n{TABLE}"
)
EXPORTED = Answer(text=TEXT, data_points=(PAINT, ROPE), thoughts=(Thought("Searched", "buoys"),))
Opened = Callable[..., Page]
KEY = "sk-proj-q7Zt2LmX9vKc4RbN8sWd1YhF6pGj3TaE"


@pytest.fixture
def opened(open_file: OpenFile, tmp_path: Path) -> Opened:
    """Opens an exported conversation."""

    def open_conversation(*answers: Answer, **options: Any) -> Page:
        turns = [ExportedTurn(f"Question {n}?", answer, "Contoso") for n, answer in enumerate(answers, 1)]
        file = tmp_path / "file.html"
        file.write_text(exported_page("Buoys", turns, with_thoughts=True), encoding="utf-8")
        return open_file(file, **options)

    return open_conversation


def citation(page: Page, use: int) -> Locator:
    return page.locator(f"a.citation[data-use='{use}']").first


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Sources")


def test_each_citation_opens_its_passage_with_its_sentence_marked(opened: Opened):
    page = opened(EXPORTED, EXPORTED)
    shown = panel(page).locator("mark.is-cited")
    expect(panel(page)).to_be_hidden()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        citation(page, 0).focus()
        page.keyboard.press("Enter")
        expect(shown).to_have_text(["Buoys are red and float."])
        expect(panel(page).locator("li[data-active]")).to_be_focused()
        expect(shown).to_be_in_viewport()
        expect(citation(page, 0)).to_have_attribute("aria-current", "true")
        assert page.evaluate("[...CSS.highlights.get('claim')].map(String)") == ["Buoys are red and float"]
        box, aside = page.locator(".answer").first.bounding_box(), panel(page).bounding_box()
        assert box["x"] + box["width"] <= aside["x"] if width > 960 else aside["y"] >= 200
        page.keyboard.press("Escape")
        expect(panel(page)).to_be_hidden()
        expect(citation(page, 0)).to_be_focused()
        citation(page, 1).click()
        expect(shown).to_have_text(["Ropes are long and thin."])
        expect(shown).to_be_in_viewport()
        expect(citation(page, 1)).to_be_in_viewport()
        citation(page, 2).click()
        expect(shown).to_have_text(["Ropes cost ten euro a metre."])
        panel(page).get_by_role("button", name="Close").click()
        expect(citation(page, 2)).to_be_focused()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.locator("a.citation-missing").last.click()
    expect(panel(page).locator("li[data-active]")).to_contain_text("not among the retrieved sources")
    assert page.evaluate("document.querySelectorAll('.answer-sources').length") == 2
    card = page.locator(".answer").last.get_by_role("button", name="Source 1: Paint")
    card.click()
    expect(panel(page).locator("li[data-active]")).to_contain_text("Paint")
    page.keyboard.press("Escape")
    expect(card).to_be_focused()


def test_citations_are_links_without_scripts_and_references_on_paper(opened: Opened):
    page = opened(EXPORTED, java_script_enabled=False)
    expect(page.get_by_role("button")).to_have_count(0)
    citation(page, 1).click()
    expect(page.locator(":target")).to_contain_text("Ropes are long and thin.")
    expect(page.locator(":target")).to_be_in_viewport()
    expect(page.locator("mark")).to_have_count(3)
    page.get_by_role("link", name="Back to citation 1 in the text, place 2 of 2").click()
    expect(page.locator(":target")).to_have_attribute("data-use", "1")

    page = opened(EXPORTED, color_scheme="dark")
    citation(page, 0).click()
    leaves = [leaf.extract_text() for leaf in PdfReader(BytesIO(page.pdf())).pages]
    words = "".join("".join(leaves).split())
    for wanted in ("[1]", "[3?]", "1.Paint,p.2", "Gone.pdf(notfoundamongthesources)", "Column13", "Contoso"):
        assert wanted in words
    assert "Nothingofthat" not in words
    page.emulate_media(media="print")
    expect(panel(page)).to_be_hidden()
    table = page.locator(".table-scroll").first
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.thorough
def test_axe_finds_no_violation_with_the_panel_open_and_closed(opened: Opened):
    page = opened(EXPORTED)
    page.locator(".answer-thoughts summary").first.click()
    for width, scheme in product((1280, 390), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        expect_no_violations(page, f"{scheme} at {width}")
        citation(page, 1).click()
        expect(panel(page)).to_be_visible()
        expect_no_violations(page, f"{scheme} at {width} with sources")
        page.keyboard.press("Escape")


@pytest.mark.thorough
def test_only_the_script_of_the_file_runs_whatever_is_put_into_it(opened: Opened, browser: Browser, tmp_path: Path):
    points = tuple(DataPoint(f"a{n}.md", text[:80], text) for n, text in enumerate(HOSTILE[:150]))
    text = "\n\n".join(f"{text} [a{n}.md]" for n, text in enumerate(HOSTILE[:150]))
    page = opened(Answer(text=text, data_points=points, thoughts=(Thought("x", "\n".join(HOSTILE[:50])),)))
    citation(page, 0).click()
    page.locator("body").click(position={"x": 5, "y": 5})
    assert page.evaluate("window.hasRun") is None

    page = browser.new_page()
    page.add_init_script(RUN)
    page.goto((tmp_path / "file.html").as_uri())
    refused = page.evaluate(
        """async () => {
            const refusals = [];
            addEventListener("securitypolicyviolation", (one) => refusals.push(one.effectiveDirective));
            const add = (name, parts) => document.body.append(Object.assign(document.createElement(name), parts));
            add("script", { textContent: "alert(1)" });
            add("style", { textContent: "body { display: none }" });
            add("img", { src: "https://a.example/x.png" });
            add("p", { innerHTML: "<img src=data:, onerror='alert(1)'>" });
            await fetch("https://a.example/").catch(() => {});
            while (refusals.length < 5) await new Promise(requestAnimationFrame);
            return refusals.sort();
        }"""
    )
    assert refused == ["connect-src", "img-src", "script-src-attr", "script-src-elem", "style-src-elem"]
    assert page.evaluate("window.hasRun") is None
    page.close()


def test_an_exports_contents_are_listed_and_chosen_first(page: Page, stand_in: StandIn, tmp_path: Path):
    sources = {"data_points": {"text": ["Rope.txt: Ropes are long."]}, "thoughts": [{"title": "Searched the shelf"}]}
    backend = stand_in.streaming(delta(f"Ropes are long [Rope.txt]. Use {KEY}.", **sources))
    use(page, backend)
    page.set_viewport_size({"width": 390, "height": 800})
    get_answer(page, "What about ropes?")
    choose(options_of(opened_list(page), "What about ropes?"), "Export…")
    dialog = page.get_by_role("dialog", name="Export")
    expect(dialog.get_by_text("1 text looks like a secret and would be included:")).to_be_visible()
    expect(dialog.get_by_role("listitem").filter(has_text="API key")).to_contain_text("Answer 1")
    expect(dialog).not_to_contain_text(KEY[10:])
    expect(dialog.get_by_role("listitem").filter(has_text="Sources").locator(".export-size")).to_have_text("1")
    expect(dialog.get_by_role("listitem").filter(has_text="Cited documents").locator(".export-size")).to_have_text("1")
    dialog.get_by_role("checkbox", name="Thoughts").check()
    dialog.get_by_role("checkbox", name="Name of the backend").uncheck()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Export").click()
    expect(dialog).to_have_count(0)
    download.value.save_as(tmp_path / "taken.html")
    taken = (tmp_path / "taken.html").read_text("utf-8")
    assert "Searched the shelf" in taken
    assert "Answered by" not in taken
