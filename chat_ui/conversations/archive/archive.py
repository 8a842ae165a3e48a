"""Export of conversations as JSON, and its import.

Format `chat-ui-conversations`, version 1:

    {"format": "chat-ui-conversations", "version": 1, "exported_at": SECONDS,
     "digital_source_type": URI, "ai_notice": WORDS, "conversations": [
        {"id", "title", "created_at", "updated_at", "pinned", "renamed", "turns": [
            {"id", "parent": ID | null, "question", "asked_at", "shown", "chosen", "decides", "decision", "answers": [
                {"number", "status", "started_at", "ended_at", "backend", "overrides", "answer": {…},
                 "feedback": {"rating": "good" | "bad" | null, "reasons", "comment", "doubted", "given_at"}}]}]}]}

Turns with the same `parent` are versions of one question. `shown` marks the path on the page, and `chosen` is the
number of the shown answer. `decides` is the number of the paused answer to the turn before, on which the turn decides;
`decision` has the decisions. Other turns lack both. `answer` is from `answer_json`; `feedback` is optional. Times are
seconds since 1970, UTC. Within version 1 keys may be added; unknown keys are passed over.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from chat_ui.conversations.records.answer_json import (
    answer_from_json,
    complete_answer_to_json,
    number,
    object_of,
    objects,
    string,
)
from chat_ui.conversations.records.feedback import Feedback, feedback_from_json, feedback_to_json
from chat_ui.conversations.records.records import (
    MAX_TITLE,
    ConversationRecord,
    GenerationRecord,
    Status,
    Transcript,
    TurnRecord,
    title_of,
)
from chat_ui.protocol.clean_text import clean_json
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.reading.json_text import json_pieces
from chat_ui.protocol.translatable import msg

FORMAT: Final = "chat-ui-conversations"
VERSION: Final = 1
MAX_TURNS: Final = 10_000
MAX_ANSWERS: Final = 20_000
MAX_QUESTION: Final = 4_000_000

_BACKEND: Final = frozenset({"url", "dialect", "stream"})


def without_thoughts(transcript: Transcript) -> Transcript:
    """The same, without the thoughts of backends and models, and without the content of pauses and decisions."""
    generations = (
        replace(one, answer=replace(one.answer, thoughts=(), reasoning="", pause=None))
        for one in transcript.generations
    )
    turns = (replace(turn, decision="") for turn in transcript.turns)
    return replace(transcript, turns=tuple(turns), generations=tuple(generations))


def transcript_pieces(transcript: Transcript) -> Iterator[str]:
    """An entry of `conversations` as JSON, in small pieces."""
    record = transcript.conversation
    answers: defaultdict[str, list[GenerationRecord]] = defaultdict(list)
    for generation in sorted(transcript.generations, key=lambda one: one.number):
        answers[generation.turn].append(generation)
    numbers = {one.id: one.number for one in transcript.generations}
    head: dict[str, Json] = {
        "id": record.id,
        "title": record.title,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "pinned": record.pinned,
        "renamed": record.renamed,
    }
    yield json.dumps(head, ensure_ascii=False)[:-1] + ', "turns": ['
    separator = ""
    for turn in transcript.turns:
        yield separator
        told = _turn_to_json(turn, answers[turn.id], transcript.feedback)
        if turn.decides is not None:
            told |= {"decides": numbers.get(turn.decides), "decision": json.loads(turn.decision or "[]")}
        yield from json_pieces(told, ensure_ascii=False)
        separator = ", "
    yield "]}"


def _turn_to_json(
    turn: TurnRecord, answers: Sequence[GenerationRecord], feedback: Mapping[str, Feedback]
) -> dict[str, Json]:
    return {
        "id": turn.id,
        "parent": turn.parent,
        "question": turn.question,
        "asked_at": turn.asked_at,
        "shown": turn.shown,
        "chosen": turn.chosen,
        "answers": [
            {
                "number": generation.number,
                "status": generation.status.value,
                "started_at": generation.started_at,
                "ended_at": generation.ended_at,
                "backend": generation.backend,
                "overrides": generation.overrides,
                "answer": complete_answer_to_json(generation.answer),
                **({"feedback": feedback_to_json(feedback[generation.id])} if generation.id in feedback else {}),
            }
            for generation in answers
        ],
    }


def read_conversation(value: Json, owner: str) -> Transcript:
    """An entry of `conversations`, for `owner`.

    Everything gets new ids, so that importing twice makes copies and other people's ids cannot be taken. A pause loses
    the part that goes back to its backend, which would run what the file says.

    Raises:
        ValueError: a part has another shape; the words say which.
    """
    if not isinstance(value, Mapping):
        raise ValueError(msg("it is not an object"))  # noqa: TRY004 - a fault of the file, not of code
    now = time.time()
    conversation = secrets.token_urlsafe(16)
    turns, generations, feedback = _turns(objects(value, "turns"), conversation, now)
    created = number(value, "created_at")
    title = (string(value, "title") or title_of(turns[0].question))[:MAX_TITLE]
    record = ConversationRecord(
        id=conversation,
        owner=owner,
        title=title,
        created_at=now if created is None else created,
        updated_at=now if (updated := number(value, "updated_at")) is None else updated,
        renamed=value.get("renamed") is True,
        pinned=value.get("pinned") is True,
    )
    return Transcript(record, turns, generations, feedback)


def _turns(
    values: Sequence[JsonObject], conversation: str, now: float
) -> tuple[tuple[TurnRecord, ...], tuple[GenerationRecord, ...], dict[str, Feedback]]:
    if not 0 < len(values) <= MAX_TURNS:
        raise ValueError(msg("it has {count} turns; 1 to {most} can be read", count=len(values), most=MAX_TURNS))
    turns: dict[str, TurnRecord] = {}
    generations: list[GenerationRecord] = []
    feedback: dict[str, Feedback] = {}
    undecided: dict[tuple[str, int], str] = {}
    for position, value in enumerate(values, start=1):
        known_as = string(value, "id") or ""
        parent = string(value, "parent")
        if not known_as or known_as in turns:
            raise ValueError(msg("turn {turn} needs an “id” that no other turn has", turn=position))
        if parent is not None and parent not in turns:
            raise ValueError(msg("turn {turn} follows a turn that does not come before it", turn=position))
        question = string(value, "question") or ""
        if not question.strip() or len(question) > MAX_QUESTION:
            raise ValueError(msg("turn {turn} has a question that is missing or too long", turn=position))
        asked_at = number(value, "asked_at")
        before = turns[parent] if parent is not None else None
        answers = objects(value, "answers")
        if not answers:
            raise ValueError(msg("turn {turn} has no answer", turn=position))
        if len(generations) + len(answers) > MAX_ANSWERS:
            raise ValueError(msg("it has more than {most} answers", most=MAX_ANSWERS))
        turn = turns[known_as] = TurnRecord(
            id=secrets.token_urlsafe(16),
            conversation=conversation,
            parent=before.id if before else None,
            place=before.place + 1 if before else 1,
            question=question,
            asked_at=now if asked_at is None else asked_at,
            shown=value.get("shown") is not False,
            chosen=min(max(1, int(number(value, "chosen") or 1)), len(answers)),
            decides=undecided.pop((before.id, int(number(value, "decides") or 0)), None) if before else None,
        )
        for place, answer in enumerate(answers, start=1):
            generations.append(_generation(answer, turn, place))
            undecided[turn.id, place] = generations[-1].id
            if given := _feedback(answer):
                feedback[generations[-1].id] = replace(given, given_at=now)
    return _with_one_way(tuple(turns.values())), tuple(generations), feedback


def _generation(value: JsonObject, turn: TurnRecord, place: int) -> GenerationRecord:
    try:
        status = Status(string(value, "status") or Status.FINISHED)
    except ValueError:
        raise ValueError(msg("an answer to turn {turn} has an unknown “status”", turn=turn.place)) from None
    started_at = number(value, "started_at")
    answer = answer_from_json(_cleaned(value, "answer"))
    return GenerationRecord(
        id=f"{turn.conversation}.{secrets.token_urlsafe(16)}",
        conversation=turn.conversation,
        turn=turn.id,
        number=place,
        # Its process has gone.
        status=Status.INTERRUPTED if status is Status.RUNNING else status,
        answer=replace(answer, pause=answer.pause and replace(answer.pause, kept=None)),
        started_at=turn.asked_at if started_at is None else started_at,
        ended_at=number(value, "ended_at"),
        # A profile or documents from a file would be fetched with a credential that is not the file's.
        backend={name: told for name, told in _cleaned(value, "backend").items() if name in _BACKEND},
        overrides=_cleaned(value, "overrides"),
        is_imported=True,
    )


def _feedback(value: JsonObject) -> Feedback:
    """The feedback of a file on an answer; that of another, unknown version is passed over."""
    try:
        return feedback_from_json(_cleaned(value, "feedback"))
    except ValueError:
        return Feedback()


def _cleaned(value: JsonObject, key: str) -> JsonObject:
    """The object under `key`, clean like a backend's, perhaps empty.

    Raises:
        ValueError: another value is there.
    """
    cleaned = clean_json(object_of(value, key))
    return cleaned if isinstance(cleaned, Mapping) else {}


def _with_one_way(turns: tuple[TurnRecord, ...]) -> tuple[TurnRecord, ...]:
    """The turns, with exactly one shown path from the first to the last, whatever the file says."""
    versions_after: defaultdict[str | None, list[TurnRecord]] = defaultdict(list)
    for turn in turns:
        versions_after[turn.parent].append(turn)
    shown: set[str] = set()
    parent: str | None = None
    while versions := versions_after.get(parent):
        chosen = next((turn for turn in versions if turn.shown), versions[-1])
        shown.add(chosen.id)
        parent = chosen.id
    return tuple(replace(turn, shown=turn.id in shown) for turn in turns)
