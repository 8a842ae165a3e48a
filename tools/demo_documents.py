"""Makes the demo's PDF documents, its image and its web page from their manuscripts: `python -m tools.demo_documents`.

Run it after a change to a manuscript and commit the result, which is reproducible.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from fpdf import FPDF
from fpdf.fonts import FontFace
from markdown_it import MarkdownIt
from PIL import Image, ImageDraw, ImageFont

from chat_ui.features.demo.library import (
    COMPANY,
    DOCUMENTS,
    MANUSCRIPTS,
    PAGE_BREAK,
    Bullets,
    Prose,
    Section,
    Table,
    read_sections,
    slug,
)

INK = (22, 44, 66)
SEA = (0, 105, 130)
PALE = (226, 238, 242)

ROOMS = (
    # name, left, top, width, height in tenths of the drawing's unit
    ("Tank hall", 0, 0, 34, 30),
    ("Workshop", 36, 0, 40, 30),
    ("Stores", 78, 0, 22, 30),
    ("Reception", 0, 40, 20, 20),
    ("Canteen Mewa", 22, 40, 32, 20),
    ("Meeting room Sopot", 56, 40, 24, 20),
    ("Service desk", 82, 40, 18, 20),
)
MARKS = (("EXIT A", 2, 61), ("EXIT B", 88, 61), ("EXIT C", 50, -4), ("AED", 14, 36), ("FIRST AID", 60, 36))


class Handbook(FPDF):
    """A4 pages with the company's head and foot."""

    def __init__(self, title: str) -> None:
        super().__init__(format="A4")
        self.title_of_document = title
        self.set_title(title)
        self.set_author(COMPANY)
        self.set_creation_date(datetime(2026, 1, 12, tzinfo=UTC))
        self.set_margins(22, 20)
        self.set_auto_page_break(True, 20)

    def header(self) -> None:
        self.set_font("helvetica", "B", 9)
        self.set_text_color(*SEA)
        self.cell(0, 6, f"{COMPANY} | {self.title_of_document}", new_x="LMARGIN", new_y="NEXT", border="B")
        self.ln(5)
        self.set_text_color(*INK)

    def footer(self) -> None:
        self.set_y(-15)
        self.set_font("helvetica", "", 9)
        self.cell(0, 6, f"Page {self.page_no()}", align="C")

    def section(self, section: Section) -> None:
        if section.heading:
            self.set_font("helvetica", "B", 13)
            self.multi_cell(0, 7, section.heading, new_x="LMARGIN", new_y="NEXT")
            self.ln(1)
        self.set_font("helvetica", "", 10.5)
        for block in section.blocks:
            match block:
                case Prose(sentences):
                    self.multi_cell(0, 5.4, " ".join(sentences), new_x="LMARGIN", new_y="NEXT")
                case Bullets(items):
                    for item in items:
                        self.multi_cell(0, 5.4, f"\x95 {item}", new_x="LMARGIN", new_y="NEXT")
                case Table(header, rows):
                    with self.table(
                        headings_style=FontFace(emphasis="BOLD", fill_color=PALE),
                        line_height=5.6,
                        text_align="LEFT",
                    ) as table:
                        for row in (header, *rows):
                            table.row(row)
            self.ln(2.5)
        self.ln(1.5)


def make_pdf(manuscript: Path, target: Path) -> None:
    """Write a PDF page for each page of the manuscript.

    Raises:
        ValueError: a page of the manuscript does not fit on a page.
    """
    pages = [read_sections(page) for page in PAGE_BREAK.split(manuscript.read_text("utf-8"))]
    title = pages[0][0]
    pdf = Handbook(title)
    for number, (own_title, sections) in enumerate(pages, start=1):
        pdf.add_page()
        if own_title:
            pdf.set_font("helvetica", "B", 20)
            pdf.cell(0, 12, own_title, new_x="LMARGIN", new_y="NEXT")
            pdf.ln(3)
        for section in sections:
            pdf.section(section)
        if pdf.page_no() != number:
            raise ValueError(f"{manuscript.name}: page {number} is too long")
    pdf.output(str(target))


def make_page(manuscript: Path, target: Path) -> None:
    """Write a web page whose headings are the anchors of citations."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(manuscript.read_text("utf-8"))
    for heading, words in pairwise(tokens):
        if heading.tag == "h2" and heading.nesting == 1:
            heading.attrSet("id", slug(words.content))
    target.write_text(f"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{read_sections(manuscript.read_text("utf-8"))[0]}</title>
<style>body {{ font: 1rem/1.5 sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }}</style>
</head>
<body>
{markdown.renderer.render(tokens, markdown.options, {})}</body>
</html>
""")


def make_map(target: Path) -> None:
    """Draw the floor map of the workshop."""
    unit, left, top = 9, 50, 110
    image = Image.new("RGB", (1000, 760), "white")
    draw = ImageDraw.Draw(image)
    font, small = ImageFont.load_default(22), ImageFont.load_default(18)
    draw.text((left, 24), f"{COMPANY}: workshop site, ground floor", INK, ImageFont.load_default(28))
    for name, x, y, width, height in ROOMS:
        corner = (left + x * unit, top + y * unit)
        draw.rectangle((*corner, corner[0] + width * unit, corner[1] + height * unit), PALE, INK, 3)
        words = name.split()
        draw.multiline_text((corner[0] + 12, corner[1] + 12), "\n".join(words), INK, font)
    for name, x, y in MARKS:
        colour = (0, 120, 60) if name.startswith("EXIT") else (190, 30, 30)
        draw.text((left + x * unit, top + y * unit + 8), name, colour, small)
    draw.text(
        (left, 700),
        "Meeting point: car park P2, 60 m north of EXIT C. Stairs are not part of escape routes.",
        INK,
        small,
    )
    image.quantize(16).save(target, optimize=True)


def main() -> None:
    for manuscript in sorted(MANUSCRIPTS.glob("*.pdf.md")):
        make_pdf(manuscript, DOCUMENTS / manuscript.stem)
    for manuscript in sorted(MANUSCRIPTS.glob("*.html.md")):
        make_page(manuscript, DOCUMENTS / manuscript.stem)
    make_map(DOCUMENTS / "Office_Map.png")


if __name__ == "__main__":
    main()
