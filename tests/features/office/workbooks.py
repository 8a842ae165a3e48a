"""Workbooks made for tests."""

from collections.abc import Mapping, Sequence
from html import escape

from tests.features.office.packages import KIND, relations, zipped

BOOK = "xl/workbook.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DATES = f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>'
Rows = Sequence[Sequence[object]]


def sheet(rows: Rows, top: int = 1) -> str:
    """A sheet with these rows from the row `top` on; a tuple has the number of days of a date."""
    lines = (f'<row r="{number}">{"".join(map(_cell, row))}</row>' for number, row in enumerate(rows, top))
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def _cell(value: object) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>' if value else "<c/>"
    if isinstance(value, tuple):
        return f'<c s="1"><v>{value[0]}</v></c>'
    return f'<c t="b"><v>{value:d}</v></c>' if isinstance(value, bool) else f"<c><v>{value}</v></c>"


def xlsx(sheets: Mapping[str, Rows | str], **more: str) -> bytes:
    """A workbook of sheets, each as rows or XML. Those with a `_` before their names are hidden."""
    states = [f'name="{escape(name.lstrip("_"))}" state="{["visible", "hidden"][name[0] == "_"]}"' for name in sheets]
    listed = "".join(f'<sheet {state} sheetId="{at}" r:id="r{at}"/>' for at, state in enumerate(states))
    named = f'xmlns="{MAIN}" xmlns:r="{KIND.rstrip("/")}"'
    parts = {f"sheet{at}.xml": one if isinstance(one, str) else sheet(one) for at, one in enumerate(sheets.values())}
    related = [*(("worksheet", name, "") for name in parts), ("styles", "styles.xml", "")]
    return zipped({
        "_rels/.rels": relations(("officeDocument", BOOK, "")), "xl/styles.xml": DATES,
        BOOK: f"<workbook {named}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(*related),
        **{f"xl/{name}": part for name, part in parts.items()}, **more,
    })  # fmt: skip
