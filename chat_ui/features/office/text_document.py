"""The blocks of a text document, whose kind is told by its content: many files have the extension of another kind."""

from __future__ import annotations

import re
from typing import Final

from striprtf.striprtf import rtf_to_text

from chat_ui.features.office.book import CONTAINER, read_book
from chat_ui.features.office.open_document import read_open_document
from chat_ui.features.office.package import Package
from chat_ui.features.office.text_blocks import Block, paragraphs, row_block
from chat_ui.features.office.word import read_word

_HEX: Final = re.compile(rb"[0-9a-fA-F]{40,}")
"""A line of a picture, which takes long to skip character by character."""
_SIGN: Final = re.compile(rb"(?<!\\)\\(trowd|cell|row)\b")
_SIGNS: Final = {b"trowd": rb"\'1c", b"cell": rb"\'1f", b"row": rb"\'1e"}
"""Signs for the start of a row, and the ends of a cell and a row, since text can have the bars of `striprtf`."""
_ROW: Final = re.compile("(\x1c[^\x1e]*\x1e)")


def read_text_document(data: bytes) -> list[Block]:
    """The blocks of a book, an OpenDocument text, Rich Text, or a Word document. Raises `UNREADABLE` errors."""
    if data[:100].lstrip().startswith(rb"{\rtf"):
        return _read_rich_text(data)
    package = Package(data)
    if CONTAINER in package:
        return read_book(package)
    return read_open_document(package) if "content.xml" in package else read_word(data)


def _read_rich_text(data: bytes) -> list[Block]:
    """The paragraphs and rows of Rich Text."""
    data = _SIGN.sub(lambda found: _SIGNS[found[1]], _HEX.sub(b"", data))
    text = rtf_to_text(data.decode("latin-1"), errors="replace")
    # Characters beyond the first plane are written in two parts.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    blocks: list[Block] = []
    for part in _ROW.split(text):
        *cells, _ = (" ".join(cell.split()) for cell in part.split("\x1f"))
        if part.startswith("\x1c") and any(cells):
            blocks.append(row_block(cells, 1))
        else:
            blocks += (block for line in part.split("\n") for block in paragraphs(line))
    return blocks
