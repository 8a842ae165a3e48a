"""JSON values to events, recognised object by object.

Dialects lack a version field, and a body may change from one dialect to another, so each object is read by its keys.
Errors, contexts, session states and usage are read here, alike for all dialects. Families read the text, whose place
differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from chat_ui.protocol.answers.pause import Resume
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.contexts import CONTEXT_KEYS, STATE_KEYS, context_events
from chat_ui.protocol.dialects.family import FamilyReader, Match
from chat_ui.protocol.dialects.objects import kind_of, name_of, object_in, objects_in
from chat_ui.protocol.dialects.registry import DIALECTS, ENDS, FAMILY_OF, recognised
from chat_ui.protocol.dialects.reported_errors import CONTENT_FILTER, bare_error, error_in, error_of
from chat_ui.protocol.errors import InvalidBackendError
from chat_ui.protocol.events import (
    NO_END,
    AnswerWarning,
    CutOff,
    DialectDetected,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    ObjectReceived,
    UsageReceived,
)
from chat_ui.protocol.reading.items import Framed, FrameItem, OtherItem, is_error
from chat_ui.protocol.reading.json_text import excerpt, type_of

_MOST_NAMES: Final = 8
_LONGEST_NAME: Final = 200
"""Characters of a string in which the name of an error is looked for."""
_KEEP_ALIVE: Final = frozenset({"ping", "keepalive", "keep-alive", "keep_alive", "heartbeat"})
"""Names of events that gateways send to keep a connection open."""
_MOST_PICTURE_BYTES: Final = 64 * 1024 * 1024
_SAY_SOMETHING: Final = CONTEXT_KEYS | {"choices", "context", "usage", *STATE_KEYS}


class DialectReader:
    """Turns the values of one answer into events; `dialect` fixes the dialect, `auto` recognises it. `read_other` reads
    items other than values. The answer continues a paused one after the decisions of `resume`.

    `read` never raises: a meaningless value becomes an `AnswerWarning`.

    Raises:
        InvalidBackendError: `dialect` is neither `auto` nor a key of `DIALECTS`.
    """

    def __init__(
        self,
        dialect: str = "auto",
        read_other: Callable[[OtherItem], Iterable[Event]] = lambda _: (),
        resume: Resume | None = None,
    ) -> None:
        if dialect != "auto" and dialect not in DIALECTS:
            raise InvalidBackendError(f"{dialect!r} is not a dialect. Use one of: auto, {', '.join(DIALECTS)}.")
        self._fixed = None if dialect == "auto" else dialect
        self._read_other = read_other
        self._resume = resume
        self._text = AnswerText()
        self._readers: dict[str, FamilyReader] = {}
        self._seen: str | None = None
        self._specificity = 0
        self._plain_text: Callable[[dict[str, Any]], str | None] | None = None
        self.first_object: JsonObject = {}
        self._names: set[str] = set()
        self._is_end_due = self._has_ended = self._has_failed = self._has_pieces = False
        self._closed_at = 0
        """The length of the text before the object that closes some streams of the dialect."""

    def read(self, item: Framed) -> list[Event]:
        """The events of one value."""
        return self.read_all((item,))

    def read_all(self, items: Iterable[FrameItem]) -> list[Event]:
        """The events of items that came together; adjacent texts are joined."""
        events: list[Event] = []
        texts: list[str] = []
        for item in items:
            if isinstance(item, Framed) and type(item.value) is dict and item.event != "error" and self._plain_text:
                text = self._plain_text(item.value)
                if text is not None:
                    texts.append(text)
                    continue
            if texts:
                events += self._text.piece("".join(texts))
                texts.clear()
            events += self._events(item.value, item.event) if isinstance(item, Framed) else self._read_other(item)
        if texts:
            events += self._text.piece("".join(texts))
        return events

    def close(self) -> list[Event]:
        """The events kept back, at the end of the answer."""
        readers = dict.fromkeys(self._readers.values())
        return [*(event for reader in readers for event in reader.close()), *self._text.close()]

    @property
    def has_ended(self) -> bool:
        """Whether the mark that ends the dialect's streams came, or an error."""
        return self._has_ended

    @property
    def is_closed(self) -> bool:
        """Whether all of the text came before the object that closes some streams of the dialect."""
        return 0 < self._closed_at == self._text.came.length

    @property
    def picture_bytes(self) -> int:
        """Bytes of the answer that are pictures, up to a bound."""
        return min(self._text.picture_bytes, _MOST_PICTURE_BYTES)

    def missing_end(self, *, is_done: bool, closes: bool = False) -> Iterator[Event]:
        """The cut of a body that ended without the mark of its dialect. `is_done` says that `[DONE]` came, and `closes`
        that earlier answers of the backend were closed.
        """
        end = ENDS.get(self._seen or "")
        if end is None:
            return
        if self._is_end_due and not (self._has_ended or (is_done and end.may_be_done)):
            yield CutOff(f"the stream ended without {end.name}", NO_END)
        elif closes and self._has_pieces and self._text.has_begun and not (self._closed_at or self._has_failed):
            yield CutOff(f"the stream ended without {end.closing}", NO_END)

    def _events(self, value: Json, event: str | None) -> Iterator[Event]:
        fixed = self._fixed or self._seen
        reads_all = fixed is not None and FAMILY_OF[fixed].reader.reads_all
        is_value = reads_all and event not in {None, "error"}
        if is_value and not isinstance(value, Mapping):
            value = {} if value is None else {event or "": value}
        if not isinstance(value, Mapping):
            yield self._bare(value, event)
            return
        self.first_object = self.first_object or value
        if not self._text.has_begun and len(self._names) < _MOST_NAMES:
            name = name_of(value, event)
            if name not in self._names:
                self._names.add(name)
                yield ObjectReceived(name)
        if reads_all:
            match = None
        else:
            fixed, match = self._fixed, recognised(value)
        dialect = fixed or self._recognised(match)
        if dialect is not None and dialect != self._seen:
            self._seen, self._plain_text = dialect, self._reader_of(dialect).plain_text
            yield DialectDetected(dialect)
        error = None if is_value else error_in(value, event)
        if error is not None:
            yield Failed(error)
        if end := ENDS.get(self._seen or ""):
            self._is_end_due |= end.is_due(value, event)
            self._has_ended |= error is not None or end.is_in(value)
            self._has_failed |= error is not None
            self._has_pieces |= isinstance(value.get("type"), str)
            if end.closing and value.get("type") == end.closing:
                self._closed_at = self._text.came.length
        if any(map(_is_filtered, objects_in(value, "prompt_filter_results"))):
            yield Failed(ErrorInfo(CONTENT_FILTER, code="content_filter"))
        read_as = fixed or (match.name if match is not None else None)
        yield from context_events(value, () if read_as is None else FAMILY_OF[read_as].reader.own_contexts)
        if fixed is not None and match is not None and not _are_alike(match.name, fixed):
            other = f"an object of the dialect {match.name} was not read as {fixed}"
            yield AnswerWarning("other_dialect", other)
        elif read_as is not None:
            yield from self._reader_of(read_as).read(value)
        elif error is None and self._text.has_begun and (bare := bare_error(value)) is not None:
            self._has_ended = True
            yield Failed(bare)
        elif error is None and value and not (value.keys() & _SAY_SOMETHING or _KEEP_ALIVE & {event, kind_of(value)}):
            unknown = f"an unknown object was skipped: {excerpt(value)}"
            yield AnswerWarning("unknown_object", unknown)
        if usage := object_in(value, "usage"):
            yield UsageReceived(usage)

    def _bare(self, value: Json, event: str | None) -> Event:
        """An error, or the warning of a value that is not an object."""
        if event == "error" or (isinstance(value, str) and is_error(value[:_LONGEST_NAME].encode("utf-8", "replace"))):
            self._has_ended = True
            return Failed(error_of(value))
        odd = f"{type_of(value)} where an object was expected: {excerpt(value)}"
        return AnswerWarning("unexpected_value", odd)

    def _recognised(self, match: Match | None) -> str | None:
        """The dialect of the answer, by this object and those before it."""
        if match is None:
            return None
        if self._seen is not None and _are_alike(match.name, self._seen) and match.specificity <= self._specificity:
            return self._seen
        self._specificity = match.specificity
        return match.name

    def _reader_of(self, dialect: str) -> FamilyReader:
        reader = self._readers.get(dialect)
        if reader is None:
            family = FAMILY_OF[dialect]
            reader = family.reader(self._text)
            if self._resume is not None:
                reader.continues(self._resume)
            self._readers.update({other.name: reader for other in family.dialects})
        return reader


def _are_alike(one: str, other: str) -> bool:
    """Whether two dialects have their text in the same places."""
    return FAMILY_OF[one].reader.text_places == FAMILY_OF[other].reader.text_places


def _is_filtered(result: JsonObject) -> bool:
    """Whether an item of Azure OpenAI's `prompt_filter_results` says that a filter stopped the question."""
    verdicts = object_in(result, "content_filter_results").values()
    return any(isinstance(verdict, Mapping) and verdict.get("filtered") is True for verdict in verdicts)
