"""Conversations from a file: exports of this app, and histories of others that are known.

A file is read one conversation at a time, so that what is in memory beside its text is what one of them takes. It is
gone through twice: the first time only notes where each conversation begins, since a file that breaks off is refused
whole, and parts of one conversation may stand anywhere in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from chat_ui.conversations.archive.archive import FORMAT, VERSION, read_conversation
from chat_ui.conversations.archive.foreign_archive import Sessions, is_record, read_demo_session
from chat_ui.conversations.records.records import Transcript
from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.json_text import integer
from chat_ui.protocol.translatable import msg

MAX_PARTS: Final = 20_000
"""Conversations in a file, or questions where each stands by itself."""
_SESSIONS: Final = ("items", "sessions", "history")
_LISTS: Final = frozenset({"conversations", *_SESSIONS})
"""Names of the list of conversations in the known formats."""
_DECODER: Final = json.JSONDecoder(parse_int=integer)
_SPACE: Final = re.compile(r"[ \t\r\n]*+")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A part of an import that was not taken: where it stands, and why not."""

    where: str
    why: str


def read_import(content: bytes, owner: str) -> Iterator[Transcript | Refusal]:
    """The conversations in a file, for `owner`, as they are read.

    What has another shape is refused, conversation by conversation. Never raises but MemoryError.
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
            yield Refusal(conversation_in_words(number), _why(problem))


def conversation_in_words(number: int) -> str:
    """The place of the conversation of that number in a file, in words."""
    return msg("conversation {number}", number=number)


def _why(problem: Exception) -> str:
    if isinstance(problem, RecursionError):
        return msg("it is nested too deeply")
    return msg("it is not JSON") if isinstance(problem, UnicodeError | json.JSONDecodeError) else str(problem)


def _readers(text: str, owner: str) -> Iterator[Callable[[], Transcript]]:
    """The function that reads each conversation of a file.

    Raises:
        ValueError: the file is none that is known.
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


class _Outline:
    """Goes through the text of a file and keeps what it says beside its lists."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._head: dict[str, Json] = {}
        self._lists: dict[str, list[int]] = {}

    def read(self) -> tuple[Mapping[str, Json], Mapping[str, list[int]]]:
        """The content of the file beside its lists, and where the parts of each list begin, by the list's name; that of
        a file which is a list is empty.

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
        """Where each part of the list begins that has just been opened."""
        starts: list[int] = []
        if self._finds("]"):
            return starts
        while True:
            self._skip_space()
            starts.append(self._at)
            if len(starts) > MAX_PARTS:
                raise ValueError(msg("it holds more than {most} conversations or questions; split it", most=MAX_PARTS))
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
        """Whether `mark` comes next; it is passed then."""
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
