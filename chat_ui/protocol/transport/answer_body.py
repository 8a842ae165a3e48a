"""The body of an answer, as it comes: bytes in, events out. No I/O.

The beginning is kept back until it is clear that it is not an HTML page: both may begin with `<`, after blanks. Then
the framer finds values, and the dialect's reader turns them into events. Facts of the framer (an end marker, an
unfinished value, a page in the middle) become events here. Reading ends when the answer is too long, is a page, or
cannot be read; later bytes are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from chat_ui.protocol.answers.pause import Resume
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.dialects.reported_errors import page_title
from chat_ui.protocol.events import AnswerWarning, CutOff, ErrorInfo, Event, Failed, JsonObject
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import PAGE, OtherItem, StreamDone, Unfinished
from chat_ui.protocol.translatable import msg, size_in_words

_PAGE_BYTES: Final = 64 * 1024
"""Bytes of a page in which its title is looked for."""
_PAGE_UNDECIDED: Final = 64
"""Bytes that decide whether a page begins."""
_BLANK: Final = b"\xef\xbb\xbf \t\r\n"


class AnswerBody:
    """Reads one body in `dialect`, or for `auto` in the recognised one.

    `is_done` says that the backend marked the answer's end, `is_over` that reading has ended. `closes` says that the
    backend closed earlier answers. The answer continues a paused one after the decisions of `resume`.
    """

    def __init__(self, dialect: str, bounds: Bounds, *, closes: bool = False, resume: Resume | None = None) -> None:
        self._bounds = bounds
        self._closes = closes
        self._reader = DialectReader(dialect, self._read_other, resume)
        self._framer = Framer(bounds.value_bytes, bounds.value_parts)
        self._head: bytes | None = b""
        self._room = bounds.answer_bytes
        self.is_done = False
        self.is_over = False

    @property
    def first_object(self) -> JsonObject:
        """The first JSON object; empty before it."""
        return self._reader.first_object

    @property
    def has_end(self) -> bool:
        """Whether the answer's end came, also before the end of the body."""
        return self.is_done or self._reader.has_ended

    @property
    def lacks_end(self) -> bool:
        """Whether the answer would be cut off if its body ended here."""
        return next(self._reader.missing_end(is_done=self.is_done), None) is not None

    @property
    def is_closed(self) -> bool:
        """Whether the backend closed the answer with an object that only some backends of its dialect send."""
        return self._reader.is_closed

    def feed(self, data: bytes) -> list[Event]:
        """The events of the next bytes."""
        if self.is_over:
            return []
        # Pictures are bounded one by one, and are kept elsewhere.
        room = self._room + self._reader.picture_bytes
        if len(data) > room:
            return self._feed_last(data[:room])
        self._room -= len(data)
        return self._reader.read_all(self._framer.feed(data)) if self._head is None else self._begin(self._head + data)

    def end(self) -> list[Event]:
        """The events kept back, at the end of the body."""
        if self.is_over:
            return []
        head, self._head = self._head, None
        if head and PAGE.match(head):
            return [self._page(head)]
        begun = self._reader.read_all(self._framer.feed(head)) if head else []
        rest = self._reader.read_all(self._framer.close())
        is_cut = any(isinstance(event, CutOff) for event in rest)
        rest += self._reader.close()
        if not is_cut:
            rest += self._reader.missing_end(is_done=self.is_done, closes=self._closes)
        return begun + rest

    def break_off(self) -> list[Event]:
        """The events of the whole values before the body broke off."""
        return [event for event in self.end() if not isinstance(event, CutOff)]

    def close(self) -> Iterable[Event]:
        """The events that the dialect's reader still keeps, after the end of reading."""
        return self._reader.close()

    def _feed_last(self, data: bytes) -> list[Event]:
        """The events of the last bytes below the limit."""
        events = self.feed(data)
        if not self.is_over:
            self.is_over = True
            most = size_in_words(self._bounds.answer_bytes)
            words = msg(
                "The answer is longer than the limit of {most}. Only its beginning is kept.",
                most=most,
            )
            events += (Failed(ErrorInfo(words, code="too_large")), CutOff(f"it is longer than {most}"))
        return events

    def _begin(self, data: bytes) -> list[Event]:
        """The events of the beginning of the body, once it is clear that it is not a page."""
        head = data.lstrip(_BLANK)
        events = self._reader.read_all(self._framer.feed(data[: len(data) - len(head)]))
        self._head = head
        if self._may_be_page(head):
            return events
        if PAGE.match(head):
            return [*events, self._page(head)]
        self._head = None
        return [*events, *self._reader.read_all(self._framer.feed(head))]

    @staticmethod
    def _may_be_page(head: bytes) -> bool:
        if not head.startswith(b"<"):
            return not head
        return len(head) < _PAGE_UNDECIDED or (bool(PAGE.match(head)) and len(head) < _PAGE_BYTES)

    def _page(self, head: bytes) -> Failed:
        self.is_over = True
        title = page_title(head.decode("utf-8", "replace"))
        problem = (
            msg("The backend answered with an HTML page titled “{title}” instead of a chat answer.", title=title)
            if title
            else msg("The backend answered with an HTML page instead of a chat answer.")
        )
        advice = msg("It is often a sign-in page, or the address of a web site: check the path and the credentials.")
        return Failed(ErrorInfo(msg("{problem} {advice}", problem=problem, advice=advice), code="html_page"))

    def _read_other(self, item: OtherItem) -> Iterator[Event]:
        match item:
            case StreamDone():
                self.is_done = True
            case Unfinished(detail):
                yield CutOff(f"the answer ended in the middle of a value, {detail}")
            case AnswerWarning(code, detail):
                yield item
                if code == "html_page":
                    words = msg(
                        "An HTML page arrived in the middle of the answer, often from a proxy that "
                        "lost the backend. Part of the answer may be missing."
                    )
                    yield Failed(ErrorInfo(words, code="html_page"))
                elif code == "unreadable":
                    self.is_over = True
                    unread = msg("The answer could not be read: {reason}.", reason=detail)
                    yield Failed(ErrorInfo(unread, code="not_json"))
                elif code == "value_too_large":
                    bounds = self._bounds
                    words = msg(
                        "Part of the answer was skipped: it was larger than {most} or had more than {values} values.",
                        most=size_in_words(bounds.value_bytes),
                        values=bounds.value_parts,
                    )
                    yield Failed(ErrorInfo(words, code="too_large"))
