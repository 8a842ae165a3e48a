"""Histories of azure-search-openai-demo, in both of its shapes, as transcripts.

In the browser it keeps a record for each session, `{"id", "title", "timestamp", "answers": [[question, response], …]}`.
In its database a session is one item, `{"type": "session", "id", "title", "timestamp"}`, and each pair another,
`{"type": "message_pair", "session_id", "order", "question", "response"}`. Times are milliseconds since 1970. A response
is an answer as the backend sent it.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from chat_ui.conversations.answer_json import number, string
from chat_ui.conversations.records import ConversationRecord, GenerationRecord, Status, Transcript, TurnRecord
from chat_ui.conversations.titles import MAX_TITLE, title_of
from chat_ui.protocol.answer import Answer, AnswerBuilder
from chat_ui.protocol.dialects import DialectReader
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.framing import Framed

_PAIR_TYPES = frozenset({"message_pair", "message"})


def demo_sessions(value: Json) -> list[JsonObject] | None:
    """The sessions of a history, each in the browser's shape; None where `value` is no such history."""
    if isinstance(value, Mapping) and not _is_record(value):
        value = next((value[key] for key in ("items", "sessions", "history") if key in value), None)
    elif isinstance(value, Mapping):
        value = [value]
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    records = [item for item in value if isinstance(item, Mapping)]
    if not records or len(records) < len(value) or not all(map(_is_record, records)):
        return None
    pairs: defaultdict[Json, list[JsonObject]] = defaultdict(list)
    for item in records:
        if item.get("type") in _PAIR_TYPES:
            pairs[item.get("session_id")].append(item)
    sessions = [item for item in records if item.get("type") not in _PAIR_TYPES]
    known = {item.get("id") for item in sessions}
    sessions += [{"id": session} for session in pairs if session not in known]
    return [
        session
        if "answers" in session
        else {
            **session,
            "answers": [
                [pair.get("question"), pair.get("response")]
                for pair in sorted(pairs[session.get("id")], key=lambda pair: number(pair, "order") or 0)
            ],
        }
        for session in sessions
    ]


def read_demo_session(value: JsonObject, owner: str) -> Transcript:
    """One session in the browser's shape, for `owner`.

    Raises:
        ValueError: a part has another shape; the words say which.
    """
    milliseconds = number(value, "timestamp")
    moment = milliseconds / 1000 if milliseconds is not None else time.time()
    answers = value.get("answers")
    if isinstance(answers, str) or not isinstance(answers, Sequence) or not answers:
        raise ValueError("it has no answers")
    conversation = secrets.token_urlsafe(16)
    turns: list[TurnRecord] = []
    generations: list[GenerationRecord] = []
    for place, pair in enumerate(answers, start=1):
        match pair:
            case [str(question), Mapping() as response, *_] if question.strip():
                answer = _answer(response)
            case _:
                raise ValueError(f"turn {place} is not a question with its response")
        turn = TurnRecord(
            id=secrets.token_urlsafe(16),
            conversation=conversation,
            parent=turns[-1].id if turns else None,
            place=place,
            question=question,
            asked_at=moment + place / 1000,
        )
        turns.append(turn)
        generations.append(
            GenerationRecord(
                id=f"{conversation}.{secrets.token_urlsafe(16)}",
                conversation=conversation,
                turn=turn.id,
                number=1,
                status=Status.FAILED if answer.error else Status.FINISHED,
                answer=answer,
                started_at=turn.asked_at,
                ended_at=turn.asked_at,
            )
        )
    title = (string(value, "title") or title_of(turns[0].question))[:MAX_TITLE]
    record = ConversationRecord(id=conversation, owner=owner, title=title, created_at=moment, updated_at=moment)
    return Transcript(record, tuple(turns), tuple(generations))


def _is_record(item: JsonObject) -> bool:
    kind = item.get("type")
    return "answers" in item or kind == "session" or (kind in _PAIR_TYPES and "question" in item)


def _answer(response: JsonObject) -> Answer:
    builder = AnswerBuilder()
    for event in DialectReader().read(Framed(dict(response), None)):
        builder.add(event)
    builder.close()
    return builder.answer()
