"""Records to rows and rows to records."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any, Final

from chat_ui.conversations.answer_json import answer_from_json, answer_to_json
from chat_ui.conversations.records import (
    AnswerHead,
    ConversationRecord,
    GenerationRecord,
    Status,
    TurnRecord,
)
from chat_ui.protocol.events import ErrorInfo

ROW_BYTES: Final = 200
"""What a row takes beside its texts."""


def storable(text: str) -> str:
    """`text` as every database takes it: without NUL and lone surrogates."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _sized(row: dict[str, Any], *texts: str) -> dict[str, Any]:
    """`row` with its size: the bytes of these texts, and of a row."""
    return {**row, "size": ROW_BYTES + sum(len((row[text] or "").encode()) for text in texts)}


def conversation_row(record: ConversationRecord) -> dict[str, Any]:
    """The columns of a conversation."""
    return {**asdict(record), "title": storable(record.title)}


def conversation_record(row: Any) -> ConversationRecord:
    """The conversation in a row of its table."""
    return ConversationRecord(
        id=row.id,
        owner=row.owner,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        renamed=row.renamed,
        pinned=row.pinned,
    )


def turn_row(record: TurnRecord) -> dict[str, Any]:
    """The columns of a turn."""
    return _sized({**asdict(record), "question": storable(record.question)}, "question")


def turn_record(row: Any) -> TurnRecord:
    """The turn in a row of its table."""
    return TurnRecord(
        id=row.id,
        conversation=row.conversation,
        parent=row.parent,
        place=row.place,
        question=row.question,
        asked_at=row.asked_at,
        shown=row.shown,
        chosen=row.chosen,
    )


def generation_row(record: GenerationRecord) -> dict[str, Any]:
    """The columns of a generation; a running one keeps its text in pieces."""
    answer = record.answer
    row = {
        "id": record.id,
        "conversation": record.conversation,
        "turn": record.turn,
        "number": record.number,
        "status": record.status.value,
        "text": "" if record.status is Status.RUNNING else storable(answer.text),
        "answer": json.dumps(answer_to_json(replace(answer, text=""))),
        "error": json.dumps(asdict(answer.error)) if answer.error else None,
        "sources": len(answer.data_points),
        "followups": json.dumps(answer.followup_questions),
        "backend": json.dumps(record.backend),
        "overrides": json.dumps(record.overrides),
        "started_at": record.started_at,
        "ended_at": record.ended_at,
    }
    return _sized(row, "text", "answer", "error", "followups", "backend", "overrides")


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
        backend=json.loads(row.backend),
        overrides=json.loads(row.overrides),
    )


def answer_head(row: Any) -> AnswerHead:
    """What the structure needs of the generation in a row."""
    return AnswerHead(
        id=row.id,
        number=row.number,
        status=Status(row.status),
        error=ErrorInfo(**json.loads(row.error)) if row.error else None,
        sources=row.sources,
        followups=tuple(json.loads(row.followups)),
    )
