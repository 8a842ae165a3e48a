"""Histories of azure-search-openai-demo, in both of its shapes, read as entries of an export of this app.

In the browser it keeps a record for each session, `{"id", "title", "timestamp", "answers": [[question, response], …]}`.
In its database a session is one item, `{"type": "session", "id", "title", "timestamp"}`, and each pair another,
`{"type": "message_pair", "session_id", "order", "question", "response"}`. Times are milliseconds since 1970. A response
is the backend's answer, or only its text.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from chat_ui.conversations.archive.archive import MAX_QUESTION, read_conversation
from chat_ui.conversations.records.answer_json import answer_to_json, number
from chat_ui.conversations.records.records import Status, Transcript
from chat_ui.protocol.answers.answer import Answer, folded
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.reading.items import Framed
from chat_ui.protocol.translatable import msg

_PAIR_TYPES = frozenset({"message_pair", "message"})


class Sessions:
    """The sessions of one history, each in the browser's shape.

    Parts of the history are noted by their beginning, and read with `part`, so that only one session is in memory.
    """

    def __init__(self, part: Callable[[int], Json]) -> None:
        self._part = part
        self._starts: list[int] = []
        self._pairs: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
        self._is_other = False

    def __bool__(self) -> bool:
        """Whether it is a history, so far."""
        return bool(self._starts or self._pairs) and not self._is_other

    def note(self, start: int) -> None:
        """Look at the part that begins there."""
        item = self._part(start)
        if self._is_other or not (isinstance(item, Mapping) and is_record(item)):
            self._is_other = True
        elif _is_pair(item):
            self._pairs[_name(item, "session_id")].append((number(item, "order") or 0, start))
        else:
            self._starts.append(start)

    def __iter__(self) -> Iterator[JsonObject]:
        for start in self._starts:
            session = self._part(start)
            if isinstance(session, Mapping):
                pairs = self._pairs.pop(_name(session, "id"), [])
                yield session if "answers" in session else {**session, "answers": self._answers(pairs)}
        for pairs in self._pairs.values():
            yield {"answers": self._answers(pairs)}

    def _answers(self, pairs: list[tuple[float, int]]) -> list[Json]:
        items = [self._part(start) for _, start in sorted(pairs)]
        return [[item.get("question"), item.get("response")] for item in items if isinstance(item, Mapping)]


def _name(item: JsonObject, key: str) -> str:
    return json.dumps(item.get(key))


def read_demo_session(value: JsonObject, owner: str, *, only_readable: bool = False) -> Transcript:
    """A session in the browser's shape, for `owner`; if `only_readable`, without pairs of another shape.

    Raises:
        ValueError: a part has another shape, or nothing is left; the words say which.
    """
    milliseconds = number(value, "timestamp")
    moment = milliseconds / 1000 if milliseconds is not None else time.time()
    answers = value.get("answers")
    if isinstance(answers, str) or not isinstance(answers, Sequence) or not answers:
        raise ValueError(msg("it has no answers"))
    turns: list[Json] = []
    for place, pair in enumerate(answers, start=1):
        read = _read_pair(pair)
        if only_readable and (read is None or not read[1].text.strip()):
            continue
        if read is None:
            raise ValueError(msg("turn {turn} is not a question with its response", turn=place))
        question, answer = read
        asked_at = moment + place / 1000
        given: dict[str, Json] = {
            "status": Status.FAILED if answer.error else Status.FINISHED,
            "ended_at": asked_at,
            "answer": answer_to_json(answer),
        }
        parent = str(len(turns)) if turns else None
        own = {"id": str(len(turns) + 1), "parent": parent}
        turns.append({**own, "question": question, "asked_at": asked_at, "answers": [given]})
    told = {"title": value.get("title"), "created_at": moment, "updated_at": moment, "turns": turns}
    return read_conversation(told, owner)


def is_record(item: JsonObject) -> bool:
    """Whether `item` is a part of such a history."""
    return "answers" in item or item.get("type") == "session" or (_is_pair(item) and "question" in item)


def _is_pair(item: JsonObject) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind in _PAIR_TYPES


def _read_pair(pair: Json) -> tuple[str, Answer] | None:
    match pair:
        case [str(question), Mapping() | str() as response, *_] if question.strip() and len(question) <= MAX_QUESTION:
            value = {"output_text": response} if isinstance(response, str) else dict(response)
            return question, folded(DialectReader().read(Framed(value, None)))
    return None
