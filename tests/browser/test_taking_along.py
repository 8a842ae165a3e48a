"""What people take out of the page: an answer, a table, a printed conversation."""

from __future__ import annotations

from io import BytesIO

from playwright.sync_api import Page, expect
from pypdf import PdfReader

from tests.browser.opening import use
from tests.browser.stand_in import StandIn, delta
from tests.browser.talking import answers, ask, copied, expect_settled

ANSWER = (
    delta("", "Paint.pdf#page=2: Red.", "Rope.txt: Long."),
    delta(
        "Buoys are **red** [Paint.pdf#page=2].\nSecond line [Rope.txt][invented.pdf].\n\n"
        "| what | how much [Rope.txt] |\n|---|---|\n| rope | 3 \\| 4 m |\n| paint | *2 l* |\n\n"
        "```python\nif red:\n    paint()\n```\n"
    ),
)
COLUMNS = "|".join(f" responsible department {number} " for number in range(9))
WIDE = f"|{COLUMNS}|\n{'|---' * 9}|\n|{COLUMNS}|\n\n```\n{'paint() ' * 60}\n```\n"


def test_an_answer_is_copied_with_and_without_references_and_a_table_for_a_spreadsheet(page: Page, stand_in: StandIn):
    cells = ('=WEBSERVICE("http://x.test")', "@SUM(A1)", "+1+cmd", "-2+3", "-5", "+3,5 %", "-", "a=b")
    formulas = "| " + " | ".join(cells) + " |\n" + "|---" * len(cells) + "|\n"
    use(page, stand_in.one_after_the_other(ANSWER, [delta(formulas)]))
    ask(page, "What about buoys?")
    answer = expect_settled(page)
    markdown = copied(page, answer.get_by_role("button", name="Copy answer"))
    assert "Buoys are **red** [1].\nSecond line [2][3]." in markdown
    assert markdown.endswith(
        "References:\n\n1. Paint.pdf#page=2\n2. Rope.txt\n3. invented.pdf (not found among the sources)\n"
    )
    rich = page.evaluate("async () => (await (await navigator.clipboard.read())[0].getType('text/html')).text()")
    assert '<strong>red</strong> <span class="cited"><sup>[1]</sup>.</span>' in rich
    assert "<li>Paint.pdf#page=2</li>" in rich
    assert "button" not in rich
    assert "Copy" not in rich
    table = copied(page, answer.get_by_role("button", name="Copy table"), "Table copied.")
    assert table == "what\thow much\nrope\t3 | 4 m\npaint\t2 l"
    answer.get_by_role("button", name="Other ways to copy").click()
    text = copied(page, page.get_by_role("menuitem", name="Without citations"))
    assert text.startswith("Buoys are **red**.\nSecond line.\n\n| what | how much |")
    assert "Paint.pdf" not in text
    assert "    paint()" in text
    ask(page, "And formulas?")
    table = copied(page, expect_settled(page, turns=2).get_by_role("button", name="Copy table"), "Table copied.")
    assert table.split("\t") == [*(f"'{cell}" for cell in cells[:4]), *cells[4:]]


def test_a_printed_page_is_light_and_complete_when_the_page_is_dark_and_has_references_and_no_controls(
    page: Page, stand_in: StandIn
):
    page.emulate_media(color_scheme="dark")
    use(page, stand_in.one_after_the_other(ANSWER, [delta(WIDE)]))
    ask(page, "What about buoys?")
    expect_settled(page)
    ask(page, "And what is wide?")
    wide = expect_settled(page, turns=2)
    answer = answers(page).first
    answer.get_by_role("button", name="Sources", exact=True).click()
    expect(page.get_by_role("region", name="Sources")).to_be_visible()
    expect(answer.locator(".references")).to_be_attached()
    words = "".join(leaf.extract_text() for leaf in PdfReader(BytesIO(page.pdf())).pages)
    assert "What about buoys?" in words
    assert "Buoys are red" in words
    assert "[1]" in words
    assert "[3?]" in words
    assert "invented.pdf (not found among the sources)" in words
    for control in ("Regenerate", "Copy", "Thoughts", "Ask a question"):
        assert control not in words
    page.emulate_media(media="print")
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
    ink = {leaf.evaluate("leaf => getComputedStyle(leaf).color") for leaf in answer.locator("p, td, code").all()}
    assert (paper, ink) == ("rgb(255, 255, 255)", {"rgb(0, 0, 0)"})
    # No column and no line of code is cut off.
    page.set_viewport_size({"width": 660, "height": 900})
    for part in (wide.locator(".table-scroll"), wide.locator("pre")):
        assert part.evaluate("part => part.scrollWidth <= part.clientWidth")
