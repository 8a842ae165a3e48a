"""A document that a feature reads and shows at a passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from chat_ui.protocol.answers.place import NOWHERE, Place


@dataclass(frozen=True, slots=True)
class Wanted:
    """The part of a document to show: the `passage` of a source, the `claim` and the `place` of its citation.

    `block` is the index of a block in place of the passage, if not None. An excerpt is a short part for an export.
    `charset` is that of the response.
    """

    passage: str
    claim: str = ""
    place: Place = NOWHERE
    block: int | None = None
    is_excerpt: bool = False
    charset: str = ""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A part of a document as safe HTML; elements `mark.passage-part` are the passage, if it was found.

    The `outline` has for each heading the index of its block, its level from 1, and its text. Its elements have that
    index as `data-block`; `at` is the index of the wanted block. `problem` explains missing HTML. `kept` is the read
    document for the next call of the reader.
    """

    html: str = ""
    outline: Sequence[tuple[int, int, str]] = ()
    at: int = 0
    problem: str = ""
    kept: bytes = b""


Reader: TypeAlias = Callable[[bytes, bool, Wanted], ReadDocument]
"""Reads a document's bytes, or those that it `kept` if the flag is set. It is a function of a module."""
