"""What must hold for any bytes at all: they become an answer, the same however they are split, and nothing raises."""

from __future__ import annotations

from itertools import accumulate, pairwise

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.dialects.registry import DIALECTS
from chat_ui.protocol.events import CutOff, Event
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed, FrameItem, StreamDone, Unfinished

MAX_VALUE_BYTES = 512
"""Small, so that values over the bound are met as well."""
_DIALECTS = ("auto", *DIALECTS)
_HEAD_BYTES = 6


def check(data: bytes) -> None:
    """Read `data`: one byte names the dialect, five the sizes of the pieces, the rest is a body.

    Raises:
        AssertionError: something does not hold.
    """
    head, body = data[:_HEAD_BYTES].ljust(_HEAD_BYTES, b"\0"), data[_HEAD_BYTES:]
    dialect = _DIALECTS[head[0] % len(_DIALECTS)]
    whole = _items([body])
    split = _items(_pieces(body, head[1:]))
    assert repr(split) == repr(whole), "another split gave other values"
    answer = _answer(whole, dialect)
    answer.text.encode()
    answer.reasoning.encode()
    assert answer.error is not None or not answer.complete or answer.text.strip(), "a silent empty answer"
    for words in [warning.detail for warning in answer.warnings] + ([answer.error.message] if answer.error else []):
        words.encode()
    for point in answer.data_points:
        f"{point.id}{point.source}{point.text}".encode()


def _pieces(body: bytes, sizes: bytes) -> list[bytes]:
    repeated = [size + 1 for size in sizes] * (len(body) // (sum(sizes) + len(sizes)) + 1)
    places = [0, *(place for place in accumulate(repeated) if place < len(body)), len(body)]
    return [body[start:end] for start, end in pairwise(places)]


def _items(pieces: list[bytes]) -> list[FrameItem]:
    framer = Framer(MAX_VALUE_BYTES)
    items = [item for piece in pieces for item in framer.feed(piece)]
    return items + framer.close()


def _answer(items: list[FrameItem], dialect: str) -> Answer:
    reader, builder = DialectReader(dialect), AnswerBuilder()
    released = ""
    for item in items:
        for event in _events(item, reader):
            released += builder.add(event)
    snapshot = builder.answer()
    released += builder.close()
    answer = builder.answer()
    assert released == answer.text, "what was released is not the text"
    assert answer.text.startswith(snapshot.text), "text that was shown has changed"
    return answer


def _events(item: FrameItem, reader: DialectReader) -> list[Event]:
    match item:
        case Framed():
            return reader.read(item)
        case Unfinished(detail):
            return [CutOff(detail)]
        case StreamDone():
            return []
        case _:
            return [item]
