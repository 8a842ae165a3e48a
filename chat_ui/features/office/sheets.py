"""Workbooks and files of comma- or tab-separated values, shown as a table around the cited cells or rows.

Values are compared and shown, not their formats; percentages of Excel are shown as such. Of a merged range, only the
first cell has a value.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from heapq import nlargest
from html import escape
from io import BytesIO, StringIO
from itertools import dropwhile, islice
from typing import Final, NamedTuple

from python_calamine import CalamineError, SheetTypeEnum, SheetVisibleEnum, load_workbook

from chat_ui.features.office.finding import value_of
from chat_ui.features.office.html_text import html_blocks
from chat_ui.features.office.package import UNREADABLE, Package
from chat_ui.features.office.percentages import percentages
from chat_ui.features.office.shown import DAMAGED, EMPTY, MAX_COLUMNS, cells_html, marks_of, part_html, reach, table
from chat_ui.features.office.text_blocks import Block
from chat_ui.protocol.answers.place import NOWHERE, Place, bounds
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.rendering.html.parts import Span
from chat_ui.rendering.panels.document_text import decoded, document_html, guess_note
from chat_ui.rendering.panels.passages import plain_passage
from chat_ui.rendering.panels.read_document import ReadDocument, Wanted

_WORKBOOKS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""The beginnings of packages and of OLE files."""
_SNIFFED: Final = 8_192
_MOST_SHEETS: Final = 1_000
_NAME: Final = 100
"""Sheets of a workbook, and characters of the name of each."""
_AROUND: Final = 200
_AROUND_EXCERPT: Final = 20
"""Rows that are shown before the cited one, those of an excerpt, and as many after it."""
_COMPARED: Final = 2_000
"""Rows that are compared with a passage: those that share most with it."""
_LIKELY: Final = 30_000
"""Characters of a passage by which these are chosen."""
_HEADS: Final = 10
_MOST_HEADS: Final = 300
_LABEL: Final = 200
"""Rows at the beginning of a sheet, and of all sheets, of which one may be the head of the passage's table, and the
characters of a label in it."""
_SENTENCE: Final = 24
"""Characters of a piece of a passage that may be a part of a cell."""
_ROWS: Final = 1_048_576
_COLUMNS: Final = 16_384
"""Rows and columns of the largest sheets of Excel."""
_PIECE: Final = re.compile(r"\s*(?:[|\n\u2003]|[.!?]\s|[。！？])\s*")
_WORD: Final = re.compile(r"[^\s|,;]+")


class _Sheet(NamedTuple):
    """The used range of a sheet; `top` and `left` count the rows and columns before it. A head is its first row."""

    rows: Sequence[Sequence[object]]
    top: int = 0
    left: int = 0
    name: str = ""
    has_head: bool = False
    percentages: Callable[[range], Mapping[int, Mapping[int, int]]] = lambda _: {}


def read_sheets(data: bytes, is_kept: bool, wanted: Wanted) -> ReadDocument:
    """A workbook or a file of values, by its content: exports of web sites name tables `xls`."""
    return (_workbook if data.startswith(_WORKBOOKS) else _values)(data, is_kept, wanted)


def _workbook(data: bytes, is_kept: bool, wanted: Wanted) -> ReadDocument:
    """A sheet of a workbook in any format of Excel or OpenDocument. A hidden one is shown only if it is cited."""
    try:
        if data.startswith(b"PK"):
            # Calamine would end the process for want of memory.
            Package(data).check()
        with load_workbook(BytesIO(data)) as book:
            listed = enumerate(book.sheets_metadata[:_MOST_SHEETS])
            known = {at: one for at, one in listed if one.typ is SheetTypeEnum.WorkSheet}
            if wanted.block in known:
                wanted = Wanted("", place=Place(sheet=known[wanted.block].name))
            name = wanted.place.sheet.casefold()
            cited = [at for at, one in known.items() if one.name.casefold() == name]
            sheets: dict[int, _Sheet] = {}
            for at in cited or known:
                sheet = book.get_sheet_by_index(at)
                rows, (top, column) = sheet.to_python(), sheet.start or (0, 0)
                sheets[at] = _Sheet(
                    rows, top, column, known[at].name[:_NAME], percentages=partial(percentages, data, at)
                )
    except (*UNREADABLE, CalamineError):
        return ReadDocument(problem=DAMAGED)
    outline = [(at, 1, one.name[:_NAME]) for at, one in known.items() if one.visible is SheetVisibleEnum.Visible]
    if not cited and (name or len(known) > 1):
        wanted = replace(wanted, place=NOWHERE)
    heads = (row for sheet in sheets.values() for row in sheet.rows[:_HEADS])
    wanted = replace(wanted, passage=_with_rows(wanted.passage, heads))
    shown = _shown(sheets, wanted, [at for at, *_ in outline])
    return replace(shown, outline=outline, kept=b"" if is_kept else data)


def _values(data: bytes, is_kept: bool, wanted: Wanted) -> ReadDocument:
    """Rows of comma- or tab-separated values, below the head of their table."""
    read = decoded(data, "sheet", wanted.charset, wanted.passage, is_cut=True)
    kept = b"" if is_kept else read.text.encode("utf-8-sig", "replace")
    note = guess_note(read.guess) if read.guess else ""
    try:
        numbered = [*dropwhile(lambda row: not row[1], enumerate(islice(_rows_of(read.text), _ROWS)))] or [(0, [])]
    except csv.Error:
        return ReadDocument(note + document_html(read.text, "text"), kept=kept)
    sheet = _Sheet([row for _, row in numbered], numbered[0][0], has_head=True)
    shown = _shown({0: sheet}, replace(wanted, passage=_with_rows(wanted.passage, sheet.rows[:1])))
    return replace(shown, html=note + shown.html, kept=kept)


def _rows_of(text: str) -> Iterator[list[str]]:
    """The rows of comma- or tab-separated values, or the blocks of a page. Raises `csv.Error`."""
    if text[:100].lstrip().startswith("<"):
        return ([*block.cells] or [block.text] for block in html_blocks(text))
    try:
        dialect = csv.Sniffer().sniff(text[:_SNIFFED], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    return csv.reader(StringIO(text, newline=""), dialect)


def _shown(sheets: Mapping[int, _Sheet], wanted: Wanted, visible: Iterable[int] = ()) -> ReadDocument:
    """The cited cells or rows of the only sheet, else the passage in any, else the beginning of a `visible` one."""
    sheets = {at: one for at, one in sheets.items() if any(map(any, one.rows))}
    if not sheets:
        return ReadDocument(problem=EMPTY)
    cited = _cited(next(iter(sheets.values())), wanted.place) if len(sheets) == 1 else None
    left = cited[1].start if cited and cited[1].start >= MAX_COLUMNS else 0
    rows = [(at, row) for at, one in sheets.items() for row in (cited[0] if cited else range(len(one.rows)))]
    blocks = _blocks([sheets[at].rows[row][left:] for at, row in rows], wanted.passage)
    found = {rows[index]: spans for index, spans in marks_of(blocks, wanted).items()}
    first = next((at for at in visible if at in sheets), next(iter(sheets)))
    at, row = next(iter(found), (first, cited[0].start if cited else 0))
    marks = {row: spans for (other, row), spans in found.items() if other == at}
    if cited and (wanted.place.cells or not marks):
        columns = range(cited[1].start - left, cited[1].stop - left)
        marks = {row: [*_spans(_block(sheets[at].rows[row][left:]), columns)] for row in marks or cited[0]}
    return ReadDocument(_html(sheets[at], at, row, marks, left, is_excerpt=wanted.is_excerpt))


def _cited(sheet: _Sheet, place: Place) -> tuple[range, range] | None:
    """The rows and columns of the sheet that a place names; None without any."""
    row = place.row or 0
    left, top, right, bottom = bounds(place.cells) if place.cells else (sheet.left + 1, row, _COLUMNS, row)
    rows = range(max(0, top - 1 - sheet.top), min(len(sheet.rows), bottom - sheet.top))
    columns = range(max(0, left - 1 - sheet.left), right - sheet.left)
    return (rows, columns) if rows and columns else None


def _blocks(rows: Sequence[Sequence[object]], passage: str) -> list[Block]:
    """The rows as blocks; empty ones for rows that have little of the passage."""
    if len(rows) <= _COMPARED:
        return [*map(_block, rows)]
    passage = plain_passage(passage)[:_LIKELY]
    pieces = {*_PIECE.split(passage)}
    long = [piece for piece in pieces if len(piece) >= _SENTENCE]
    known: set[object] = {*pieces, *_WORD.findall(passage)} - {""}
    known |= {cell[0] for cell in map(value_of, map(str, known)) if isinstance(cell, tuple)}

    def weight(index: int) -> int:
        text = " ".join([cell for cell in rows[index] if isinstance(cell, str)])
        return len(known.intersection(rows[index])) + sum(piece in text for piece in long)

    blocks = [Block("")] * len(rows)
    for index in nlargest(_COMPARED, range(len(rows)) if known else (), weight):
        blocks[index] = _block(rows[index])
    return blocks


def _block(row: Sequence[object]) -> Block:
    cells = tuple(map(_text, row))
    return Block(" ".join(filter(None, cells)), "row", 0, cells, (1,) * len(cells))


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, bool):
        return str(value).upper()
    return value if isinstance(value, str) else str(value).removesuffix(" 00:00:00")


def _spans(block: Block, columns: range) -> Iterator[Span]:
    """The parts of a row's text that are its cells in these columns."""
    start = 0
    for column, cell in enumerate(block.cells):
        if cell and column in columns:
            yield start, start + len(cell)
        start += len(cell) + bool(cell)


def _labels(row: Sequence[object], passage: str) -> list[str]:
    """The texts of a row that a passage has as labels, with a colon after each."""
    cells = dict.fromkeys(cell.strip() for cell in row[:MAX_COLUMNS] if isinstance(cell, str) and len(cell) <= _LABEL)
    ends = (":", " :", "：", '":')
    return [cell for cell in cells if cell and any(f"{cell}{end}" in passage for end in ends)]


def _with_rows(passage: str, heads: Iterable[Sequence[object]]) -> str:
    """The passage with rows in place of its `label: value`, as loaders write them, one a line or with semicolons, or as
    JSON. The labels are those of one of the `heads`. RAGFlow adds the name of the sheet after two dashes.
    """
    labels = max((_labels(head, passage[:_LIKELY]) for head in islice(heads, _MOST_HEADS)), key=len, default=[])
    if not labels or (len(labels) == 1 and not passage.lstrip().startswith(labels[0])):
        return passage
    known = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    before, *pairs = re.split(rf"(?:^|[\n;,{{])\s{{0,9}}+(?:-\s)?[\"{{]{{0,3}}({known})\"?[^\S\n]?[:：]", passage)
    rows = [before]
    at = len(labels)
    for label, value in zip(pairs[::2], pairs[1::2], strict=True):
        cell = " ".join(value.partition(" ——")[0].split()).strip('",{}[] ').replace("|", "\\|")
        rows[-1:] = [f"{rows[-1]} {cell} |"] if labels.index(label) > at else [rows[-1], f"| {cell} |"]
        at = labels.index(label)
    return "\n".join(rows)


def _html(sheet: _Sheet, at: int, row: int, marks: Mapping[int, Sequence[Span]], left: int, *, is_excerpt: bool) -> str:
    """The rows around one as a table, in which the columns begin with the one at `left`."""
    around = _AROUND_EXCERPT if is_excerpt else _AROUND
    first = max(0, row - around)
    blocks = [_block(one[left:]) for one in sheet.rows[first : first + 2 * around]]
    before = reach(reversed(blocks[: row - first]), is_excerpt=is_excerpt)
    shown = range(row - before, row + 1 + reach(blocks[row - first + 1 :], is_excerpt=is_excerpt))
    width = max(len(block.cells) for block in blocks)
    percents = sheet.percentages(range(sheet.top + shown.start, sheet.top + shown.stop))

    def line(index: int, tag: str = "td") -> str:
        values = sheet.rows[index][left:]
        cells = [*cells_html(_block(values), marks.get(index, ()), tag)]
        for column, decimals in percents.get(sheet.top + index, {}).items():
            at = column - sheet.left - left
            value = values[at] if at in range(len(cells)) else None
            if isinstance(value, float):
                cells[at] = cells[at].replace(_text(value), f"{value:.{decimals}%}", 1)
        return f'<tr><th scope="row">{sheet.top + index + 1}</th>{"".join(cells)}</tr>'

    columns = range(sheet.left + left, sheet.left + left + min(width, MAX_COLUMNS))
    names = "".join(f'<th scope="col">{_column(column)}</th>' for column in columns)
    head = line(0, "th") if sheet.has_head else f"<tr><td></td>{names}</tr>"
    body = "".join(map(line, shown[1:] if sheet.has_head and not shown.start else shown))
    # The outline leads to the beginning of a sheet.
    address = "" if shown.start else f' data-block="{at}"'
    title = f'<h3{address} dir="auto">{escape(sheet.name.translate(OVERRIDES))}</h3>' if sheet.name else ""
    html = f'<section class="sheet">{title}{table(body, head)}</section>'
    is_cut_after = shown.stop < len(sheet.rows) or width > MAX_COLUMNS
    return part_html(html, blocks, max(shown.start, left) > 0, is_cut_after, is_excerpt=is_excerpt)


def _column(number: int) -> str:
    """The letters of a column that is counted from 0."""
    return (_column(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)
