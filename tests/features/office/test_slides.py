from html import escape

import pytest

from chat_ui.features.office import slides
from chat_ui.features.office.shown import shown_blocks
from chat_ui.features.office.slides import read_slides
from chat_ui.features.office.text_blocks import Block
from chat_ui.protocol.answers.place import NOWHERE, Place
from chat_ui.rendering.panels.read_document import ReadDocument, Wanted
from tests.features.office.packages import relations, zipped
from tests.features.office.test_shown import GREEN, RED, marks
from tests.rendering.harmless import judged


def text(words: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{escape(words)}</a:t></a:r></a:p>"


def shape(content: str, holder: str = "", description: str = "") -> str:
    """A shape with paragraphs; `holder` is the element of its placeholder."""
    return f'<p:sp><p:cNvPr descr="{description}"/><p:nvPr>{holder}</p:nvPr>{content}</p:sp>'


def title(words: str) -> str:
    return shape(text(words), '<p:ph type="title"/>')


def part(content: str, name: str = "sld") -> str:
    return f'<p:{name} xmlns:p="p" xmlns:a="a" xmlns:r="r">{content}</p:{name}>'


def pptx(*content: str, order: tuple[int, ...] = (), **related: str) -> bytes:
    """A presentation. The first slide has `related` parts by the kinds of their relations."""
    ids = "".join(f'<p:sldId id="{number}" r:id="r{number}"/>' for number in order or range(len(content)))
    in_section = '<p:section><p:sldId id="0"/></p:section>'
    return zipped({
        "_rels/.rels": relations(("officeDocument", "ppt/main.xml", "")),
        "ppt/main.xml": part(f"<p:sldIdLst>{ids}</p:sldIdLst>{in_section}"),
        "ppt/_rels/main.xml.rels": relations(*(("slide", f"s{number}.xml", "") for number in range(len(content)))),
        **{f"ppt/s{number}.xml": part(one) for number, one in enumerate(content)},
        "ppt/_rels/s0.xml.rels": relations(*((kind, f"{kind}.xml", "") for kind in related)),
        **{f"ppt/{kind}.xml": xml for kind, xml in related.items()},
    })  # fmt: skip


def odp(*pages: str) -> bytes:
    return zipped({"content.xml": f"<document>{''.join(f'<page>{page}</page>' for page in pages)}</document>"})


def found(data: bytes, passage: str = RED, place: Place = NOWHERE, block: int | None = None) -> ReadDocument:
    return shown_blocks(read_slides, data, False, Wanted(passage, place=place, block=block))


def test_slides_are_in_the_order_of_the_presentation_with_their_titles_first():
    data = pptx(shape(text("a")) + title("First"), title("Hidden"), shape(text("b")), order=(2, 0, 1))
    assert [(block.slide, block.kind, block.text) for block in read_slides(data)] == [
        (1, "heading", ""), (1, "paragraph", "b"), (2, "heading", "First"), (2, "paragraph", "a"),
        (3, "heading", "Hidden"),
    ]  # fmt: skip


def test_shapes_tables_diagrams_and_notes_of_powerpoint_are_read():
    cells = "".join(f"<a:tc>{text(cell)}</a:tc>" for cell in ("North", "", "12 m"))
    number, fallback = shape(text("1"), '<p:ph type="sldNum"/>'), shape(text("old"), "<p:ph/>", "old")
    body = text("one") + text("below it", '<a:pPr lvl="1"/>') + text("plain", "<a:buNone/>")
    slide = (
        title("A title") + shape(body, "<p:ph/>") + shape("", "", "A map")
        + f"<p:grpSp>{shape(text('in a group', '<a:buChar/>'))}</p:grpSp><a:tbl><a:tr>{cells}</a:tr></a:tbl>{number}"
        + f"<p:Fallback>{fallback}</p:Fallback>"
    )  # fmt: skip
    notes = part(shape(text("Say it."), '<p:ph type="body"/>') + shape(text("12")), "notes")
    diagram, chart = part(f" {text('in a diagram')} ", "t"), part(text("of a chart"))
    read = read_slides(pptx(slide, notesSlide=notes, diagramData=diagram, chart=chart, slide=part(title("Another"))))
    assert [block._replace(slide=0) for block in read] == [
        Block("A title", "heading", 1), Block("one", "item"), Block("below it", "item", 1), Block("plain"),
        Block("A map", "picture"), Block("in a group", "item"),
        Block("North 12 m", "row", 1, ("North", "", "12 m"), (1, 1, 1)), Block("of a chart"), Block("in a diagram"),
        Block("", "notes"),
        Block("Say it."),
    ]  # fmt: skip


def test_pages_of_opendocument_are_slides():
    page = (
        '<frame class="title"><p>Colours<s/>here</p></frame><list><p>one</p><list><p>two</p></list></list>'
        "<frame><table><table-row><table-cell><p>North</p></table-cell><covered-table-cell/></table-row></table>"
        '<desc>A map</desc></frame><notes><frame class="notes"><p>Say it.</p></frame>'
        '<frame class="page-number"><p>1</p></frame></notes>'
    )
    blocks = [
        Block("Colours here", "heading", 1), Block("one", "item"), Block("two", "item", 1),
        Block("North", "row", 1, ("North", ""), (1, 1)), Block("A map", "picture"), Block("", "notes"),
        Block("Say it."),
    ]  # fmt: skip
    first = [block._replace(slide=1) for block in blocks]
    assert read_slides(odp(page, "<notes/>")) == [*first, Block("", "heading", 1, slide=2)]


def test_each_slide_is_a_card_that_is_listed_with_its_number():
    notes = part(shape(text("Say it."), '<p:ph type="body"/>'), "notes")
    shown = found(pptx(title("Buoys & <lamps>") + shape(text(RED)), "", notesSlide=notes))
    assert shown.html == (
        '<div class="answer-text" dir="auto"><section class="slide">'
        '<h3 data-block="0" dir="auto">Slide 1: Buoys &amp; &lt;lamps&gt;</h3>'
        f'<p dir="auto"><mark class="passage-part">{RED}</mark></p><p class="notes">Notes</p><p dir="auto">Say it.</p>'
        '</section><section class="slide"><h3 data-block="4" dir="auto">Slide 2</h3></section></div>'
    )
    assert shown.outline == [(0, 1, "Slide 1: Buoys & <lamps>"), (4, 1, "Slide 2")]


@pytest.mark.parametrize("place", [Place(slide=2), Place(page=2), Place(page=1, slide=2)])
def test_only_a_named_slide_is_searched_and_it_is_shown_without_the_passage(place: Place):
    data = pptx(*(title(name) + shape(text(RED)) for name in ("First", "Second")), shape(text(GREEN)))
    read, lost = found(data, RED, place), found(data, GREEN, place)
    assert (marks(read.html), read.html.index("<mark") > read.html.index("Second"), read.at) == ([RED], True, 3)
    assert (marks(lost.html), lost.at) == ([], 2)
    assert marks(found(data, GREEN, Place(slide=9)).html) == [GREEN], "without that slide all of them are searched"
    assert found(data, RED, place, block=4).at == 4


def test_a_damaged_presentation_is_refused_and_markup_is_text(monkeypatch: pytest.MonkeyPatch):
    level = pptx(shape(text("x", '<a:pPr lvl="x"/>'), "<p:ph/>"))
    assert all(found(data).problem for data in (pptx("", order=(0, 7)), pptx("</p:x>"), level, odp("<table-cell/>")))
    monkeypatch.setattr(slides, "LONGEST", 40)
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">'
    read = found(pptx(title(evil) + shape(text(evil), "", escape(evil))))
    assert (judged(read.html).faults, "&lt;script" in read.html) == ([], True)
    assert len(read.outline[0][2]) == len("Slide 1: ") + 40
