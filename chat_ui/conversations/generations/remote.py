"""A generation of another process, known from the store and from its log.

The log of a generation is a list of entries in order. Each has text with its place in the answer. So an entry may come
twice, or repeat earlier ones, with the same effect.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Final

import msgspec

from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.records.records import GenerationRecord, Status, StoredAnswer
from chat_ui.conversations.store.rows import generation_record, generation_row, storable
from chat_ui.errors import UnreadableEntryError
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.events import JsonObject


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A change of a generation: text from character `start` on, and other changes.

    `text_revision` counts the replacements of the text, as far as the entry's source knows. `record`, without the
    answer's text, comes with changes other than text. `owner` and `question` are only in entries with all earlier
    content, which a reader can begin with.
    """

    start: int
    text: str
    record: GenerationRecord | None = None
    owner: str | None = None
    question: str | None = None
    text_revision: int = 0

    @property
    def is_last(self) -> bool:
        """Whether it has the end."""
        return self.record is not None and self.record.status is not Status.RUNNING

    def to_json(self) -> bytes:
        """The entry as JSON."""
        row = json.dumps(generation_row(without_text(self.record))) if self.record is not None else None
        question = storable(self.question) if self.question is not None else None
        return msgspec.json.encode((self.start, storable(self.text), row, self.owner, question, self.text_revision))

    @classmethod
    def of(cls, entry: str) -> LogEntry:
        """The entry in this JSON.

        Raises:
            UnreadableEntryError: it is not an entry.
        """
        try:
            start, text, row, owner, question, revision = _FIELDS.decode(entry)
            record = generation_record(SimpleNamespace(**json.loads(row)), "") if row is not None else None
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise UnreadableEntryError from error
        return cls(start, text, record, owner, question, revision)


_FIELDS: Final = msgspec.json.Decoder(tuple[int, str, str | None, str | None, str | None, int])


class RemoteGeneration(Generation):
    """A generation of another process, possibly gone; `record` is its content beside its text."""

    def __init__(self, owner: str, kept: StoredAnswer, *, is_followed: bool = True) -> None:
        super().__init__(kept.generation.id, owner, kept.question, kept.generation.status)
        self.is_followed = is_followed
        self.record = without_text(kept.generation)
        self.context_revision = 1
        self._text.append(kept.answer.text)
        if self.ended:
            self._end.set()

    @property
    def answer(self) -> Answer:
        """The answer as far as it is known here."""
        return replace(self.record.answer, text=self._text.joined())

    @property
    def asked_of(self) -> JsonObject:
        """The backend's memory, without credentials."""
        return self.record.backend

    @property
    def overrides(self) -> JsonObject:
        """The options that were sent, without credentials."""
        return self.record.overrides

    def apply(self, entry: LogEntry) -> None:
        """Apply an entry: known text and an equal record change nothing, nor do entries after the end."""
        if self.ended:
            return
        is_older = entry.text_revision < self.text_revision and not entry.is_last
        known = self._text.length
        new = entry.text[known - entry.start :] if entry.start <= known and not is_older else ""
        if is_revised := self._revises(entry):
            self.text_revision = max(self.text_revision + 1, entry.text_revision)
            self._text.clear()
            self._text.append(entry.text)
        elif new:
            self._text.append(new)
        record = without_text(entry.record) if entry.record is not None else self.record
        if record != self.record:
            self.record, self.status = record, record.status
            self.context_revision += 1
        elif not (new or is_revised):
            return
        self.last_event_at = time.monotonic()
        if self.ended:
            self._end.set()
        self.signal.bump()

    def _revises(self, entry: LogEntry) -> bool:
        """Whether it has another text than the known one: a later one, or the final one."""
        if entry.start > 0 or entry.text_revision > self.text_revision:
            return entry.start == 0
        known = self._text.joined()
        return entry.is_last and not (entry.text.startswith(known) or known.startswith(entry.text))

    def interrupt(self) -> None:
        """End it: its process died before the store had any of it."""
        self.apply(LogEntry(self._text.length, "", replace(self.record, status=Status.INTERRUPTED)))


def without_text(record: GenerationRecord) -> GenerationRecord:
    """The record, its answer without the text."""
    return replace(record, answer=replace(record.answer, text=""))


def read_log(entries: list[LogEntry]) -> RemoteGeneration | None:
    """The generation in the entries of a log; None without an entry to begin with."""
    remote: RemoteGeneration | None = None
    for entry in entries:
        if remote is not None:
            remote.apply(entry)
        elif entry.record is not None and entry.owner is not None and entry.question is not None:
            complete = replace(entry.record, answer=replace(entry.record.answer, text=entry.text))
            remote = RemoteGeneration(entry.owner, StoredAnswer(complete, entry.question))
            remote.text_revision = entry.text_revision
    return remote
