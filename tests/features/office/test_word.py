import pytest

from chat_ui.features.office import text_blocks
from chat_ui.features.office.text_blocks import Block
from chat_ui.features.office.word import read_word
from tests.features.office.packages import NAMESPACE, docx, paragraph, parts, relations, table, zipped


def texts(body: str, **more: str) -> list[str]:
    return [block.text for block in read_word(docx(body, **more))]


def run(content: str) -> str:
    return f"<w:r>{content}</w:r>"


def test_text_is_read_as_it_is_shown():
    cases = {
        "<w:p><w:r><w:t>One </w:t></w:r><w:r><w:t>two</w:t></w:r></w:p>": ["One two"],
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>": [
            "a b c-d"
        ],
        f"<w:p>{run('<w:delText>old</w:delText>')}<w:ins>{run('<w:t>new</w:t>')}</w:ins></w:p>": ["new"],
        f"<w:p><w:del>{run('<w:t>old</w:t>')}</w:del><w:moveFrom>{run('<w:t>there</w:t>')}</w:moveFrom></w:p>": [],
        f"<w:p>{run('<w:instrText>DDEAUTO cmd</w:instrText>')}{run('<w:t>shown</w:t>')}</w:p>": ["shown"],
        "<w:p/><w:p><w:r><w:t> </w:t></w:r></w:p>": [],
        f"<w:p><x:Choice xmlns:x='x'><w:txbxContent>{paragraph('box')}</w:txbxContent></x:Choice>"
        f"<x:Fallback xmlns:x='x'><w:txbxContent>{paragraph('box')}</w:txbxContent></x:Fallback>"
        f"{run('<w:t>around</w:t>')}</w:p>": ["box", "around"],
        f"<w:p><w:docPr descr=' A  map '/>{run('<w:t>Below it</w:t>')}</w:p>": ["Below it", "A map"],
        f"<w:p><w:docPr descr='C:\\Temp\\map[1].WMF'/>{run('<w:t>Below it</w:t>')}</w:p>": ["Below it"],
    }
    assert {body: texts(body) for body in cases} == cases


def test_headings_and_items_are_told_by_their_style_or_properties():
    styles = f"""<w:styles xmlns:w="{NAMESPACE}">
      <w:style w:styleId="A"><w:name w:val="heading 2"/></w:style>
      <w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>
      <w:style w:styleId="C"><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
      <w:style w:styleId="D"><w:basedOn w:val="E"/></w:style><w:style w:styleId="E"><w:basedOn w:val="D"/></w:style>
    </w:styles>"""
    properties = {
        '<w:pStyle w:val="A"/>': Block("t", "heading", 2), '<w:pStyle w:val="B"/>': Block("t", "heading", 2),
        '<w:pStyle w:val="C"/>': Block("t", "heading", 3), '<w:pStyle w:val="D"/>': Block("t"),
        '<w:outlineLvl w:val="0"/>': Block("t", "heading", 1), '<w:outlineLvl w:val="9"/>': Block("t"),
        '<w:numPr><w:ilvl w:val="1"/></w:numPr>': Block("t", "item", 1),
        '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>': Block("t"),
        '<w:pPrChange><w:pStyle w:val="A"/></w:pPrChange>': Block("t"),
    }  # fmt: skip
    read = {one: [*read_word(docx(paragraph("t", one), styles=styles))] for one in properties}
    assert read == {one: [block] for one, block in properties.items()}


def level(number: int, form: str, pattern: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
    )


def item(text: str, list_id: int, depth: int = 0) -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{list_id}"/></w:numPr>')


NUMBERING = f"""<w:numbering xmlns:w="{NAMESPACE}">
  <w:abstractNum w:abstractNumId="5">
    {level(0, "decimal", "%1.")}{level(1, "lowerLetter", "(%2)")}{level(2, "upperRoman", "%1.%2.%3")}
  </w:abstractNum>
  <w:abstractNum w:abstractNumId="6">{level(0, "bullet", "-")}{level(1, "decimal", "%2)")}</w:abstractNum>
  <w:abstractNum w:abstractNumId="7">
    {level(0, "decimalZero", "%1")}{level(1, "chicago", "%2")}
    {level(2, "upperLetter", "%3", '<w:lvlRestart w:val="0"/>')}
  </w:abstractNum>
  <w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num>
  <w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num>
  <w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>
  <w:num w:numId="4"><w:abstractNumId w:val="5"/>
    <w:lvlOverride w:ilvl="0"><w:startOverride w:val="27"/>{level(0, "lowerLetter", "%1.")}</w:lvlOverride></w:num>
  <w:num w:numId="8"><w:abstractNumId w:val="5"/>
    <w:lvlOverride w:ilvl="0"><w:startOverride w:val="99999999999"/></w:lvlOverride></w:num>
</w:numbering>"""


def test_items_and_headings_have_the_numbers_of_their_lists():
    listed = [
        (1, 0, "1."), (1, 1, "(a)"), (1, 1, "(b)"), (1, 2, "1.b.I"), (1, 2, "1.b.II"), (1, 0, "2."), (1, 1, "(a)"),
        (2, 0, ""), (2, 1, "1)"), (3, 0, "01"), (3, 1, ""), (3, 2, "A"), (3, 0, "02"), (3, 2, "B"),
        (4, 0, "aa."), (4, 0, "bb."), (1, 0, "29."), (9, 0, ""), (8, 0, "9999."), (1, 7, ""),
    ]  # fmt: skip
    body = "".join(item("t", list_id, depth) for list_id, depth, _ in listed)
    assert [block.number for block in read_word(docx(body, numbering=NUMBERING))] == [one for *_, one in listed]


def test_a_style_numbers_its_paragraphs_unless_they_are_of_no_list():
    styles = f"""<w:styles xmlns:w="{NAMESPACE}">
      <w:style w:styleId="A"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
      <w:style w:styleId="B"><w:basedOn w:val="A"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>
    </w:styles>"""
    properties = ("", '<w:numPr><w:numId w:val="0"/></w:numPr>', '<w:numPr><w:numId w:val="2"/></w:numPr>')
    body = "".join(paragraph("t", f'<w:pStyle w:val="{style}"/>{more}') for style in "AB" for more in properties)
    blocks = read_word(docx(table(("t",)) + body, numbering=NUMBERING, styles=styles))
    assert [(block.kind, block.number) for block in blocks[1:]] == [
        ("heading", "1."), ("heading", ""), ("heading", ""), ("heading", "(a)"), ("heading", ""), ("heading", "1)"),
    ]  # fmt: skip


def test_rows_have_cells_with_their_columns_and_the_number_of_their_table():
    nested = f"<w:tbl><w:tr><w:tc>{table(('a', 'b'))}{paragraph('c')}</w:tc></w:tr></w:tbl>"
    wide = f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph("d")}</w:tc></w:tr></w:tbl>'
    blocks = read_word(docx(table(("1", ""), ("2", "x y")) + nested + wide))
    assert [*blocks] == [
        Block("1", "row", 1, ("1", ""), (1, 1)),
        Block("2 x y", "row", 1, ("2", "x y"), (1, 1)),
        Block("a b c", "row", 2, ("a b c",), (1,)),
        Block("d", "row", 3, ("d",), (2,)),
    ]


def test_a_merged_cell_is_in_each_of_its_rows():
    def cell(text: str, properties: str) -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    first = cell("Wide", '<w:gridSpan w:val="2"/>') + cell("North", '<w:vMerge w:val="restart"/>') + cell("1", "")
    second = cell("a", "") + cell("b", "") + cell("", "<w:vMerge/>") + cell("2", "")
    rows = "".join(f"<w:tr>{row}</w:tr>" for row in (first, second, cell("", "<w:vMerge/>") + cell("3", "")))
    read = [block.cells for block in read_word(docx(f"<w:tbl>{rows}</w:tbl>"))]
    assert read == [("Wide", "North", "1"), ("a", "b", "North", "2"), ("a", "3")]


def test_a_very_long_paragraph_has_several_blocks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_blocks, "LONGEST", 4)
    assert texts(paragraph("abcdefghij")) == ["abcd", "efgh", "ij"]


def test_notes_are_read_last_and_relations_out_of_the_package_are_not():
    notes = f'<w:footnotes xmlns:w="{NAMESPACE}">{paragraph("note")}</w:footnotes>'
    assert texts(paragraph("text"), footnotes=notes) == ["text", "note"]
    outside = relations(
        ("footnotes", "http://127.0.0.1:9/x", ' TargetMode="External"'),
        ("endnotes", "../../../etc/passwd", ""),
        ("footnotes", "document.xml", ""),
    )
    content = parts(paragraph("text"), **{"word/_rels/document.xml.rels": outside})
    assert [block.text for block in read_word(zipped(content))] == ["text"]
