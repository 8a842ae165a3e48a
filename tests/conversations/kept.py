"""Stored values for tests."""

import time
from collections.abc import Sequence
from dataclasses import replace

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.feedback import Feedback, Rating, Reason
from chat_ui.conversations.records.records import ConversationRecord, GenerationRecord, Status, Transcript, TurnRecord
from chat_ui.conversations.store.rows import ROW_BYTES, Batch, conversation_row, feedback_row, generation_row, turn_row
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.protocol.events import AnswerWarning, ErrorInfo, SessionState, Timing

ANSWER = Answer(
    text="Buoys are red [1]. Ünïcode \N{OK HAND SIGN}",
    reasoning="Think of the sea.",
    dialect="b",
    complete=False,
    error=ErrorInfo("It broke.", code="x", status=429, retry_after=3.0),
    followup_questions=("And green ones?",),
    citations=(PlacedCitation("Buoys.pdf", 9, 9), PlacedCitation("1", 14, 17)),
    data_points=(DataPoint("1", "Buoys.pdf", "All are red.", url="https://example.com/a", image=None),),
    thoughts=(Thought("Query", ["buoys", {"k": 3}], {"scores": [0.5, None]}),),
    session_state=SessionState("sessionState", {"turn": 1}),
    usage={"total_tokens": 12},
    warnings=(AnswerWarning("not_json", "line 3"),),
    timing=Timing(0.1, 0.2, 0.3),
)


def conversation(number: int = 1, owner: str = "me", **values: object) -> ConversationRecord:
    known = {"title": f"Talk {number}", "created_at": 1000.0 + number, "updated_at": 1000.0 + number}
    return ConversationRecord(id=f"c{number:06}", owner=owner, **{**known, **values})


def turn(
    of: ConversationRecord, place: int = 1, question: str = "What colour are buoys?", **values: object
) -> TurnRecord:
    known = {"id": f"{of.id}-t{place}", "parent": f"{of.id}-t{place - 1}" if place > 1 else None}
    return TurnRecord(
        conversation=of.id, place=place, question=question, asked_at=of.created_at + place, **{**known, **values}
    )


def generation(
    of: TurnRecord, number: int = 1, status: Status = Status.FINISHED, answer: Answer = ANSWER
) -> GenerationRecord:
    return GenerationRecord(
        id=f"{of.id}.{number}",
        conversation=of.conversation,
        turn=of.id,
        number=number,
        status=status,
        answer=answer,
        started_at=of.asked_at,
        ended_at=None if status is Status.RUNNING else of.asked_at + 1,
        backend={"url": "http://127.0.0.1:1/chat", "dialect": "auto"},
        overrides={"top": 3},
    )


def transcript_bytes(transcript: Transcript) -> int:
    """The stored size of a whole conversation in bytes."""
    rows = (*map(turn_row, transcript.turns), *map(generation_row, transcript.generations))
    return ROW_BYTES + sum(int(row["size"]) for row in rows)


async def import_batches(conversations: Conversations, owner: str, transcripts: Sequence[Transcript]) -> None:
    """Import these conversations."""
    mark = time.time()
    batches = [
        Batch(
            [{**conversation_row(one.conversation), "deleted_at": mark}],
            [*map(turn_row, one.turns)],
            [*map(generation_row, one.generations)],
            [feedback_row(answer, one.conversation.id, given) for answer, given in one.feedback.items()],
        )
        for one in transcripts
    ]
    batches.append(Batch(ends=(owner, mark)))
    await conversations.lists.import_batches(owner, iter(batches), sum(map(transcript_bytes, transcripts)))


def rated(former: Feedback, rating: Rating | None, *reasons: Reason, comment: str = "") -> Feedback:
    return replace(former, rating=rating, reasons=reasons, comment=comment)
