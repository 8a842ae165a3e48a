"""Which exchange of a recording answers a request."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from chat_ui.protocol.answers.redaction import url_without_secrets
from chat_ui.protocol.events import Json
from chat_ui.recordings.questions import Asked, asked_in, normalised

if TYPE_CHECKING:
    from chat_ui.recordings.recording import RecordedExchange

NEAREST: Final = 3
_MASK: Final = "…"
_LONGEST_COMPARED: Final = 400
"""Characters of a question that are compared."""
_MOST_COMPARED: Final = 2_000
"""Questions that are compared with one that is not there."""
_ELSEWHERE: Final = 2
"""How far away another path is than the one asked for, with and without its `/stream`."""
_RANGE: Final = re.compile(r"bytes=(\d{1,18})-(\d{0,18})\Z")
_PART: Final = re.compile(r"bytes (\d{1,18})-(\d{1,18})/")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """A request that is not in a recording: its question, None where it asks none, and the questions of the recording
    that are nearest to it.
    """

    question: str | None
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestShape:
    """What a request is found by: the hash of its question's words (None where it asks none), its place, its path and
    the values of its query without credentials, whether it asks for a stream, and the names in its body, hashed.
    """

    method: str
    path: str
    query: tuple[str, ...]
    words: bytes | None
    place: int | None
    stream: bool
    form: bytes


def shape_of(
    method: str, path: str, body: Json, *, question: str | None = None, place: int | None = None
) -> RequestShape:
    """The shape of a request with this path, from `/` on, and body; of a recorded one, `question` and `place` stand
    beside.
    """
    asked = asked_in(body) if question is None else Asked(question, place)
    bare, _, query = url_without_secrets(path).partition("?")
    names: tuple[str, ...] = tuple(sorted(body)) if isinstance(body, Mapping) else ()
    return RequestShape(
        method=method,
        path=unquote(bare),
        query=tuple(sorted(pair for pair in query.split("&") if pair and _MASK not in pair)),
        words=_hash(normalised(asked.question)) if asked else None,
        place=asked.place if asked else None,
        stream=bool(isinstance(body, Mapping) and body.get("stream")),
        form=_hash(" ".join(names)),
    )


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def matching(
    exchanges: Sequence[RecordedExchange],
    asked: RequestShape,
    headers: Mapping[str, str],
    *,
    strict: bool,
    in_second_arm: bool | None = None,
) -> tuple[RecordedExchange, ...]:
    """The exchanges that answer a request best, in their order."""
    if asked.words is None:
        found = [
            one
            for one in exchanges
            if one.shape.words is None
            and one.method == asked.method
            and _is_same(one.shape.path, asked.path)
            and one.shape.query == asked.query
        ]
        return _of_the_range(found, {name.lower(): value for name, value in headers.items()})
    found = [one for one in exchanges if one.shape.words == asked.words and one.method == asked.method]
    if in_second_arm is not None:
        found = [one for one in found if one.is_second is in_second_arm] or found
    ranked = [(_rank(one.shape, asked), one) for one in found]
    if strict:
        ranked = [(rank, one) for rank, one in ranked if rank[0] < _ELSEWHERE and not rank[1]]
    best = min((rank for rank, _ in ranked), default=None)
    return tuple(one for rank, one in ranked if rank == best)


def _rank(recorded: RequestShape, asked: RequestShape) -> tuple[int, bool, bool, bool]:
    """How far a recorded question is from an asked one, nearest first."""
    if _is_same(recorded.path, asked.path):
        away = 0
    else:
        away = 1 if _is_same(_without_stream(recorded.path), _without_stream(asked.path)) else _ELSEWHERE
    is_elsewhere_in_conversation = None not in (recorded.place, asked.place) and recorded.place != asked.place
    return away, is_elsewhere_in_conversation, recorded.stream != asked.stream, recorded.form != asked.form


def _without_stream(path: str) -> str:
    return path.rstrip("/").removesuffix("/stream")


def _is_same(recorded: str, asked: str) -> bool:
    """Whether two paths are the same; a part of a recorded one that held a credential may be any."""
    if _MASK not in recorded:
        return recorded == asked
    pairs = recorded.split("/"), asked.split("/")
    return len(pairs[0]) == len(pairs[1]) and all(
        one == other or _MASK in one for one, other in zip(*pairs, strict=True)
    )


def _of_the_range(found: Sequence[RecordedExchange], headers: Mapping[str, str]) -> tuple[RecordedExchange, ...]:
    """Those of `found` that answer the part that is asked for: it, or the whole; without a range the whole, if there
    is one.
    """
    if "if-none-match" not in headers and "if-modified-since" not in headers:
        found = [one for one in found if one.status != 304]
    wanted = _RANGE.match(headers.get("range", "").strip())
    of_parts = [one for one in found if one.status == 206]
    if wanted:
        last = int(wanted[2]) if wanted[2] else math.inf
        parts = [(one, _PART.match(one.headers.get("content-range", ""))) for one in of_parts]
        those = [(int(part[2]), one) for one, part in parts if part and part[1] == wanted[1] and int(part[2]) <= last]
        if those:
            # A server may send less than it was asked for, above all at the end of a document.
            longest = max(end for end, _ in those)
            return tuple(one for end, one in those if end == longest)
    whole = [one for one in found if one.status not in {206, 416}]
    return tuple(whole or found)


def nearest(exchanges: Sequence[RecordedExchange], asked: Asked) -> tuple[str, ...]:
    """The recorded questions that share most words with `asked`; of those that share none, the first of a conversation
    come first.
    """
    words = _words_of(asked.question)
    answered = [one for one in exchanges if one.question is not None and one.status == 200][:_MOST_COMPARED]
    recorded = {normalised(one.question or ""): one for one in reversed(answered)}
    likenesses = {key: _likeness(words, _words_of(key)) for key in recorded}
    ordered = sorted(recorded, key=lambda key: (-likenesses[key], recorded[key].place or 0, recorded[key].number))
    return tuple(recorded[key].question or "" for key in ordered[:NEAREST])


def _words_of(question: str) -> Counter[str]:
    return Counter(_WORD.findall(normalised(question[:_LONGEST_COMPARED])))


def _likeness(some: Counter[str], others: Counter[str]) -> float:
    """How many of the words two texts share (Dice's coefficient)."""
    return 2 * (some & others).total() / max(1, some.total() + others.total())
