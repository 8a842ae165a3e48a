"""Text, rings and edges are whole at every width, in each direction and in forced colours."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.rendering.exported_page.page_document import ExportedTurn, exported_page
from tests.browser.answering import get_answer
from tests.browser.asking import message, new_chat, questions
from tests.browser.clocks import standing_clock
from tests.browser.opening import OpenFile, open_page, use
from tests.browser.places import box, leave, open_preferences, open_settings, opened_list, opened_tab, report
from tests.browser.stand_in import StandIn, delta

COLUMNS = str.split(
    "value quantity description identifier responsible department warehouse temperature maintenance scheduled "
    "completed remarks"
)
WIDE = "\n".join(
    [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}", f"| {' | '.join(f'{name} 1' for name in COLUMNS)} |"]
)
LISTS = (
    "98. a\n99. b\n100. c\n\nSome years:\n\n2024. a\n2025. b\n\n---\n\n"
    + "".join(f"1. item {number}\n" for number in range(120))
    + "\n---\n\n1. outer\n   - inner\n\n     100000. deep\n\n---\n\n"
    + '<ol start="1002" reversed><li>x</li><li>y</li></ol>\n\n'
    + f"<ol reversed>{'<li>z</li>' * 101}</ol>\n\n"
    + "1998. واحد\n1999. اثنان\n\n"
    + "123456789. a\n\n---\n\n"
    + "".join(f"9. item {number}\n" for number in range(93))
    + f"\n<ol start='9' reversed>{'<li>z</li>' * 40}</ol>\n"
)
WITHOUT_ROOM = """() => [...document.querySelectorAll("ol > li")].flatMap((item) => {
    const list = item.parentElement;
    if (list.matches(".thoughts") || !item.checkVisibility()) return [];
    const items = [...list.children];
    const first = list.hasAttribute("start") ? list.start : list.reversed ? items.length : 1;
    const number = first + (list.reversed ? -1 : 1) * items.indexOf(item);
    const pen = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(item);
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    const room = parseFloat(getComputedStyle(list).paddingInlineStart);
    return room < pen.measureText(`${number}. `).width ? [[number, room]] : [];
})"""
BROKEN_WORDS = """tables => tables.flatMap((table) => [...table.querySelectorAll("th, td")]).flatMap((cell) => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const broken = [];
    while (texts.nextNode())
        for (const word of texts.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
            const range = document.createRange();
            range.setStart(texts.currentNode, word.index);
            range.setEnd(texts.currentNode, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word[0]);
        }
    return broken;
})"""
SCROLLS = "region => region.scrollWidth > region.clientWidth"
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"
EDGES = "e => { const { left, right } = e.getBoundingClientRect(); return [Math.round(left), Math.round(right)]; }"
CUT_RINGS = """controls => {
    const cutBy = (element) => {
        const style = getComputedStyle(element);
        const reach = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
        const { left, right, top, bottom } = element.getBoundingClientRect();
        for (let box = element.parentElement; box; box = box.parentElement) {
            const { overflowX, overflowY, contentVisibility, overflowClipMargin } = getComputedStyle(box);
            const margin = contentVisibility === "auto" ? parseFloat(overflowClipMargin) : 0;
            if (overflowX === "visible" && overflowY === "visible" && contentVisibility === "visible") continue;
            const edge = box.getBoundingClientRect();
            if (left - reach < edge.left - margin || right + reach > edge.right + margin
                || top - reach < edge.top - margin || bottom + reach > edge.bottom + margin) return box.className;
        }
        const head = element.closest("nav, section, aside, [role=dialog]")?.querySelector(".panel-head");
        return head && !head.contains(element) && top - reach < head.getBoundingClientRect().bottom ? "head" : "";
    };
    return controls.flatMap((control) => {
        control.focus();
        const isSeen = control.checkVisibility({ visibilityProperty: true }) && control.offsetWidth > 0;
        return isSeen && !["", "table-scroll"].includes(cutBy(control)) ? [control.outerHTML] : [];
    });
}"""

PAINT = DataPoint("Paint.pdf", "Paint.pdf", "Red.")
QUESTION = "What about buoys?"


def set_width(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})


def test_numbers_of_lists_are_not_cut_on_the_page_or_in_a_file(
    page: Page, stand_in: StandIn, open_file: OpenFile, tmp_path: Path
):
    source = "Years.html: <ol start='1998'><li>one</li><li>two</li></ol>"
    use(page, stand_in.streaming(delta(LISTS, source)))
    answer = get_answer(page, QUESTION)
    expect(answer.locator("ol")).not_to_have_count(0)
    answer.get_by_role("button", name="Sources").click()
    passage = page.get_by_role("region", name="Sources").locator("ol")
    expect(passage).to_be_visible()
    assert passage.evaluate("list => getComputedStyle(list).listStyleType") == "decimal"
    assert answer.get_by_text("واحد").evaluate("item => getComputedStyle(item).direction") == "rtl"
    for width in (1440, 390):
        set_width(page, width)
        assert page.evaluate(WITHOUT_ROOM) == []
    in_file = Answer(f"Red [Paint.pdf]. Long.\n\n{LISTS}\n\n{WIDE}", data_points=(PAINT,))
    (tmp_path / "file.html").write_text(exported_page("Lists", [ExportedTurn("Lists?", in_file)]), encoding="utf-8")
    file = open_file(tmp_path / "file.html", viewport={"width": 390, "height": 800})
    assert file.evaluate(WITHOUT_ROOM) == []
    assert file.locator("table").evaluate_all(BROKEN_WORDS) == []
    assert file.get_by_role("group", name="Table").evaluate(SCROLLS)
    assert file.evaluate(SIDEWAYS) <= 0


def test_tables_words_focus_rings_and_edges_are_whole_at_every_width(page: Page, stand_in: StandIn):
    words = "Buoys are red and float. " * 40
    tables = f"{WIDE}\n\n| 列一 | 列二 |\n|---|---|\n| {'字' * 40} | {'x' * 400} |\n"
    text = f"{words}\n\n[Paint.pdf] Red [a link](https://example.com).\n\n{tables}"
    cells = "".join(f"<td>{name}</td>" for name in COLUMNS)
    plan = [dict.fromkeys(COLUMNS, "several words")]
    asked = {
        "data_points": {"text": [f"Table.html: <table><tr>{cells}</tr></table>"]},
        "thoughts": [{"title": "Query plan", "description": plan, "props": {"query_plan": plan}}],
    }
    said = [
        [delta(text, "Paint.pdf: Red.")],
        [delta("Red [Table.html].", **asked)],
    ]
    use(page, stand_in.one_after_the_other(*said))
    answer = get_answer(page, QUESTION)
    region = answer.get_by_role("group", name="Table: value, quantity")
    page.keyboard.press("Shift")
    for width in (320, 700, 980, 1200, 1440):
        set_width(page, width)
        assert set(answer.locator("table").evaluate_all(BROKEN_WORDS)) <= {"字" * 40, "x" * 400}
        widths = answer.locator("th, td").evaluate_all("cells => cells.map((cell) => cell.offsetWidth)")
        assert min(widths) >= 60
        assert region.evaluate(SCROLLS)
        assert page.evaluate(SIDEWAYS) <= 0
        composer = page.locator(".composer").evaluate(EDGES)
        assert answer.locator(".answer-text .block").first.evaluate(EDGES) == composer
        assert questions(page).last.evaluate(EDGES)[1] == composer[1]
        assert answer.locator("button, a, [tabindex]").evaluate_all(CUT_RINGS) == []
        assert page.evaluate(FOCUS_RING) == ""
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("region => region.scrollLeft > 0", arg=region.element_handle())
    search = opened_list(page).get_by_role("searchbox", name="Search conversations")
    expect(search).to_be_focused()
    for width in (1200, 390):
        set_width(page, width)
        assert search.evaluate_all(CUT_RINGS) == []
    page.get_by_role("button", name="Close conversations").click()
    get_answer(page, QUESTION, turns=2).get_by_role("button", name="Sources", exact=True).click()
    found = page.get_by_role("region", name="Sources", exact=True)
    expect(found.locator("table")).to_have_count(1)
    assert found.locator("table").evaluate_all(BROKEN_WORDS) == []
    assert found.locator(".table-scroll").first.evaluate(SCROLLS)
    page.get_by_role("tab", name="Thoughts").click()
    drawer = page.get_by_role("dialog", name="Thoughts")
    expect(drawer.locator(".table-scroll").first).to_be_attached()
    assert drawer.locator(".table-scroll table").evaluate_all(BROKEN_WORDS) == []
    assert drawer.evaluate("drawer => drawer.scrollWidth <= drawer.clientWidth")


PLACE = "dialog => [dialog.offsetTop, dialog.offsetHeight]"


def test_dialogs_are_as_high_as_their_content_below_the_same_edge(page: Page):
    dialog = open_preferences(page)
    edge, height = dialog.evaluate(PLACE)
    assert height < 700
    leave(dialog)
    settings = open_settings(page)
    top, highest = settings.evaluate(PLACE)
    opened_tab(settings, "Documents")
    assert settings.evaluate(PLACE)[0] == top == edge
    assert settings.evaluate(PLACE)[1] < highest
    asking = report(page)
    assert asking.evaluate(PLACE)[0] == edge
    assert asking.evaluate(PLACE)[1] < 300
    asking.get_by_role("button", name="Close").click()
    expect(asking).to_have_count(0)


LOOK = """element => {
    const look = getComputedStyle(element);
    const [outline, border] = [["outline", ""], ["border", "BlockStart"]].map(([name, side]) =>
        look[`${name}${side}Style`] === "none" ? "" : `${look[`${name}${side}Width`]} ${look[`${name}${side}Color`]}`);
    return [look.backgroundColor, look.color, border, outline].join("; ");
}"""
SWITCH_LOOK = """root => [getComputedStyle(root, "::before"), getComputedStyle(root.firstElementChild)].map(
    ({ backgroundColor, borderTopColor, borderTopStyle }) => [backgroundColor, borderTopStyle, borderTopColor])"""
FOCUS_RING = """() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    return document.activeElement !== document.body && (outlineStyle === "none" || parseFloat(outlineWidth) < 1)
        ? document.activeElement.outerHTML.slice(0, 200) : "";
}"""


@pytest.mark.wcag("1.4.1")
def test_states_are_told_apart_under_forced_colours(page: Page, stand_in: StandIn):
    use(page, stand_in.streaming(delta("Red [Paint.pdf]. Long [Rope.txt].", "Paint.pdf: Red.", "Rope.txt: Long.")))

    def looks(*elements: Locator, look: str = LOOK) -> Iterator[list[object]]:
        """Screenshots in both schemes, with the pointer away."""
        page.mouse.move(5, 400)
        for scheme in ("light", "dark"):
            page.emulate_media(forced_colors="active", color_scheme=scheme)
            expect(page.locator(f"html.{scheme}")).to_be_attached()
            yield [element.evaluate(look) for element in elements]

    get_answer(page, QUESTION)
    new_chat(page)
    citations = get_answer(page, "And ropes?").get_by_role("button", name=re.compile("Citation"))
    citations.first.click()
    sources = page.get_by_role("region", name="Sources")
    expect(sources.locator("[data-active]")).to_be_visible()
    assert all(active != other for active, other in looks(*citations.all()))
    assert all(active != other for active, other in looks(*sources.get_by_role("listitem").all()))
    assert questions(page).last.evaluate("e => getComputedStyle(e).borderTopStyle") == "solid"
    entries = opened_list(page).get_by_role("listitem")
    expect(entries).to_have_count(2)
    message(page).focus()
    assert all(opened != closed for opened, closed in looks(*entries.all()))
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS_RING) == ""
    dialog = open_settings(page)
    buttons = [dialog.get_by_role("button", name=name) for name in ("Save", "Test connection")]
    assert all(save != test for save, test in looks(*buttons))
    switch = dialog.get_by_role("switch").first
    on = [look for (look,) in looks(switch, look=SWITCH_LOOK)]
    switch.click()
    expect(switch).not_to_be_checked()
    off = [look for (look,) in looks(switch, look=SWITCH_LOOK)]
    for (track, edge, _), (thumb, _, _) in (*on, *off):
        assert edge == "solid"
        assert track != thumb
    assert all(one != other for one, other in zip(on, off, strict=True))


DENSE = " ".join(
    f"{'Buoys are painted red ' * (number % 3 + 1)}[{'Paint' if number % 2 else 'Rope'}.pdf]." for number in range(12)
)
ITEMS = "".join(f"- Buoys are red [{'Paint' if number % 2 else 'Rope'}.pdf].\n" for number in range(6))
STEPS = 6
CLAIM_LINES = """citation => {
  const block = citation.closest("p, li");
  const cited = [...block.querySelectorAll(".citation")];
  const range = new Range();
  range.setStart(block, 0);
  if (cited[0] !== citation) range.setStartAfter(cited[cited.indexOf(citation) - 1]);
  range.setEndBefore(citation);
  return [...range.getClientRects()].map((line) => line.toJSON());
}"""


@pytest.mark.wcag("1.4.13")
def test_a_citation_card_leaves_its_claim_and_the_next_citation_free(context: BrowserContext, stand_in: StandIn):
    sources = (f"Paint.pdf: {'Red paint. ' * 40}", f"Rope.pdf: {'Long ropes. ' * 40}")
    page = open_page(context, backend=stand_in.streaming(delta(f"{DENSE}\n\n{ITEMS}", *sources)))
    citations = get_answer(page, QUESTION).get_by_role("button", name=re.compile("Citation")).all()
    card = page.get_by_role("tooltip")

    for width in (700, 1440):
        set_width(page, width)
        top = box(page.get_by_role("log"))["y"]
        for citation, following in (*pairwise(citations[:5]), *pairwise(citations[-5:])):
            citation.hover()
            expect(citation).to_have_attribute("aria-describedby", "citation-card")
            here, place = box(following), box(card)
            assert place["y"] > top
            for kept in (here, *citation.evaluate(CLAIM_LINES)):
                assert not (
                    place["x"] < kept["x"] + kept["width"]
                    and kept["x"] < place["x"] + place["width"]
                    and place["y"] < kept["y"] + kept["height"]
                    and kept["y"] < place["y"] + place["height"]
                )
            page.mouse.move(here["x"] + here["width"] / 2, here["y"] + here["height"] / 2, steps=STEPS)
            expect(following).to_have_attribute("aria-describedby", "citation-card")
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()

    citation = citations[5]
    page.clock.install()
    # The whole answer is in view, so that only the card could scroll.
    page.set_viewport_size({"width": 1440, "height": 1000})
    citation.hover()
    expect(card).to_be_visible()
    words, place = card.text_content(), box(card)
    # The pointer may be slow on this machine.
    with standing_clock(page):
        page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2, steps=STEPS)
        page.mouse.wheel(0, 30)
        citation.focus()
        page.mouse.down()
        page.mouse.up()
        expect(citation).not_to_be_focused()
        # Longer than a card's delay before it closes.
        page.clock.run_for(800)
    expect(card).to_be_visible()
    assert card.text_content() == words
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
