"""What people take out of the page: an answer, a table, a printed conversation."""

from __future__ import annotations

from io import BytesIO

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pypdf import PdfReader

from tests.browser.talking import NewContext, answers, ask, expect_settled, open_page

ANSWER = (
    {
        "delta": {"content": ""},
        "context": {"data_points": {"text": ["Paint.pdf#page=2: Red.", "Rope.txt: Long."]}},
    },
    {
        "delta": {
            "content": "Buoys are **red** [Paint.pdf#page=2].\nSecond line [Rope.txt][invented.pdf].\n\n"
            "| what | how much [Rope.txt] |\n|---|---|\n| rope | 3 \\| 4 m |\n| paint | *2 l* |\n\n"
            "```python\nif red:\n    paint()\n```\n"
        }
    },
)


@pytest.fixture
def answered(context: BrowserContext, stand_in) -> Page:
    page = open_page(context, backend=stand_in.streaming(*ANSWER))
    ask(page, "What about buoys?")
    expect_settled(page)
    return page


def copied(page: Page, said: str, kind: str = "text/plain") -> str:
    expect(page.get_by_role("status").filter(has_text=said)).to_be_attached()
    return page.evaluate(
        "async kind => (await (await navigator.clipboard.read())[0].getType(kind)).text()",
        kind,
    )


def test_an_answer_is_copied_as_markdown_and_as_rich_text_with_references(answered: Page):
    answers(answered).get_by_role("button", name="Copy answer").click()
    markdown = copied(answered, "Copied.")
    assert "Buoys are **red** [1].\nSecond line [2][3]." in markdown
    assert markdown.endswith(
        "References:\n\n1. Paint.pdf#page=2\n2. Rope.txt\n3. invented.pdf (not found among the sources)\n"
    )
    rich = copied(answered, "Copied.", "text/html")
    assert '<strong>red</strong> <span class="cited"><sup>[1]</sup>.</span>' in rich
    assert "<li>Paint.pdf#page=2</li>" in rich
    assert "button" not in rich
    assert "Copy" not in rich


def test_an_answer_is_copied_without_citations(answered: Page):
    answers(answered).get_by_role("button", name="Copy without citations").click()
    text = copied(answered, "Copied.")
    assert text.startswith("Buoys are **red**.\nSecond line.\n\n| what | how much |")
    assert "Paint.pdf" not in text
    assert "    paint()" in text


def test_a_table_is_copied_for_a_spreadsheet(answered: Page):
    answers(answered).get_by_role("button", name="Copy table").click()
    assert copied(answered, "Table copied.") == "what\thow much\nrope\t3 | 4 m\npaint\t2 l"


def test_a_formula_in_a_table_is_copied_as_text(context: BrowserContext, stand_in):
    cells = ('=WEBSERVICE("http://x.test")', "@SUM(A1)", "+1+cmd", "-2+3", "-5", "+3,5 %", "-", "a=b")
    table = "| " + " | ".join(cells) + " |\n" + "|---" * len(cells) + "|\n"
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": table}}))
    ask(page, "What about buoys?")
    expect_settled(page).get_by_role("button", name="Copy table").click()
    assert copied(page, "Table copied.").split("\t") == [*(f"'{cell}" for cell in cells[:4]), *cells[4:]]


def test_a_printed_page_has_references_and_no_controls(answered: Page):
    answers(answered).get_by_role("button", name="Sources", exact=True).click()
    expect(answered.get_by_role("region", name="Sources")).to_be_visible()
    answered.emulate_media(media="print")
    expect(answers(answered).locator(".references")).to_be_visible()
    expect(answers(answered).locator(".references")).to_contain_text("invented.pdf (not found among the sources)")
    expect(answers(answered).get_by_role("note")).to_be_visible()
    for control in (".header", ".composer", ".sources-panel", ".tools", ".copy-table", ".copy-code"):
        expect(answered.locator(control).first).to_be_hidden()
    words = (
        answers(answered)
        .locator(".citation")
        .first.evaluate(
            "e => getComputedStyle(e, '::before').content + e.textContent + getComputedStyle(e, '::after').content"
        )
    )
    assert words.replace('"', "") == "[1]"


def test_a_printed_page_is_light_and_complete_when_the_page_is_dark(new_context: NewContext, stand_in):
    page = open_page(new_context(color_scheme="dark"), backend=stand_in.streaming(*ANSWER))
    ask(page, "What about buoys?")
    expect_settled(page)
    expect(answers(page).locator(".references")).to_be_attached()
    words = "".join(leaf.extract_text() for leaf in PdfReader(BytesIO(page.pdf())).pages)
    assert "What about buoys?" in words
    assert "Buoys are red" in words
    assert "[1]" in words
    assert "[3?]" in words
    assert "invented.pdf (not found among the sources)" in words
    for control in ("Regenerate", "Copy", "Thoughts", "Ask a question"):
        assert control not in words
    page.emulate_media(media="print")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    ink = {leaf.evaluate("leaf => getComputedStyle(leaf).color") for leaf in answers(page).locator("p, td, code").all()}
    assert (paper, ink) == ("rgb(255, 255, 255)", {"rgb(0, 0, 0)"})


def test_no_column_and_no_line_of_code_is_cut_off_on_paper(new_context: NewContext, stand_in):
    columns = "|".join(f" responsible department {number} " for number in range(9))
    text = f"|{columns}|\n{'|---' * 9}|\n|{columns}|\n\n```\n{'paint() ' * 60}\n```\n"
    page = open_page(new_context(), backend=stand_in.streaming({"delta": {"content": text}}))
    ask(page, "What about buoys?")
    answer = expect_settled(page)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 660, "height": 900})
    for wide in (answer.locator(".table-scroll"), answer.locator("pre")):
        assert wide.evaluate("wide => wide.scrollWidth <= wide.clientWidth")
