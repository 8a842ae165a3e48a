from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from dataclasses import asdict, fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from sqlalchemy import BigInteger, ColumnElement, cast, func, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from chat_ui.conversations.records.answer_json import answer_from_json, answer_to_json, error_from_json, error_to_json
from chat_ui.conversations.records.feedback import Feedback, feedback_from_json, feedback_to_json
from chat_ui.conversations.records.records import (
    REMARKS,
    AnswerHead,
    ConversationRecord,
    GenerationRecord,
    Status,
    TurnRecord,
    remark_on,
)
from chat_ui.conversations.store import schema
from chat_ui.protocol.answers.pictures import versions
from chat_ui.protocol.events import AnswerWarning, ErrorInfo, Json, JsonObject
from chat_ui.protocol.reading.json_text import json_in_turn

Row: TypeAlias = dict[str, Any]
T = TypeVar("T", ConversationRecord, TurnRecord)
_PARTS: Final = (schema.turn, schema.generation, schema.snapshot, schema.feedback)


class Batch(msgspec.Struct):
    """Rows of an import that are written together.

    Those of a conversation follow its own. Until the import ends, its conversations have its mark as the time of their
    deletion. The last batch has their owner and that mark in `ends`, and then they appear.
    """

    conversations: list[Row] = msgspec.field(default_factory=list)
    turns: list[Row] = msgspec.field(default_factory=list)
    generations: list[Row] = msgspec.field(default_factory=list)
    feedback: list[Row] = msgspec.field(default_factory=list)
    ends: tuple[str, float] | None = None


ROW_BYTES: Final = 200
_RECORDED_AT: Final = "recorded_at"
_PICTURES: Final = "pictures"
_IS_IMPORTED: Final = "is_imported"
"""Keys beside the backend's memory, for a recorded answer's moment, the number of versions of pictures, and an
imported one's mark: heads need them.
"""


def storable(text: str) -> str:
    """`text` as every database takes it: without NUL and lone surrogates."""
    text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    try:
        _bytes_in(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _bytes_in(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _sized(row: dict[str, Any], *texts: str) -> dict[str, Any]:
    return {**row, "size": ROW_BYTES + sum(_bytes_in(row[text] or "") for text in texts)}


def conversation_row(record: ConversationRecord) -> dict[str, Any]:
    """The columns of a conversation."""
    return {**asdict(record), "title": storable(record.title)}


def conversation_record(row: Any) -> ConversationRecord:
    """The conversation in a row of its table."""
    return _record(ConversationRecord, row)


def turn_row(record: TurnRecord) -> dict[str, Any]:
    """The columns of a turn."""
    return _sized({**asdict(record), "question": storable(record.question)}, "question", "decision")


def turn_record(row: Any) -> TurnRecord:
    """The turn in a row of its table."""
    return _record(TurnRecord, row)


def _record(kind: type[T], row: Any) -> T:
    return kind(*attrgetter(*(field.name for field in fields(kind)))(row))


def generation_row(record: GenerationRecord) -> dict[str, Any]:
    """The columns of a generation; a running one keeps its text in pieces."""
    return _generation_row(record, _kept_text(record), json.dumps(_beside_text(record)))


async def generation_row_in_turn(record: GenerationRecord) -> dict[str, Any]:
    """`generation_row`; other tasks run meanwhile, also for large answers."""
    text = _kept_text(record)
    await asyncio.sleep(0)
    answer = await json_in_turn(_beside_text(record))
    return _generation_row(record, text, answer)


def _kept_text(record: GenerationRecord) -> str:
    return "" if record.status is Status.RUNNING else storable(record.answer.text)


def _beside_text(record: GenerationRecord) -> dict[str, Json]:
    return answer_to_json(replace(record.answer, text=""))


def _generation_row(record: GenerationRecord, text: str, answer_json: str) -> dict[str, Any]:
    answer = record.answer
    remark = remark_on(answer)
    told = answer.error or (ErrorInfo(remark.detail, code=remark.code) if remark is not None else None)
    row = {
        "id": record.id,
        "conversation": record.conversation,
        "turn": record.turn,
        "number": record.number,
        "status": record.status.value,
        "text": text,
        "answer": answer_json,
        "error": json.dumps(error_to_json(told)) if told is not None else None,
        "sources": len(answer.data_points),
        "followups": json.dumps(answer.followup_questions),
        "backend": json.dumps({**record.backend, **_marks(record)}),
        "overrides": json.dumps(record.overrides),
        "started_at": record.started_at,
        "ended_at": record.ended_at,
    }
    return _sized(row, "text", "answer", "error", "followups", "backend", "overrides")


def _marks(record: GenerationRecord) -> JsonObject:
    recorded_at = record.answer.recorded_at
    recorded = {_RECORDED_AT: recorded_at} if recorded_at else {}
    pictures = {_PICTURES: versions(record.answer.pictures)} if record.answer.pictures else {}
    return {**recorded, **pictures, **({_IS_IMPORTED: True} if record.is_imported else {})}


def generation_record(row: Any, text: str) -> GenerationRecord:
    """The generation in a row of its table, with its text."""
    return GenerationRecord(
        id=row.id,
        conversation=row.conversation,
        turn=row.turn,
        number=row.number,
        status=Status(row.status),
        answer=answer_from_json(json.loads(row.answer), text),
        started_at=row.started_at,
        ended_at=row.ended_at,
        backend=asked_of(row.backend),
        overrides=json.loads(row.overrides),
        is_imported=_IS_IMPORTED in _remembered(row.backend),
    )


def answer_head(row: Any) -> AnswerHead:
    """The head of the generation in a row."""
    marks = _remembered(row.backend)
    recorded_at, pictures = marks.get(_RECORDED_AT), marks.get(_PICTURES)
    told = error_from_json(json.loads(row.error)) if row.error else None
    remark = None
    if told is not None and told.code in REMARKS and row.status != Status.FAILED:
        remark = AnswerWarning(told.code, told.message)
    return AnswerHead(
        id=row.id,
        number=row.number,
        status=Status(row.status),
        error=told if remark is None else None,
        sources=row.sources,
        pictures=pictures if isinstance(pictures, int) else 0,
        followups=tuple(json.loads(row.followups)),
        remark=remark,
        asked_of=asked_of(row.backend),
        characters=row.characters,
        recorded_at=recorded_at if isinstance(recorded_at, str) else None,
    )


def feedback_row(answer: str, conversation: str, feedback: Feedback) -> dict[str, Any]:
    """The columns of the feedback on the answer of this id."""
    told = feedback_to_json(feedback)
    row = {
        "answer": answer,
        "conversation": conversation,
        "rating": feedback.rating,
        "reasons": json.dumps(told["reasons"]),
        "comment": storable(feedback.comment),
        "doubted": storable(json.dumps(told["doubted"], ensure_ascii=False)),
        "given_at": feedback.given_at,
    }
    return _sized(row, "reasons", "comment", "doubted")


def feedback_of(row: Any) -> Feedback:
    """The feedback in a row of its table."""
    told = {"rating": row.rating, "comment": row.comment, "given_at": row.given_at}
    return feedback_from_json({**told, "reasons": json.loads(row.reasons), "doubted": json.loads(row.doubted)})


@lru_cache(maxsize=1000)
def asked_of(text: str) -> JsonObject:
    """The memory of the backend in a row."""
    marks = (_RECORDED_AT, _PICTURES, _IS_IMPORTED)
    return {key: value for key, value in _remembered(text).items() if key not in marks}


@lru_cache(maxsize=1000)
def _remembered(text: str) -> JsonObject:
    """The backend and the marks beside it: most answers of a conversation share them."""
    found: JsonObject = json.loads(text)
    return found


def takes_decision(backend: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a person can decide on the answer with this `backend`: it is neither recorded nor from a file."""
    marks = (_IS_IMPORTED, _RECORDED_AT, "recording")
    return ~or_(*(backend.contains(f'"{mark}": ', autoescape=True) for mark in marks))


def belongs_to(owner: str) -> ColumnElement[bool]:
    """Whether a conversation is the person's, and not deleted."""
    table = schema.conversation.c
    return (table.owner == owner) & table.deleted_at.is_(None)


async def hold(connection: AsyncConnection, which: ColumnElement[bool], *, to_delete: bool = False) -> None:
    """Lock these conversations until the transaction ends: other writers do not change or delete them or their content.

    Writers in PostgreSQL lock conversations first, in the order of their ids, and then their content: two with other
    orders would wait for each other. SQLite has one writer at a time.
    """
    if connection.dialect.name == "postgresql":
        table = schema.conversation.c
        held = select(table.id).where(which).order_by(table.id)
        await connection.execute(held.with_for_update(key_share=not to_delete))


async def measure(connection: AsyncConnection, conversation_ids: Collection[str]) -> None:
    """Update the size of each of these conversations."""
    if not conversation_ids:
        return
    conversation = schema.conversation
    size: ColumnElement[int] = literal(ROW_BYTES)
    for part in _PARTS:
        of_part = select(func.coalesce(func.sum(part.c.size), 0)).where(part.c.conversation == conversation.c.id)
        size = size + of_part.scalar_subquery()
    of_these = conversation.c.id.in_(conversation_ids)
    await connection.execute(update(conversation).where(of_these).values(size=cast(size, BigInteger)))
