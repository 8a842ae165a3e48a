"""The documents of the demo company, split into passages for search and citations.

A passage is a page of a PDF, a section of another text, a price group of a table, or an image. PDFs,
images and web pages are read from their Markdown manuscripts in the package, without a library for these formats.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

COMPANY = "Fennmark Buoyworks"
DOCUMENTS = Path(__file__).parent / "documents"
MANUSCRIPTS = Path(__file__).parent / "manuscripts"
PAGE_BREAK = re.compile(r"^\\newpage$", re.MULTILINE)

_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!No\.)(?<!Dr\.)\s+(?=[^\W\d_a-z]|[\"“„(]|\d)")
_QUESTION = re.compile(r"<!--\s*ask:\s*(.+?)\s*-->")
_QUESTIONS = dict(
    line.split(": ", 1) for line in (Path(__file__).parent / "questions.txt").read_text("utf-8").splitlines()
)
"""The questions for sections of text files and groups of tables, by their headings."""


@dataclass(frozen=True, slots=True)
class Prose:
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: each row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block: TypeAlias = Prose | Bullets | Table


@dataclass(frozen=True, slots=True)
class Section:
    """The text under a heading; `question` is a typical question about it, or empty."""

    heading: str
    blocks: tuple[Block, ...]
    question: str = ""


@dataclass(frozen=True)
class Passage:
    """A citable part of a document: `id` is its citation, `Leave_Policy.pdf#page=2`, `FAQ.html#payday`."""

    id: str
    document: str
    title: str
    sections: tuple[Section, ...]

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The non-empty headings in the passage, in order."""
        return tuple(section.heading for section in self.sections if section.heading)

    @cached_property
    def text(self) -> str:
        """The passage on one line: prose unchanged, tables as HTML."""
        parts: list[str] = []
        for section in self.sections:
            if section.heading:
                parts.append(f"{section.heading}.")
            parts.extend(_flat(block) for block in section.blocks)
        return " ".join(parts)


def read_library() -> tuple[Passage, ...]:
    """All passages of all documents, in the order of file names."""
    passages: list[Passage] = []
    for path in sorted(DOCUMENTS.iterdir()):
        match path.suffix:
            case ".pdf":
                passages.extend(_pages(path.name, _manuscript(path)))
            case ".png":
                title, sections = read_sections(_manuscript(path))
                passages.append(Passage(path.name, path.name, title, sections))
            case ".html":
                passages.extend(_sections(path.name, _manuscript(path)))
            case ".csv":
                passages.extend(_price_groups(path))
            case _:  # the text files underline their headings, which is Markdown too
                passages.extend(_sections(path.name, path.read_text("utf-8")))
    return tuple(passages)


def slug(heading: str) -> str:
    """The anchor of a heading: lower case, words joined by hyphens."""
    return "-".join(re.findall(r"\w+", heading.lower()))


def read_sections(markdown: str) -> tuple[str, tuple[Section, ...]]:
    """The title (first heading of level 1) and the sections (headings of level 2) of a Markdown text."""
    title, heading, question = "", "", ""
    blocks: list[Block] = []
    sections: list[Section] = []

    def close() -> None:
        if blocks:
            sections.append(Section(heading, tuple(blocks), question or _QUESTIONS.get(heading, "")))
            blocks.clear()

    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = _end_of(tokens, position)
        inside = tokens[position:end]
        if token.type == "heading_open":
            close()
            question = ""
            if token.tag == "h1":
                title, heading = _inline(inside)[0], ""
            else:
                heading = _inline(inside)[0]
        elif token.type == "html_block" and (asked := _QUESTION.search(token.content)):
            question = asked[1]
        elif token.type == "paragraph_open":
            blocks.append(Prose(tuple(_SENTENCE_END.split(_inline(inside)[0]))))
        elif token.type in {"bullet_list_open", "ordered_list_open"}:
            blocks.append(Bullets(tuple(_inline(inside))))
        elif token.type == "table_open":
            blocks.append(_table(inside))
        position = end
    close()
    return title, tuple(sections)


def _manuscript(document: Path) -> str:
    return (MANUSCRIPTS / f"{document.name}.md").read_text("utf-8")


def _pages(name: str, manuscript: str) -> list[Passage]:
    title, passages, running = "", [], ""
    for number, page in enumerate(PAGE_BREAK.split(manuscript), start=1):
        own_title, sections = read_sections(page)
        title = title or own_title
        # A page that continues the previous page's section repeats its heading.
        sections = tuple(section if section.heading else Section(running, section.blocks) for section in sections)
        running = sections[-1].heading
        passages.append(Passage(f"{name}#page={number}", name, title, sections))
    return passages


def _sections(name: str, markdown: str) -> list[Passage]:
    title, sections = read_sections(markdown)
    return [
        Passage(f"{name}#{slug(section.heading)}" if section.heading else name, name, title, (section,))
        for section in sections
    ]


def _price_groups(path: Path) -> list[Passage]:
    """The passages of a CSV whose first column is the group: one for each group, with the file's name as title."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    title = path.stem.replace("_", " ")
    passages = []
    for group in dict.fromkeys(row[0] for row in rows):
        table = Table(tuple(header[1:]), tuple(tuple(row[1:]) for row in rows if row[0] == group))
        section = Section(group, (table,), _QUESTIONS[group])
        passages.append(Passage(f"{path.name}#{slug(group)}", path.name, title, (section,)))
    return passages


def _end_of(tokens: list[Token], start: int) -> int:
    depth = 0
    for position in range(start, len(tokens)):
        depth += tokens[position].nesting
        if depth == 0:
            return position + 1
    return len(tokens)


def _inline(tokens: list[Token]) -> list[str]:
    return [_plain(token) for token in tokens if token.type == "inline"]


def _plain(token: Token) -> str:
    parts = (" " if child.type in {"softbreak", "hardbreak"} else child.content for child in token.children or ())
    return "".join(parts).strip()


def _table(tokens: list[Token]) -> Table:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_plain(token))
    header, *body = (tuple(row) for row in rows)
    return Table(header, tuple(body))


def _flat(block: Block) -> str:
    match block:
        case Prose(sentences):
            return " ".join(sentences)
        case Bullets(items):
            return " ".join(f"• {item}" for item in items)
        case Table(header, rows):
            head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
            body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<table><tr>{head}</tr>{body}</table>"
