"""An import on its way to the store: rows in batches, made in a process of their own and kept in a file meanwhile.

The content of a file is foreign input, so it is turned into rows beside the server, which only hands
them on: a batch takes it a few milliseconds to read and the store one short transaction, however much was imported.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal

import msgspec

from chat_ui.conversations.archive.importing import Refusal, conversation_in_words, read_import
from chat_ui.conversations.records.records import Transcript
from chat_ui.conversations.store.conversation_list import MOST_PINNED
from chat_ui.conversations.store.rows import (
    ROW_BYTES,
    Batch,
    Row,
    conversation_row,
    feedback_row,
    generation_row,
    turn_row,
)
from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.json_text import MOST_PARTS
from chat_ui.protocol.translatable import msg

MOST_TOLD: Final = 10
"""Refusals that are told one by one; the others are counted."""
_ROWS: Final = 100
_BYTES: Final = 512 * 1024
_LENGTH_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an import went: how many conversations it holds, how many were refused, the first of those refusals, and how
    many bytes it takes in the store.
    """

    imported: int
    refused: int
    refusals: tuple[Refusal, ...]
    size: int


def prepare_import(source: str, target: str, owner: str, most_answer: int) -> Outcome:
    """Read the file at `source` for `owner`, and write its batches to `target`.

    Conversations with an answer of more than `most_answer` bytes are refused. Meant to run in a process of its own.
    """
    imported = refused = 0
    told: list[Refusal] = []
    with Path(target).open("wb") as file:
        writer = _Writer(file, owner)
        for number, read in enumerate(read_import(Path(source).read_bytes(), owner), start=1):
            refusal = read if isinstance(read, Refusal) else _add(read, number, writer, most_answer)
            imported += refusal is None
            refused += refusal is not None
            if refusal is not None and len(told) < MOST_TOLD:
                told.append(refusal)
        writer.end()
    return Outcome(imported, refused, tuple(told), writer.size)


def read_batches(path: str) -> Iterator[Batch]:
    """The batches that `prepare_import` wrote."""
    decoder = msgspec.msgpack.Decoder(Batch)
    with Path(path).open("rb") as file:
        while head := file.read(_LENGTH_BYTES):
            yield decoder.decode(file.read(int.from_bytes(head)))


def _add(read: Transcript, number: int, writer: _Writer, most_answer: int) -> Refusal | None:
    """Have a conversation written, unless one of its answers would be too much for a page."""
    generations = [generation_row(one) for one in read.generations]
    for row in generations:
        beside_text: Json = json.loads(row["answer"])
        size = sum(len(text.encode("utf-8", "replace")) for text in (row["text"], _as_sent(beside_text)))
        if size > most_answer:
            why = msg("an answer of it is larger than {most} bytes", most=most_answer)
            return Refusal(conversation_in_words(number), why)
        if _values_in(beside_text) > MOST_PARTS:
            why = msg("an answer of it holds more than {most} values", most=MOST_PARTS)
            return Refusal(conversation_in_words(number), why)
    conversation = conversation_row(read.conversation)
    feedback = [feedback_row(answer, conversation["id"], given) for answer, given in read.feedback.items()]
    writer.add(conversation, [turn_row(one) for one in read.turns], generations, feedback)
    return None


def _as_sent(value: Json) -> str:
    """`value` with each character of its text as itself, which is how a backend's answer is measured."""
    return json.dumps(value, ensure_ascii=False)


def _values_in(value: Json) -> int:
    count, left = 0, [value]
    while left:
        count += 1
        inner = left.pop()
        left += inner.values() if isinstance(inner, Mapping) else inner if isinstance(inner, list) else ()
    return count


class _Writer:
    """Gathers rows into batches, and writes each of them to `file` once it is large enough."""

    def __init__(self, file: BinaryIO, owner: str) -> None:
        self._file = file
        self._owner = owner
        self._mark = time.time()
        self._batch = Batch()
        self._rows = self._bytes = 0
        self._pinned = 0
        self.size = 0
        """Bytes that all of it takes in the store."""

    def add(self, conversation: Row, turns: Sequence[Row], generations: Sequence[Row], feedback: Sequence[Row]) -> None:
        """Take in a conversation."""
        self._pinned += conversation["pinned"]
        pinned = conversation["pinned"] and self._pinned <= MOST_PINNED
        self._take("conversations", {**conversation, "pinned": pinned, "deleted_at": self._mark})
        for row in turns:
            self._take("turns", row)
        for row in generations:
            self._take("generations", row)
        for row in feedback:
            self._take("feedback", row)

    def end(self) -> None:
        """Write the rows that are left, and the end."""
        self._batch.ends = self._owner, self._mark
        self._write()

    def _take(self, table: Literal["conversations", "turns", "generations", "feedback"], row: Row) -> None:
        getattr(self._batch, table).append(row)
        self._rows += 1
        self.size += row.get("size", ROW_BYTES)
        self._bytes += sum(len(value) for value in row.values() if isinstance(value, str))
        if self._rows >= _ROWS or self._bytes >= _BYTES:
            self._write()

    def _write(self) -> None:
        content = msgspec.msgpack.encode(self._batch)
        self._file.write(len(content).to_bytes(_LENGTH_BYTES) + content)
        self._batch = Batch()
        self._rows = self._bytes = 0
