"""Workbooks and tables at the cited cells or rows."""

import csv
import re
import zipfile
from typing import Any

import pytest

from chat_ui.features.office import sheets
from chat_ui.features.office.sheets import read_sheets
from chat_ui.protocol.answers.place import Place
from chat_ui.rendering.panels.read_document import ReadDocument, Wanted
from tests.features.office.packages import zipped
from tests.features.office.workbooks import BOOK, MAIN, sheet, xlsx
from tests.rendering.harmless import judged

BUOYS = [
    ["Buoy", "Depth", "Share", "Lifted", "Red"], ["North", 12.0, 0.39123, (45366,), True],
    ["South", 0.1 + 0.2, 0.25, (45366.5,), False], ["West", -7, 0.5, "", True],
]  # fmt: skip
BOOKS = {"Buoys": BUOYS, "_Secret": [["Key", "Harbour"], ["North", "Bergen"]], "Costs & <more>": [["North", 12.0]]}
WORKBOOK = xlsx(BOOKS)


def read(data: bytes = WORKBOOK, passage: str = "", claim: str = "", **wanted: Any) -> ReadDocument:
    return read_sheets(data, False, Wanted(passage, claim, **wanted))


def values(data: bytes | str, passage: str = "", **wanted: Any) -> ReadDocument:
    return read_sheets(data.encode() if isinstance(data, str) else data, False, Wanted(passage, **wanted))


def marks(shown: ReadDocument) -> list[str]:
    """The number of each row with marks, and its marked texts."""
    rows = shown.html.split('<tr><th scope="row">')[1:]
    found = (
        [row.split("<")[0], *re.findall(r'<mark class="passage-part">(.*?)</mark>', row, re.DOTALL)] for row in rows
    )
    return [" ".join(row) for row in found if len(row) > 1]


def test_a_sheet_is_a_table_with_the_values_as_people_read_them():
    shown = read(passage="Nothing of this.")
    assert shown.html.startswith(
        '<div class="answer-text" dir="auto"><section class="sheet"><h3 data-block="0" dir="auto">Buoys</h3>'
        '<div class="table-scroll" role="group" tabindex="0" aria-label="Table"><table>'
        '<thead><tr><td></td><th scope="col">A</th><th scope="col">B</th>'
    )
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in shown.html.split('<th scope="row">')[1:]]
    assert cells[1:] == [
        ["North", "12", "0.39123", "2024-03-15", "TRUE"],
        ["South", "0.3", "0.25", "2024-03-15 12:00:00", "FALSE"], ["West", "-7", "0.5", "", "TRUE"],
    ]  # fmt: skip
    assert shown.outline == [(0, 1, "Buoys"), (2, 1, "Costs & <more>")]
    assert (marks(shown), shown.kept) == ([], WORKBOOK)


def test_percentages_are_shown_as_such_and_found_by_value():
    formats = '<numFmts><numFmt numFmtId="170" formatCode="0.0%;-0.0%"/></numFmts><cellStyleXfs><xf numFmtId="9"/>'
    formats += '</cellStyleXfs><cellXfs><xf numFmtId="2"/><xf numFmtId="9"/><xf numFmtId="170"/></cellXfs>'
    cells = "".join(f'<c r="{"BCD"[at]}3" s="{at}"><v>0.39123</v></c>' for at in range(3))
    rows = f'<sheetData><row r="3"><c r="A3" t="str"><v>North</v></c>{cells}</row></sheetData>'
    styles = f'<styleSheet xmlns="{MAIN}">{formats}</styleSheet>'
    data = xlsx({"Rates": f'<worksheet xmlns="{MAIN}">{rows}</worksheet>'}, **{"xl/styles.xml": styles})
    for row in ("| North | 0.39123 | 0.39123 | 0.39123 |", "| North | 0.39 | 39% | 39.1% |"):
        assert marks(read(data, row)) == ["3 North 0.39123 39% 39.1%"]


def test_the_cited_cells_or_the_row_of_the_passage_are_marked():
    row = "| North | 12 | 39.1% | 2024-03-15 00:00:00 | True |"
    north = ["2 North 12 0.39123 2024-03-15 TRUE"]
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"place": Place(sheet="buoys", cells="B2:C3")}, ["2 12 0.39123", "3 0.3 0.25"]),
        ({"place": Place(sheet="Buoys", cells="B2:C3"), "passage": row}, ["2 12 0.39123"]),
        ({"place": Place(sheet="Buoys", row=4)}, ["4 West -7 0.5 TRUE"]),
        ({"place": Place(sheet="Secret", cells="B2")}, ["2 Bergen"]),
        ({"place": Place(sheet="Secret"), "passage": row}, []),
        ({"place": Place(sheet="Gone", cells="B2"), "passage": row}, north),
        ({"place": Place(sheet="Buoys", cells="ZZ900"), "passage": row}, north),
        ({"place": Place(cells="B2")}, []), ({"place": Place(page=3), "passage": row}, north),
        ({"passage": row}, north), ({"passage": row.replace("39.1", "39.2")}, []),
        ({"passage": "Key Harbour\nNorth Bergen"}, ["1 Key Harbour", "2 North Bergen"]),
        ({"passage": "| West | 8 | 0.6 |"}, []), ({"passage": row, "block": 2}, []),
        ({"passage": "<table><tr><td>West<td>-7<td>50%<td>True</table>"}, ["4 West -7 0.5 TRUE"]),
        ({"passage": "Buoy: North\nDepth: 12.0\nShare: 39.1%"}, north),
        ({"passage": "Buoy：North; Depth：12; Share：0.39123 ——Buoys"}, north),
        ({"passage": '[{"Buoy": "West", "Depth": "-7", "Share": "0.5"}]'}, ["4 West -7 0.5 TRUE"]),
        ({"passage": '"Buoy":"North";"Depth":"12";"Red":"True"'}, north), ({"passage": "Buoy: North\nDepth: 13"}, []),
        ({"passage": "West\t-7.0\t50%\tNaN\tTrue"}, ["4 West -7 0.5 TRUE"]),
    ]  # fmt: skip
    assert [(wanted, marks(read(**wanted))) for wanted, _ in cases] == cases
    signs = [[f"1,23{n}", form, float(f"123{n}")] for n in (4, 5) for form in ("?,?", "?,??", "?,???")]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in [["1,234", "?,???", "1234"], ["1,235", "?,?", "1235"]])
    assert marks(read(xlsx({"Signs": signs}), lines)) == ["3 1,234 ?,??? 1234", "4 1,235 ?,? 1235"]
    assert "Costs &amp; &lt;more&gt;</h3>" in read(block=2).html
    one = xlsx({"Far": sheet([["", ""], ["Deep", 9]], top=40)})
    assert marks(read(one, place=Place(cells="B41"))) == ["41 9"]


@pytest.mark.parametrize("rows", [900, 5000])
def test_a_window_of_a_long_sheet_is_sent(rows: int):
    lines = [["Id", "State", "Text"], *([f"T-{n}", "open", f"Lamp {n} of the pier is out."] for n in range(rows))]
    data = xlsx({"Log": lines, "Other": [["T-7", "open"]]})
    text = f"Lamp {rows - 100} of the pier is out."
    for wanted in (
        {"passage": f"| T-{rows - 100} | open | {text} |"}, {"passage": f"It is told.\n{text}", "claim": text},
        {"place": Place(sheet="Log", row=rows - 98)},
    ):  # fmt: skip
        shown = read(data, **wanted)
        assert [line.split()[0] for line in marks(shown)] == [str(rows - 98)]
        assert shown.html.count("<tr>") == 1 + 200 + 100
        assert (shown.html.count("The rest of this document"), "data-block" in shown.html) == (1, False)
    assert read(data).html.count("<tr>") == 401
    wide = xlsx({"Wide": [[f"c{n}" for n in range(200)]]})
    assert marks(read(wide, place=Place(cells="GA1"))) == ["1 c182"]
    html = read(wide, place=Place(cells="GA1")).html
    assert (">GA</th>" in html, html.count("The rest of this document")) == (True, 1)


def test_a_table_of_values_has_its_head_and_the_cited_row(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sheets, "_AROUND", 2)
    table = "Title;Year\n\n" + "".join(f"Film {n};{1900 + n}\n" for n in range(9)) + '"Two\nlines";1950\n'
    shown = values(table, place=Place(row=8))
    assert marks(shown) == ["8 Film 5 1905"]
    assert re.findall(r"<thead>.*</thead>", shown.html) == [
        '<thead><tr><th scope="row">1</th><th dir="auto">Title</th><th dir="auto">Year</th></tr></thead>'
    ]
    assert shown.html.count("<tr>") == 5
    assert marks(values(table, "Title: Film 3\nYear: 1903\nTitle: Film 4\nYear: 1904")) == [
        "6 Film 3 1903",
        "7 Film 4 1904",
    ]
    assert marks(values(table, "Title: Two\nlines\nYear: 1950")) == ["12 Two<br>lines 1950"]
    assert marks(values(table, "| Film 4 | 1904 |")) == ["7 Film 4 1904"]
    assert marks(values(table, "Film 4, 1904")) == ["7 Film 4 1904"]
    assert marks(values(table, "Title: Film 99")) == []


def test_a_page_with_a_table_is_read_as_one():
    page = "\n<html><table><tr><th>Buoy</th><th>Depth</th></tr><tr><td>North</td><td>12 m</td></tr></table></html>"
    shown = values(page, "| North | 12 m |")
    assert marks(shown) == ["2 North 12 m"]
    assert "html" not in shown.html


def test_a_table_keeps_its_encoding():
    data = "品名,価格\r\n休暇,20日\r\n".encode("shift_jis")
    shown = values(data, charset="shift_jis")
    assert "休暇" in shown.html
    assert "休暇" in read_sheets(shown.kept, True, Wanted("")).html
    assert "Text encoding guessed: Shift_JIS." in values(data, "休暇 20日").html


def test_a_damaged_or_empty_file_says_so(monkeypatch: pytest.MonkeyPatch):
    empty = "This document has no text that can be shown here."
    assert [read(xlsx({"Empty": [[""]]})).problem, values("").problem, values(",,\n").problem] == [empty] * 3
    assert "North" in read(xlsx({"Cover": [[""]], "Costs": [["North"]]})).html
    entity = '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    torn = (
        b"PK\x03\x04", WORKBOOK[:900], b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4000),
        xlsx({"A": entity + sheet(BUOYS).replace("North", "&e;")}),
        xlsx(BOOKS, **{BOOK: "<workbook"}), zipped({"a": "b"}, zipfile.ZIP_BZIP2),
    )  # fmt: skip
    for data in torn:
        assert "damaged, encrypted or too large" in read(data).problem, data[:40]
    monkeypatch.setattr("chat_ui.features.office.package.MOST_EXPANDED", 900)
    assert read().problem
    # The limit is process-wide, and reading a set of questions raises it.
    before = csv.field_size_limit(131_072)
    try:
        assert "unclosed" in values('a,b\n"unclosed' + 200_000 * "x").html
    finally:
        csv.field_size_limit(before)


def test_markup_in_names_and_cells_is_text():
    bad = '"><script>alert(1)</script></td></table><img src=x onerror=alert(1)>\u202egnp'
    for shown in (read(xlsx({bad: [[bad, "=HYPERLINK('http://127.0.0.1')"]]})), values(f'{bad}\n"=cmd|calc"')):
        assert judged(shown.html).faults == []
        assert [part for part in ("<script", "<img", "\u202e") if part in shown.html] == []
