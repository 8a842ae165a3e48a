"""Import of conversations from a file: exports of this app, and known histories of others.

A file is read one conversation at a time, so memory beside its text is that of one conversation. It is read twice: the
first time only notes the beginning of each conversation. A file that breaks off is refused whole, and parts of one
conversation may be anywhere in it.

The content of a file is foreign input, so a separate process makes rows of it, in a file of batches. The server only
passes them on: a batch takes it a few milliseconds to read and the store one short transaction.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, Literal

import msgspec

from chat_ui.conversations.archive.archive import FORMAT, VERSION, read_conversation
from chat_ui.conversations.archive.foreign_archive import Sessions, is_record, read_demo_session
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
from chat_ui.protocol.reading.json_text import MOST_PARTS, integer
from chat_ui.protocol.translatable import msg

MAX_PARTS: Final = 20_000
"""Conversations in a file, or questions if each is a separate part."""
MOST_TOLD: Final = 10
"""Refusals that are listed; the others are counted."""
_ROWS: Final = 100
_BYTES: Final = 512 * 1024
_LENGTH_BYTES: Final = 8
_SESSIONS: Final = ("items", "sessions", "history")
_LISTS: Final = frozenset({"conversations", *_SESSIONS})
_DECODER: Final = json.JSONDecoder(parse_int=integer)
_SPACE: Final = re.compile(r"[ \t\r\n]*+")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refused part of an import: its place, and the reason."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an import: its conversations, its refusals and the first of these, and its bytes in the store."""

    imported: int
    refused: int
    refusals: tuple[Refusal, ...]
    size: int


def prepare_import(source: str, target: str, owner: str, most_answer: int) -> Outcome:
    """Read the file at `source` for `owner`, and write its batches to `target`, in a separate process.

    Conversations with an answer of more than `most_answer` bytes are refused.
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


def read_import(content: bytes, owner: str) -> Iterator[Transcript | Refusal]:
    """The conversations in a file, for `owner`, as they are read.

    Conversations of another shape are refused one by one. Only MemoryError is raised.
    """
    try:
        text = content.decode(json.detect_encoding(content), "surrogatepass").removeprefix("\ufeff")
        readers = _readers(text, owner)
    except (ValueError, RecursionError) as problem:
        yield Refusal(msg("the file"), _why(problem))
        return
    for number, read in enumerate(readers, start=1):
        try:
            yield read()
        except (ValueError, RecursionError, OverflowError) as problem:
            yield Refusal(_conversation(number), _why(problem))


def _conversation(number: int) -> str:
    """The place of the conversation of that number in a file, in words."""
    return msg("conversation {number}", number=number)


def _why(problem: Exception) -> str:
    if isinstance(problem, RecursionError):
        return msg("it is nested too deeply")
    return msg("it is not JSON") if isinstance(problem, UnicodeError | json.JSONDecodeError) else str(problem)


def _readers(text: str, owner: str) -> Iterator[Callable[[], Transcript]]:
    """The function that reads each conversation of a file.

    Raises:
        ValueError: the format is unknown.
    """
    head, lists = _Outline(text).read()
    if head.get("format") == FORMAT:
        if head.get("version") != VERSION:
            raise ValueError(
                msg(
                    "it has version {version}, and this app reads version {known}",
                    version=repr(head.get("version")),
                    known=str(VERSION),
                )
            )
        if "conversations" not in lists:
            raise ValueError(msg("“{name}” is not a list", name="conversations"))
        return (partial(_read_own, text, start, owner) for start in lists["conversations"])
    sessions = Sessions(partial(_part, text))
    named = next((lists[name] for name in ("", *_SESSIONS) if name in lists), [])
    for start in [text.index("{")] if is_record(head) else named:
        sessions.note(start)
    if not sessions:
        raise ValueError(
            msg(
                "it is neither an export of this app (“format”: “{format}”) nor a known history of another",
                format=FORMAT,
            )
        )
    return (partial(read_demo_session, session, owner) for session in sessions)


def _read_own(text: str, start: int, owner: str) -> Transcript:
    return read_conversation(_part(text, start), owner)


def _part(text: str, start: int) -> Json:
    part: Json = _DECODER.raw_decode(text, start)[0]
    return part


def _add(read: Transcript, number: int, writer: _Writer, most_answer: int) -> Refusal | None:
    """Write a conversation, unless one of its answers would be too much for a page."""
    generations = [generation_row(one) for one in read.generations]
    for row in generations:
        beside_text: Json = json.loads(row["answer"])
        # An answer is measured as a backend sends it, with unescaped characters.
        texts = (row["text"], json.dumps(beside_text, ensure_ascii=False))
        size = sum(len(text.encode("utf-8", "replace")) for text in texts)
        if size > most_answer:
            why = msg("one of its answers is larger than {most} bytes", most=most_answer)
            return Refusal(_conversation(number), why)
        if _values_in(beside_text) > MOST_PARTS:
            why = msg("one of its answers has more than {most} values", most=MOST_PARTS)
            return Refusal(_conversation(number), why)
    conversation = conversation_row(read.conversation)
    feedback = [feedback_row(answer, conversation["id"], given) for answer, given in read.feedback.items()]
    writer.add(conversation, [turn_row(one) for one in read.turns], generations, feedback)
    return None


def _values_in(value: Json) -> int:
    count, left = 0, [value]
    while left:
        count += 1
        inner = left.pop()
        left += inner.values() if isinstance(inner, Mapping) else inner if isinstance(inner, list) else ()
    return count


class _Outline:
    """Reads the text of a file and keeps its content beside its lists."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._head: dict[str, Json] = {}
        self._lists: dict[str, list[int]] = {}

    def read(self) -> tuple[Mapping[str, Json], Mapping[str, list[int]]]:
        """The content of the file beside its lists, empty for a file that is a list, and the starts of each list's
        parts.

        Raises:
            ValueError: it is not JSON, or a list has too many parts.
        """
        if self._finds("["):
            self._lists[""] = self._starts()
        elif self._finds("{"):
            self._read_members()
        else:
            self._value()
        self._skip_space()
        if self._at < len(self._text):
            raise self._broken("Extra data")
        return self._head, self._lists

    def _read_members(self) -> None:
        if self._finds("}"):
            return
        while True:
            self._skip_space()
            name = self._value()
            if not isinstance(name, str) or not self._finds(":"):
                raise self._broken("Expecting a name")
            if name in _LISTS and self._finds("["):
                self._lists[name] = self._starts()
            else:
                self._head[name] = self._value()
            if self._finds("}"):
                return
            self._expect_comma()

    def _starts(self) -> list[int]:
        """The beginning of each part of the list that has just been opened."""
        starts: list[int] = []
        if self._finds("]"):
            return starts
        while True:
            self._skip_space()
            starts.append(self._at)
            if len(starts) > MAX_PARTS:
                raise ValueError(msg("it has more than {most} conversations or questions; split it", most=MAX_PARTS))
            self._value()
            if self._finds("]"):
                return starts
            self._expect_comma()

    def _value(self) -> Json:
        self._skip_space()
        value: Json
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def _finds(self, mark: str) -> bool:
        """Whether `mark` comes next, which is then passed."""
        self._skip_space()
        found = self._text.startswith(mark, self._at)
        self._at += found
        return found

    def _expect_comma(self) -> None:
        if not self._finds(","):
            raise self._broken("Expecting ',' delimiter")

    def _skip_space(self) -> None:
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]

    def _broken(self, why: str) -> json.JSONDecodeError:
        return json.JSONDecodeError(why, self._text, self._at)


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
        """Bytes of all rows in the store."""

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
        """Write the remaining rows, and the end."""
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
